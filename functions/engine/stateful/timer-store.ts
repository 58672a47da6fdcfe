/**
 * The timers of one key and window. They lie in the cell; when there are too many, those that are due last move into parts
 * (`FarTimers`).
 *
 * Invariants: an identity has one timer at most, near or far; timers come out in the order of their times, those of one
 * instant in the order in which they were set.
 */
import { type EpochMillis, earlier, epochMillis, MAX_TIMESTAMP } from '../../model/time.ts';
import type { TimerClock } from '../../model/timers.ts';
import { CLOCKS, type EncodedFarTimers, FarTimers } from './far-timers.ts';
import { MinHeap } from './min-heap.ts';
import type { SlotSetting } from './slot.ts';
import { decodeTimer, encodeTimer, identityOf, type SetTimer } from './timer-text.ts';

/** Among so few the next one is looked for; more are queued. */
const FEW = 16;

/** A near timer in the order in which they are delivered. */
interface Queued {
  readonly timer: SetTimer;
  readonly order: number;
}

/** The two texts of a window's timers; undefined where there is nothing. */
export interface EncodedTimers {
  readonly timers: string | undefined;
  /** Where far timers are, by identity. */
  readonly index: string | undefined;
}

export class TimerStore {
  readonly #setting: SlotSetting;
  /** By identity, in the order in which they were set. */
  readonly #near = new Map<string, SetTimer>();
  #far: FarTimers | undefined;
  #queues: Readonly<Record<TimerClock, MinHeap<Queued>>> | undefined;
  #order = 0;
  #weight = 0;

  constructor(setting: SlotSetting, { timers, index }: EncodedTimers) {
    this.#setting = setting;
    if (timers === undefined) return;
    const [header, ...fields] = timers.split('\t');
    if (header !== NOTHING_FAR) this.#far = new FarTimers(setting, JSON.parse(header!) as EncodedFarTimers, index);
    for (let i = 0; i + 1 < fields.length; i += 2) this.#keep(decodeTimer(fields[i]!, fields[i + 1]!));
  }

  encode(): EncodedTimers {
    if (this.#near.size === 0 && !this.#hasFar) return { timers: undefined, index: undefined };
    const fields = [this.#hasFar ? JSON.stringify(this.#far!.encode()) : NOTHING_FAR];
    for (const [identity, timer] of this.#near) fields.push(identity, encodeTimer(timer));
    return { timers: fields.join('\t'), index: this.#hasFar ? this.#far!.encodeIndex() : undefined };
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

  /** Those that lie in the cell, in the order of their times. */
  near(): SetTimer[] {
    return [...this.#near.values()].sort((a, b) => a.at - b.at);
  }

  /** No timer of this clock is set to an earlier instant; `MAX_TIMESTAMP` = none is set. */
  next(clock: TimerClock): EpochMillis {
    const near = this.#nearest(clock)?.at ?? MAX_TIMESTAMP;
    return this.#far === undefined ? near : earlier(near, this.#far.next(clock));
  }

  /** Whether a part must be read before `take` for instants before `until`. */
  isNextFar(clock: TimerClock, until: EpochMillis): boolean {
    return this.#isFarNext(clock, until) && !this.#far!.isLoaded(clock);
  }

  /** Reads what `take` needs next. */
  async bringNear(clock: TimerClock): Promise<void> {
    await this.#far?.load(clock);
  }

  /** Takes out the next timer that is set to an instant before `until`. */
  take(clock: TimerClock, until: EpochMillis): SetTimer | undefined {
    if (this.#isFarNext(clock, until)) {
      this.#setting.changed();
      return this.#far!.take(clock);
    }
    const nearest = this.#nearest(clock);
    if (nearest === undefined || nearest.at >= until) return undefined;
    this.#drop(identityOf(nearest));
    this.#setting.changed();
    return nearest;
  }

  /** The earliest instant at which a timer holds the watermark. */
  hold(): EpochMillis | undefined {
    let hold: EpochMillis = this.#far?.hold() ?? MAX_TIMESTAMP;
    for (const { output } of this.#near.values()) if (output !== undefined) hold = earlier(hold, output);
    return hold < MAX_TIMESTAMP ? hold : undefined;
  }

  /** About how many characters could be moved into parts. */
  movable(): number {
    const many = 2 * this.#setting.parts.limits.timersNear;
    const isMany = this.#near.size > many && CLOCKS.some((clock) => this.#of(clock).length > many);
    return (isMany ? this.#weight : 0) + (this.#far?.movable() ?? 0);
  }

  async spill(): Promise<void> {
    this.#far ??= new FarTimers(this.#setting, {}, undefined);
    for (const clock of CLOCKS) {
      const last = this.#of(clock)
        .sort((a, b) => a.at - b.at)
        .slice(this.#setting.parts.limits.timersNear);
      await this.#far.add(clock, last);
      for (const timer of last) this.#drop(identityOf(timer));
    }
    await this.#far.spill();
    this.#queues = undefined;
    this.#setting.changed();
  }

  /** The window has expired. */
  dropAll(): void {
    this.#far?.drop();
  }

  get #hasFar(): boolean {
    return this.#far !== undefined && !this.#far.isEmpty;
  }

  #of(clock: TimerClock): SetTimer[] {
    return [...this.#near.values()].filter((timer) => timer.clock === clock);
  }

  /** Whether the next timer before `until` may be a far one. */
  #isFarNext(clock: TimerClock, until: EpochMillis): boolean {
    if (this.#far === undefined) return false;
    const from = this.#far.next(clock);
    return from < until && from <= (this.#nearest(clock)?.at ?? MAX_TIMESTAMP);
  }

  #nearest(clock: TimerClock): SetTimer | undefined {
    if (this.#queues === undefined && this.#near.size <= FEW) return this.#lookFor(clock);
    const queue = this.#queue(clock);
    // What was replaced or cleared is still queued, and passed over.
    for (let first = queue.peek(); first !== undefined; first = queue.peek()) {
      if (this.#near.get(identityOf(first.timer)) === first.timer) return first.timer;
      queue.pop();
    }
    return undefined;
  }

  #lookFor(clock: TimerClock): SetTimer | undefined {
    let next: SetTimer | undefined;
    for (const timer of this.#near.values())
      if (timer.clock === clock && (next === undefined || timer.at < next.at)) next = timer;
    return next;
  }

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
    if (this.#hasFar) this.#setting.moment.defer(this.#far!.remove(identity));
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

/** The header of timers that are all near. */
const NOTHING_FAR = '{}';

/** With what a timer's fields take. */
function weightOf(identity: string): number {
  return identity.length + 40;
}

/** When a timer is due: its clock must be past its instant. */
export function dueOf(at: EpochMillis): EpochMillis {
  return epochMillis(at + 1);
}
