/**
 * A process somewhere: its clock, its randomness, and every call it makes to the world outside. It may die or stand
 * still at any call.
 */
import { type Millis, epochMillis } from '../../../functions/model/time.ts';
import type { Clock, Ids } from '../../../functions/ports/clock.ts';
import { Random } from './random.ts';
import type { Surroundings } from './surroundings.ts';

const MINUTE = 60_000;

export class Instance {
  readonly name: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly #around: Surroundings;
  readonly #random: Random;
  #isAlive = true;
  #frozenUntil = 0;
  #skew: number;
  #names = 0;

  constructor(name: string, around: Surroundings) {
    this.name = name;
    this.#around = around;
    this.#random = new Random(around.seed, name);
    this.#skew = around.faults.happens('clockSkewed') ? this.#random.whole(-2 * MINUTE, 2 * MINUTE) : 0;
    this.clock = {
      now: () => epochMillis(Math.floor(around.scheduler.now) + this.#skew),
      sleep: (delay, signal) => this.#sleep(delay, signal),
    };
    this.ids = {
      unique: () => `${name}-${(this.#names++).toString(36)}`,
      random: () => this.#random.next(),
    };
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get isFrozen(): boolean {
    return this.#around.scheduler.now < this.#frozenUntil;
  }

  /** It dies: nothing that it has begun goes on. */
  die(how: string): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#around.tell(() => `${this.name} dies ${how}`);
  }

  /**
   * Makes a call to the world. `apply` is what happens there, at the moment when the call arrives.
   * @param usual the call's usual time each way, milliseconds
   */
  call<T>(what: string, usual: number, apply: () => Promise<T>): Promise<T> {
    const { faults, scheduler } = this.#around;
    if (!this.#isAlive) return never();
    if (faults.happens('clockStepsBack')) this.#skew -= this.#random.whole(1, MINUTE);
    if (faults.happens('crashBefore')) {
      this.die(`before it calls ${what}`);
      return never();
    }
    const { promise, resolve } = Promise.withResolvers<T>();
    const slow = faults.happens('slowCall') ? this.#random.spread(1_000, MINUTE) : 0;
    const out = this.#random.spread(usual / 4, usual * 2) + slow;
    if (faults.happens('freeze')) this.standStill(what);
    if (faults.happens('crashInside'))
      scheduler.after(this.#random.next() * 2 * out, () => {
        this.die(`during its call of ${what}`);
        return false;
      });
    scheduler.after(out, () => {
      const answer = apply();
      // The caller may be gone, and then nobody hears of a failure.
      answer.catch(() => undefined);
      if (faults.happens('crashAfter')) this.die(`when it has called ${what}`);
      scheduler.after(this.#random.spread(usual / 4, usual * 2), () => this.whenAwake(() => resolve(answer)));
      return false;
    });
    return promise;
  }

  /** Does something now, when it stands still as soon as it goes on, and never when it is dead. @returns true when now */
  whenAwake(act: () => void): boolean {
    if (!this.#isAlive) return false;
    const { scheduler } = this.#around;
    if (this.isFrozen) {
      scheduler.at(this.#frozenUntil, () => this.whenAwake(act));
      return false;
    }
    act();
    return true;
  }

  /** It stands still from now on, for seconds to minutes; what it calls meanwhile arrives, and it does not hear of it. */
  standStill(what: string): void {
    const { scheduler, tell } = this.#around;
    this.#frozenUntil = scheduler.now + this.#random.spread(1_000, 5 * MINUTE);
    const seconds = Math.round((this.#frozenUntil - scheduler.now) / 1_000);
    tell(() => `${this.name} stands still for ${seconds} s while it calls ${what}`);
  }

  #sleep(delay: Millis, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      signal?.addEventListener('abort', () => resolve(), { once: true });
      this.#around.scheduler.after(Math.max(delay, 0), () => this.whenAwake(() => resolve()));
    });
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
