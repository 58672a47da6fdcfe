import { type EpochMillis, later, MIN_TIMESTAMP, type Millis, plus } from '../model/time.ts';
import type { Clock, Ids } from '../ports/clock.ts';

interface Sleeper {
  readonly until: EpochMillis;
  readonly wake: () => void;
}

/** A clock that stands still until it is told to move. */
export class VirtualClock implements Clock {
  #now: EpochMillis;
  #sleepers: Sleeper[] = [];

  constructor(start: EpochMillis = MIN_TIMESTAMP) {
    this.#now = start;
  }

  now(): EpochMillis {
    return this.#now;
  }

  /** Moves the clock forward, never back, and wakes who is due. */
  advanceTo(at: EpochMillis): void {
    this.#now = later(this.#now, at);
    if (this.#sleepers.length === 0) return;
    const due = this.#sleepers.filter((sleeper) => sleeper.until <= this.#now);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.until > this.#now);
    for (const { wake } of due) wake();
  }

  sleep(delay: Millis, signal?: AbortSignal): Promise<void> {
    if (delay <= 0 || signal?.aborted) return Promise.resolve();
    return new Promise((wake) => {
      const sleeper: Sleeper = { until: plus(this.#now, delay), wake };
      this.#sleepers.push(sleeper);
      const cutShort = (): void => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        wake();
      };
      signal?.addEventListener('abort', cutShort, { once: true });
    });
  }

  /** When the next sleeper wants to wake, if anybody sleeps. */
  nextWake(): EpochMillis | undefined {
    let next: EpochMillis | undefined;
    for (const { until } of this.#sleepers) if (next === undefined || until < next) next = until;
    return next;
  }
}

/** Names and random numbers that follow from a seed. */
export class SeededIds implements Ids {
  #state: number;
  #count = 0;
  readonly #prefix: string;

  constructor(seed: number, prefix = 'n') {
    this.#state = seed >>> 0;
    this.#prefix = prefix;
  }

  unique(): string {
    this.#count += 1;
    return `${this.#prefix}${this.#count.toString(36)}`;
  }

  /** mulberry32. */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
}
