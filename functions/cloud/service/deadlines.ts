import { type EpochMillis, type Millis, plus } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';

interface Pending {
  readonly at: EpochMillis;
  readonly expire: () => void;
}

/** Deadlines that are all equally long, watched by one sleeper instead of a timer each. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #length: Millis;
  /** In order of their time, since all are equally long. */
  readonly #pending = new Set<Pending>();
  #watching: Promise<void> | undefined;

  constructor(clock: Clock, length: Millis) {
    this.#clock = clock;
    this.#length = length;
  }

  /** @returns what to call when the deadline is no longer needed */
  start(expire: () => void): () => void {
    const pending: Pending = { at: plus(this.#clock.now(), this.#length), expire };
    this.#pending.add(pending);
    this.#watching ??= this.#watch();
    return () => this.#pending.delete(pending);
  }

  async #watch(): Promise<void> {
    for (let first = this.#first(); first !== undefined; first = this.#first()) {
      await this.#clock.sleep(Math.max(0, first.at - this.#clock.now()) as Millis);
      for (const pending of this.#pending) {
        if (pending.at > this.#clock.now()) break;
        this.#pending.delete(pending);
        pending.expire();
      }
    }
    this.#watching = undefined;
  }

  #first(): Pending | undefined {
    const [first] = this.#pending;
    return first;
  }
}
