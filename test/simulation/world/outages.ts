import type { FaultKind } from './faults.ts';
import { Random } from './random.ts';
import type { Surroundings } from './surroundings.ts';

/** When something is down for all who call it. */
export class Outages {
  readonly #around: Surroundings;
  readonly #kind: FaultKind;
  readonly #what: string;
  readonly #random: Random;
  #downUntil = 0;

  constructor(around: Surroundings, kind: FaultKind, what: string) {
    this.#around = around;
    this.#kind = kind;
    this.#what = what;
    this.#random = new Random(around.seed, `outages of ${what}`);
  }

  /** Asked at each call; a call may be the one at which an outage begins. */
  isDown(): boolean {
    const { scheduler, faults, tell } = this.#around;
    if (faults.happens(this.#kind)) {
      const length = this.#random.spread(1_000, 180_000);
      this.#downUntil = scheduler.now + length;
      tell(() => `${this.#what} is down for ${Math.round(length / 1_000)} s`);
    }
    return scheduler.now < this.#downUntil;
  }
}
