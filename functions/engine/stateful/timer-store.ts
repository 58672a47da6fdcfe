/**
 * The timers of one key and window. They lie in the cell; when there are too many, those that are due last move into parts,
 * ordered by time, so that delivering them reads one part after the other.
 *
 * Invariants: an identity has one timer at most, near or far; a far one is found by an index, so that setting it again
 * or clearing it removes it there; timers come out in the order of their times.
 */
import { type EpochMillis, earlier, epochMillis, MAX_TIMESTAMP } from '../../model/time.ts';
import type { TimerClock } from '../../model/timers.ts';
import { KeyedTexts } from './keyed-texts.ts';
import { MinHeap } from './min-heap.ts';
import { type EncodedRuns, SortedRuns } from './sorted-runs.ts';
import type { SlotSetting } from './slot.ts';
import {
  decodeTimer,
  encodeTimer,
  identityOf,
  identityOfSorted,
  instantOf,
  type SetTimer,
  sortedKeyOf,
} from './timer-text.ts';

const CLOCKS = ['event', 'processing'] as const;
/** How many of each clock stay in the cell when the others move. */
const KEPT_NEAR = 100;

/** A near timer in the order in which they are delivered. */
interface Queued {
  readonly timer: SetTimer;
  /** Timers of one instant come in the order in which they were set. */
  readonly order: number;
}

/** Where a far timer is. */
type FarPlace = readonly [clock: TimerClock, run: number, sorted: string];

/** The two texts of a window's timers; undefined where there is nothing. */
export interface EncodedTimers {
  readonly timers: string | undefined;
  /** Where far timers are, by identity. */
  readonly index: string | undefined;
}

export class TimerStore {
  readonly #setting: SlotSetting;
  readonly #near = new Map<string, SetTimer>();
  readonly #far: Readonly<Record<TimerClock, SortedRuns>>;
  readonly #index: KeyedTexts;
  #queues: Readonly<Record<TimerClock, MinHeap<Queued>>> | undefined;
  #order = 0;
  /** Removals of far timers, one after the other. */
  #removals: Promise<unknown> = Promise.resolve();
  #weight = 0;

  constructor(setting: SlotSetting, encoded: EncodedTimers) {
    this.#setting = setting;
    const [header, ...fields] = encoded.timers?.split('\t') ?? [];
    const leaves = (header === undefined ? {} : JSON.parse(header)) as Partial<Record<TimerClock, EncodedRuns>>;
    const far = (clock: TimerClock): SortedRuns =>
      new SortedRuns(`${setting.prefix}${clock}.`, setting.parts, earliestOutput, leaves[clock]);
    this.#far = { event: far('event'), processing: far('processing') };
    this.#index = new KeyedTexts({ ...setting, prefix: `${setting.prefix}index.` }, encoded.index);
    for (let i = 0; i + 1 < fields.length; i += 2) this.#keep(decodeTimer(fields[i]!, fields[i + 1]!));
  }

