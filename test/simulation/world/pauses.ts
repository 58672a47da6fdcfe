/** An operator who pauses a stage now and then: nothing is delivered to it, and sweeps leave it alone, until it is resumed. */
import { type PausedControl, readControl, writeControl } from '../../../functions/engine/control.ts';
import { epochMillis } from '../../../functions/model/time.ts';
import type { Plan } from '../../../functions/plan/plan.ts';
import type { Store } from '../../../functions/ports/store.ts';
import { Random } from './random.ts';
import type { Surroundings } from './surroundings.ts';

/** How often an operator may want to, milliseconds. */
const EVERY = 20_000;
const MINUTE = 60_000;
/** Of the pauses so many outlast the horizon of some ids. */
const LONG_SHARE = 0.4;

export class Pauses {
  readonly #around: Surroundings;
  readonly #plan: () => Plan;
  readonly #store: Store;
  readonly #random: Random;
  readonly #ends = new Map<string, number>();

  /** @param plan of what is deployed */
  constructor(around: Surroundings, plan: () => Plan, store: Store) {
    this.#around = around;
    this.#plan = plan;
    this.#store = store;
    this.#random = new Random(around.seed, 'pauses');
    this.#thinkAgain();
  }

  /** Until when nothing is delivered to a stage; in the past when it is not paused. */
  endOf(stage: string): number {
    return this.#ends.get(stage) ?? 0;
  }

  #thinkAgain(): void {
    const { scheduler, faults } = this.#around;
    scheduler.after(EVERY, () => {
      if (faults.isOver) return false;
      if (faults.happens('stagePaused')) this.#pause(this.#random.pick(this.#plan().stages).id);
      this.#thinkAgain();
      return true;
    });
  }

  #pause(stage: string): void {
    const { scheduler, tell } = this.#around;
    if (scheduler.now < this.endOf(stage)) return;
    const length = this.#random.chance(LONG_SHARE)
      ? this.#random.whole(20 * MINUTE, 60 * MINUTE)
      : this.#random.spread(1_000, 20 * MINUTE);
    this.#ends.set(stage, scheduler.now + length);
    tell(() => `an operator pauses ${stage} for ${Math.round(length / 1_000)} s`);
    void this.#writeOrder();
    scheduler.after(length, () => {
      tell(() => `an operator resumes ${stage}`);
      void this.#writeOrder();
      return true;
    });
  }

  /** Operators talk to the store without faults: what they order is what is meant. */
  async #writeOrder(): Promise<void> {
    const now = this.#around.scheduler.now;
    const stages: Record<string, PausedControl['stages'][string]> = {};
    for (const [stage, end] of this.#ends)
      if (now < end) stages[stage] = { since: epochMillis(Math.floor(now)), delivery: null };
    await writeControl(this.#store, 'paused', { stages }, await readControl(this.#store, 'paused'));
  }
}
