/** How timers are written, and in what order. */
import type { TimerClock } from '../../model/timers.ts';
import type { EpochMillis } from '../../model/time.ts';

/** A timer that is set. */
export interface SetTimer {
  /** As its DoFn declares it. */
  readonly id: string;
  /** Which of a family. */
  readonly tag: string | undefined;
  readonly clock: TimerClock;
  readonly at: EpochMillis;
  /** Where it holds the watermark; undefined = it holds none, and its callback cannot emit. */
  readonly output: EpochMillis | undefined;
  /** How many timers stand between it and the end of the input, each set by the one before; see `MAX_CHAIN`. */
  readonly chain: number;
  /** The replay's id, of a timer that an operator has set again after it had failed. */
  readonly replay?: string;
}

type Fields = readonly [clock: 0 | 1, at: EpochMillis, output: EpochMillis | null, chain: number, replay?: string];

/** What makes two timers of a key and window the same. */
export function identityOf({ id, tag }: Pick<SetTimer, 'id' | 'tag'>): string {
  return tag === undefined ? `[${JSON.stringify(id)}]` : JSON.stringify([id, tag]);
}

export function encodeTimer({ clock, at, output, chain, replay }: SetTimer): string {
  const fields = `${clock === 'event' ? 0 : 1},${at},${output ?? null},${chain}`;
  return replay === undefined ? `[${fields}]` : `[${fields},${JSON.stringify(replay)}]`;
}

export function decodeTimer(identity: string, text: string): SetTimer {
  const [id, tag] = JSON.parse(identity) as [string, string?];
  const [clock, at, output, chain, replay] = JSON.parse(text) as Fields;
  const timer: SetTimer = {
    id,
    tag,
    clock: clock === 0 ? 'event' : 'processing',
    at,
    output: output ?? undefined,
    chain,
  };
  return replay === undefined ? timer : { ...timer, replay };
}

const INSTANT_LENGTH = 17;

/** A text that sorts as its instant does, and is as long as all others. */
export function sortableInstant(at: EpochMillis): string {
  return at < 0 ? `0${pad(at + Number.MAX_SAFE_INTEGER)}` : `1${pad(at)}`;
}

export function instantOf(sortable: string): EpochMillis {
  const digits = Number(sortable.slice(1, INSTANT_LENGTH).padEnd(INSTANT_LENGTH - 1, '0'));
  return (sortable.startsWith('0') ? digits - Number.MAX_SAFE_INTEGER : digits) as EpochMillis;
}

/** By time, then by identity. */
export function sortedKeyOf(timer: Pick<SetTimer, 'at' | 'id' | 'tag'>): string {
  return sortableInstant(timer.at) + identityOf(timer);
}

export function identityOfSorted(sorted: string): string {
  return sorted.slice(INSTANT_LENGTH);
}

function pad(digits: number): string {
  return String(digits).padStart(INSTANT_LENGTH - 1, '0');
}
