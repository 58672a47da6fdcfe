import { type EpochMillis, type Millis, MIN_TIMESTAMP, plus } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';

/**
 * Commits of one root at a steady pace: at once when it was quiet, else no sooner than `every` after the one before began.
 * What comes meanwhile shares the next commit. Firestore bears about one write a second of a document; and a pause above
 * 700 ms would make Pub/Sub push less at a time.
 */
export class Cadence {
  readonly #clock: Clock;
  readonly #every: Millis;
  #begun: EpochMillis = MIN_TIMESTAMP;

  /** @param every zero = no pause */
  constructor(clock: Clock, every: Millis) {
    this.#clock = clock;
    this.#every = every;
  }

  /** Resolves when the next commit may begin. */
  async turn(): Promise<void> {
    // A clock that steps back costs one pause, not as long as the step.
    const wait = Math.min(this.#every, plus(this.#begun, this.#every) - this.#clock.now());
    if (this.#begun > MIN_TIMESTAMP && wait > 0) await this.#clock.sleep(wait as Millis);
    this.#begun = this.#clock.now();
  }
}
