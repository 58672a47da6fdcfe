/**
 * The timers of one key and window that its cell has no room for: in parts, ordered by time, so that delivering them reads
 * one part after the other, and an index beside them, so that one can be found that is set again or cleared.
 */
import { type EpochMillis, MAX_TIMESTAMP } from '../../model/time.ts';
import type { TimerClock } from '../../model/timers.ts';
import { KeyedTexts } from './keyed-texts.ts';
import type { SlotSetting } from './slot.ts';
import { type EncodedRuns, SortedRuns } from './sorted-runs.ts';
import {
  decodeTimer,
  encodeTimer,
  identityOf,
  identityOfSorted,
  instantOf,
  type SetTimer,
  sortedKeyOf,
} from './timer-text.ts';

export const CLOCKS = ['event', 'processing'] as const;

/** As it lies in the cell. */
export type EncodedFarTimers = Partial<Record<TimerClock, EncodedRuns>>;

/** Where a far timer is. */
type Place = readonly [clock: TimerClock, run: number, sorted: string];

export class FarTimers {
  readonly #runs: Readonly<Record<TimerClock, SortedRuns>>;
  readonly #index: KeyedTexts;
  /** Removals, one after the other. */
  #removals: Promise<unknown> = Promise.resolve();

  constructor(setting: SlotSetting, encoded: EncodedFarTimers, index: string | undefined) {
    const runs = (clock: TimerClock): SortedRuns =>
      new SortedRuns(`${setting.prefix}${clock}.`, setting.parts, earliestOutput, encoded[clock]);
    this.#runs = { event: runs('event'), processing: runs('processing') };
    this.#index = new KeyedTexts({ ...setting, prefix: `${setting.prefix}index.` }, index);
  }

  encode(): EncodedFarTimers {
    const encoded: EncodedFarTimers = {};
    for (const clock of CLOCKS) if (!this.#runs[clock].isEmpty) encoded[clock] = this.#runs[clock].encode();
    return encoded;
  }

  encodeIndex(): string | undefined {
    return this.#index.encode();
  }

  get isEmpty(): boolean {
    return CLOCKS.every((clock) => this.#runs[clock].isEmpty);
  }

  /** No timer is set to an earlier instant; `MAX_TIMESTAMP` = there is none. */
  next(clock: TimerClock): EpochMillis {
    const next = this.#runs[clock].next();
    return next === undefined ? MAX_TIMESTAMP : instantOf(next);
  }

  /** Whether `take` has what it needs in memory. */
  isLoaded(clock: TimerClock): boolean {
    return this.#runs[clock].isLoaded;
  }

  load(clock: TimerClock): Promise<void> {
    return this.#runs[clock].load();
  }

  /** Takes out the next; after `load`. */
  take(clock: TimerClock): SetTimer | undefined {
    const entry = this.#runs[clock].take();
    if (entry === undefined) return undefined;
    const identity = identityOfSorted(entry[0]);
    this.#forget(identity);
    return decodeTimer(identity, entry[1]);
  }

  async add(clock: TimerClock, timers: readonly SetTimer[]): Promise<void> {
    if (timers.length === 0) return;
    const run = await this.#runs[clock].add(timers.map((timer) => [sortedKeyOf(timer), encodeTimer(timer)] as const));
    for (const timer of timers) {
      const place: Place = [clock, run, sortedKeyOf(timer)];
      this.#index.put(identityOf(timer), JSON.stringify(place));
    }
  }

  /** Takes out the one of this identity, if there is one. */
  remove(identity: string): Promise<unknown> {
    this.#removals = this.#removals.then(async () => {
      const place = await this.#index.get(identity);
      if (place === undefined) return;
      const [clock, run, sorted] = JSON.parse(place) as Place;
      await this.#runs[clock].remove(run, sorted);
      this.#forget(identity);
    });
    return this.#removals;
  }

  /** The earliest instant at which one holds the watermark; `MAX_TIMESTAMP` = none does. */
  hold(): EpochMillis {
    return Math.min(MAX_TIMESTAMP, ...CLOCKS.flatMap((clock) => this.#runs[clock].summaries())) as EpochMillis;
  }

  /** About how many characters of the cell could be moved into parts. */
  movable(): number {
    return this.#index.movable();
  }

  async spill(): Promise<void> {
    if (this.#index.movable() > 0) await this.#index.spill();
  }

  drop(): void {
    for (const clock of CLOCKS) this.#runs[clock].drop();
    this.#index.drop();
  }

  #forget(identity: string): void {
    if (this.isEmpty) this.#index.clear();
    else this.#index.remove(identity);
  }
}

function earliestOutput(texts: readonly string[]): number {
  return Math.min(...texts.map((text) => decodeTimer('[""]', text).output ?? MAX_TIMESTAMP));
}