  encode(): EncodedTimers {
    const fields: string[] = [];
    for (const [identity, timer] of this.#near) fields.push(identity, encodeTimer(timer));
    const leaves: Partial<Record<TimerClock, EncodedRuns>> = {};
    for (const clock of CLOCKS) if (!this.#far[clock].isEmpty) leaves[clock] = this.#far[clock].encode();
    const isEmpty = fields.length === 0 && !this.#hasFar;
    return {
      timers: isEmpty ? undefined : [JSON.stringify(leaves), ...fields].join('\t'),
      index: this.#index.encode(),
    };
  }

  get isEmpty(): boolean {
    return this.#near.size === 0 && !this.#hasFar;
  }

  /** Sets a timer, in the place of the one that has its identity. */
  set(timer: SetTimer): void {
    const identity = identityOf(timer);
    if (!this.#near.has(identity)) this.#removeFar(identity);
    this.#keep(timer);
    this.#enqueue(timer);
    this.#setting.changed();
  }

  clear(timer: Pick<SetTimer, 'id' | 'tag'>): void {
    const identity = identityOf(timer);
    if (this.#near.has(identity)) this.#drop(identity);
    else this.#removeFar(identity);
    this.#setting.changed();
  }

  /** No timer of this clock is set to an earlier instant; `MAX_TIMESTAMP` = none is set. */
  next(clock: TimerClock): EpochMillis {
    return earlier(this.#nearest(clock)?.at ?? MAX_TIMESTAMP, this.#farFrom(clock));
  }

  /** Whether a part must be read before `take` for instants before `until`. */
  isNextFar(clock: TimerClock, until: EpochMillis): boolean {
    return !this.#far[clock].isLoaded && this.#isFarNext(clock, until);
  }

  /** Reads what `take` needs next. */
  bringNear(clock: TimerClock): Promise<void> {
    return this.#far[clock].load();
  }

  /** Takes out the next timer that is set to an instant before `until`. */
  take(clock: TimerClock, until: EpochMillis): SetTimer | undefined {
    if (this.#isFarNext(clock, until)) {
      const entry = this.#far[clock].take();
      if (entry === undefined) return undefined;
      const identity = identityOfSorted(entry[0]);
      this.#forget(identity);
      this.#setting.changed();
      return decodeTimer(identity, entry[1]);
    }
    const nearest = this.#nearest(clock);
    if (nearest === undefined || nearest.at >= until) return undefined;
    this.#drop(identityOf(nearest));
    this.#setting.changed();
    return nearest;
  }

  /** The earliest instant at which a timer holds the watermark. */
  hold(): EpochMillis | undefined {
    let hold: EpochMillis = MAX_TIMESTAMP;
    for (const { output } of this.#near.values()) if (output !== undefined) hold = earlier(hold, output);
    for (const clock of CLOCKS)
      for (const output of this.#far[clock].summaries()) hold = earlier(hold, output as EpochMillis);
    return hold < MAX_TIMESTAMP ? hold : undefined;
  }

  /** About how many characters could be moved into parts. */
  movable(): number {
    const counts = CLOCKS.map((clock) => this.#of(clock).length);
    const most = counts.some((count) => count > 2 * KEPT_NEAR) ? this.#weight : 0;
    return most + this.#index.movable();
  }

  async spill(): Promise<void> {
    for (const clock of CLOCKS) {
      const last = this.#of(clock)
        .sort((a, b) => a.at - b.at)
        .slice(KEPT_NEAR);
      if (last.length === 0) continue;
      const run = await this.#far[clock].add(last.map((timer) => [sortedKeyOf(timer), encodeTimer(timer)] as const));
      for (const timer of last) {
        const identity = identityOf(timer);
        const place: FarPlace = [clock, run, sortedKeyOf(timer)];
        this.#index.put(identity, JSON.stringify(place));
        this.#drop(identity);
      }
    }
    if (this.#index.movable() > 0) await this.#index.spill();
    this.#queues = undefined;
    this.#setting.changed();
  }

  /** The window has expired. */
  dropAll(): void {
    for (const clock of CLOCKS) this.#far[clock].drop();
    this.#index.drop();
  }

  get #hasFar(): boolean {
    return CLOCKS.some((clock) => !this.#far[clock].isEmpty);
  }

  #of(clock: TimerClock): SetTimer[] {
    return [...this.#near.values()].filter((timer) => timer.clock === clock);
  }

  #farFrom(clock: TimerClock): EpochMillis {
    const next = this.#far[clock].next();
    return next === undefined ? MAX_TIMESTAMP : instantOf(next);
  }

  /** Whether the next timer before `until` may be a far one. */
  #isFarNext(clock: TimerClock, until: EpochMillis): boolean {
    const from = this.#farFrom(clock);
    return from < until && from <= (this.#nearest(clock)?.at ?? MAX_TIMESTAMP);
  }

  #nearest(clock: TimerClock): SetTimer | undefined {
    const queue = this.#queue(clock);
    for (let first = queue.peek(); first !== undefined; first = queue.peek()) {
      if (this.#near.get(identityOf(first.timer)) === first.timer) return first.timer;
      queue.pop();
    }
    return undefined;
  }

  /** Made when it is first needed; what was replaced or cleared stays in it and is passed over. */
  #queue(clock: TimerClock): MinHeap<Queued> {
    if (this.#queues === undefined) {
      const queue = (): MinHeap<Queued> =>
        new MinHeap((a, b) => a.timer.at < b.timer.at || (a.timer.at === b.timer.at && a.order < b.order));
      this.#queues = { event: queue(), processing: queue() };
      for (const timer of this.#near.values()) this.#enqueue(timer);
    }
    return this.#queues[clock];
  }

  #enqueue(timer: SetTimer): void {
    this.#queues?.[timer.clock].push({ timer, order: this.#order++ });
  }

  /** Removes a timer that may be far; before the callback that asks for it is done. */
  #removeFar(identity: string): void {
    if (!this.#hasFar) return;
    this.#removals = this.#removals.then(async () => {
      const place = await this.#index.get(identity);
      if (place === undefined) return;
      const [clock, run, sorted] = JSON.parse(place) as FarPlace;
      await this.#far[clock].remove(run, sorted);
      this.#forget(identity);
    });
    this.#setting.moment.defer(this.#removals);
  }

  /** A timer is no longer far. */
  #forget(identity: string): void {
    if (this.#hasFar) this.#index.remove(identity);
    else this.#index.clear();
  }

  #keep(timer: SetTimer): void {
    const identity = identityOf(timer);
    this.#drop(identity);
    this.#near.set(identity, timer);
    this.#weight += weightOf(identity);
  }

  #drop(identity: string): void {
    if (this.#near.delete(identity)) this.#weight -= weightOf(identity);
  }
}

function earliestOutput(texts: readonly string[]): number {
  return Math.min(...texts.map((text) => decodeTimer('[""]', text).output ?? MAX_TIMESTAMP));
}

/** With what a timer's fields take. */
function weightOf(identity: string): number {
  return identity.length + 40;
}

/** When a timer is due: its clock must be past its instant. */
export function dueOf(at: EpochMillis): EpochMillis {
  return epochMillis(at + 1);
}
