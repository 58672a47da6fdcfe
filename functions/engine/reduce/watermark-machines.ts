/**
 * The triggers that look at the watermark. Merging rewinds them (TR05): a session that grows past the watermark is before
 * its end again, and so is one that merges with a session that has not had its on-time firing yet.
 */
import { TriggerMachine, type TriggerLayout, type TriggerMoment, type TriggerState } from './trigger-machine.ts';

/** At the window's end, then at every bundle; never finishes (TR10). */
export class DefaultMachine extends TriggerMachine {
  onElements(state: TriggerState, _count: number, moment: TriggerMoment): void {
    awaitEndOfWindow(state, moment);
  }
  onMerge(state: TriggerState, _merging: readonly TriggerState[], moment: TriggerMoment): void {
    awaitEndOfWindow(state, moment);
  }
  isReady(_state: TriggerState, moment: TriggerMoment): boolean {
    return moment.endOfWindowReached;
  }
  onFire(): void {}
}

/** Once at the window's end. */
export class EndOfWindowMachine extends TriggerMachine {
  onElements(state: TriggerState, _count: number, moment: TriggerMoment): void {
    awaitEndOfWindow(state, moment);
  }
  onMerge(state: TriggerState, merging: readonly TriggerState[], moment: TriggerMoment): void {
    this.setFinished(state, moment.endOfWindowReached && merging.every((other) => this.isFinished(other)));
  }
  isReady(_state: TriggerState, moment: TriggerMoment): boolean {
    return moment.endOfWindowReached;
  }
  onFire(state: TriggerState): void {
    this.setFinished(state, true);
  }
}

/**
 * Early firings, one at the window's end, late firings (TR04). The early part is finished once the window's end has fired.
 * Early and late repeat: their outermost machine starts over after each firing.
 */
export class EarlyAndLateMachine extends TriggerMachine {
  readonly #early: TriggerMachine;
  readonly #late: TriggerMachine | undefined;
  readonly #mayMerge: boolean;

  constructor(layout: TriggerLayout, makeParts: () => [TriggerMachine, TriggerMachine?], mayMerge: boolean) {
    super(layout, makeParts as () => readonly TriggerMachine[]);
    this.#early = this.parts[0]!;
    this.#late = this.parts[1];
    this.#mayMerge = mayMerge;
  }

  onElements(state: TriggerState, count: number, moment: TriggerMoment): void {
    awaitEndOfWindow(state, moment);
    // A merge may bring back a part that is over, or end one: where that can happen, both keep count.
    const isLate = this.#early.isFinished(state);
    if (this.#mayMerge || !isLate) this.#early.onElements(state, count, moment);
    if (this.#mayMerge || isLate) this.#late?.onElements(state, count, moment);
  }

  onMerge(state: TriggerState, merging: readonly TriggerState[], moment: TriggerMoment): void {
    const isLate = moment.endOfWindowReached && merging.every((other) => this.#early.isFinished(other));
    if (isLate) {
      this.#early.setFinished(state, true);
      this.#late?.onMerge(state, merging, moment);
      return;
    }
    this.#early.onMerge(state, merging, moment);
    this.#early.setFinished(state, false);
    if (this.#late === undefined) return;
    // What its own parts have finished stays so; only it itself begins anew.
    this.#late.onMerge(state, merging, moment);
    this.#late.setFinished(state, false);
    this.#late.clear(state);
  }

  isReady(state: TriggerState, moment: TriggerMoment): boolean {
    if (this.#early.isFinished(state)) return this.#late?.isReady(state, moment) ?? false;
    return moment.endOfWindowReached || this.#early.isReady(state, moment);
  }

  onFire(state: TriggerState, moment: TriggerMoment): void {
    if (this.#early.isFinished(state)) this.#fireLate(state, moment);
    else if (moment.endOfWindowReached) this.#fireOnTime(state, moment);
    else {
      this.#early.onFire(state, moment);
      this.#early.clear(state);
      this.#early.setFinished(state, false);
    }
  }

  #fireOnTime(state: TriggerState, moment: TriggerMoment): void {
    if (this.#early.isReady(state, moment)) this.#early.onFire(state, moment);
    this.#early.setFinished(state, true);
    this.#early.clear(state);
    if (this.#late === undefined) this.setFinished(state, true);
    else this.#late.clear(state);
  }

  #fireLate(state: TriggerState, moment: TriggerMoment): void {
    if (this.#late === undefined) {
      this.setFinished(state, true);
      return;
    }
    this.#late.onFire(state, moment);
    this.#late.clear(state);
    this.#late.setFinished(state, false);
  }
}

function awaitEndOfWindow(state: TriggerState, moment: TriggerMoment): void {
  if (!moment.endOfWindowReached) state.endOfWindowTimer = true;
}
