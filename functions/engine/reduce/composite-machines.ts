/** The triggers that are made of others. */
import { TriggerMachine, type TriggerLayout, type TriggerMoment, type TriggerState } from './trigger-machine.ts';

/** Ready when any part is; finished by its one firing, which ends what the other parts were counting (TR06). */
export class AfterFirstMachine extends TriggerMachine {
  onElements(state: TriggerState, count: number, moment: TriggerMoment): void {
    for (const part of this.parts) part.onElements(state, count, moment);
  }

  onMerge(state: TriggerState, merging: readonly TriggerState[], moment: TriggerMoment): void {
    for (const part of this.parts) part.onMerge(state, merging, moment);
    this.setFinished(
      state,
      this.parts.some((part) => part.isFinished(state)),
    );
  }

  isReady(state: TriggerState, moment: TriggerMoment): boolean {
    return this.parts.some((part) => part.isFinished(state) || part.isReady(state, moment));
  }

  onFire(state: TriggerState, moment: TriggerMoment): void {
    for (const part of this.parts) {
      if (part.isReady(state, moment)) part.onFire(state, moment);
      else part.clear(state);
    }
    this.setFinished(state, true);
  }
}

/** Ready when all parts are; finished by its one firing. */
export class AfterAllMachine extends TriggerMachine {
  onElements(state: TriggerState, count: number, moment: TriggerMoment): void {
    for (const part of this.parts) {
      if (!part.isFinished(state)) part.onElements(state, count, moment);
    }
  }

  onMerge(state: TriggerState, merging: readonly TriggerState[], moment: TriggerMoment): void {
    for (const part of this.parts) part.onMerge(state, merging, moment);
    this.setFinished(
      state,
      this.parts.every((part) => part.isFinished(state)),
    );
  }

  isReady(state: TriggerState, moment: TriggerMoment): boolean {
    return this.parts.every((part) => part.isFinished(state) || part.isReady(state, moment));
  }

  onFire(state: TriggerState, moment: TriggerMoment): void {
    for (const part of this.parts) part.onFire(state, moment);
    this.setFinished(state, true);
  }
}

/** Its parts in turn, each until it finishes (TR07). */
export class AfterEachMachine extends TriggerMachine {
  readonly #mayMerge: boolean;

  constructor(layout: TriggerLayout, makeParts: () => readonly TriggerMachine[], mayMerge: boolean) {
    super(layout, makeParts);
    this.#mayMerge = mayMerge;
  }

  onElements(state: TriggerState, count: number, moment: TriggerMoment): void {
    // A merge may bring back a part that is over: where that can happen, all parts keep count.
    if (this.#mayMerge) for (const part of this.parts) part.onElements(state, count, moment);
    else this.#current(state)?.onElements(state, count, moment);
  }

  onMerge(state: TriggerState, merging: readonly TriggerState[], moment: TriggerMoment): void {
    let reached = true;
    for (const part of this.parts) {
      if (reached) part.onMerge(state, merging, moment);
      else part.clear(state);
      reached &&= part.isFinished(state);
    }
    this.#finishAfterLast(state);
  }

  isReady(state: TriggerState, moment: TriggerMoment): boolean {
    return this.#current(state)?.isReady(state, moment) ?? false;
  }

  onFire(state: TriggerState, moment: TriggerMoment): void {
    this.#current(state)?.onFire(state, moment);
    if (this.#mayMerge) this.clear(state);
    this.#finishAfterLast(state);
  }

  #current(state: TriggerState): TriggerMachine | undefined {
    return this.parts.find((part) => !part.isFinished(state));
  }

  #finishAfterLast(state: TriggerState): void {
    this.setFinished(state, this.#current(state) === undefined);
  }
}

/** As its main part, until the other one fires. That one keeps its count through the main part's firings (TR08). */
export class OrFinallyMachine extends TriggerMachine {
  readonly #main: TriggerMachine;
  readonly #until: TriggerMachine;

  constructor(layout: TriggerLayout, makeParts: () => [TriggerMachine, TriggerMachine]) {
    super(layout, makeParts);
    this.#main = this.parts[0]!;
    this.#until = this.parts[1]!;
  }

  onElements(state: TriggerState, count: number, moment: TriggerMoment): void {
    this.#main.onElements(state, count, moment);
    this.#until.onElements(state, count, moment);
  }

  onMerge(state: TriggerState, merging: readonly TriggerState[], moment: TriggerMoment): void {
    this.#main.onMerge(state, merging, moment);
    this.#until.onMerge(state, merging, moment);
    this.#finishWithEither(state);
  }

  isReady(state: TriggerState, moment: TriggerMoment): boolean {
    return this.#main.isReady(state, moment) || this.#until.isReady(state, moment);
  }

  onFire(state: TriggerState, moment: TriggerMoment): void {
    if (this.#until.isReady(state, moment)) {
      this.#until.onFire(state, moment);
      this.#main.clear(state);
    } else {
      this.#main.onFire(state, moment);
    }
    this.#finishWithEither(state);
  }

  #finishWithEither(state: TriggerState): void {
    this.setFinished(state, this.#main.isFinished(state) || this.#until.isFinished(state));
  }
}

/** Its part over and over; never finishes (TR09). */
export class RepeatedlyMachine extends TriggerMachine {
  readonly #part: TriggerMachine;

  constructor(layout: TriggerLayout, makeParts: () => [TriggerMachine]) {
    super(layout, makeParts);
    this.#part = this.parts[0]!;
  }

  onElements(state: TriggerState, count: number, moment: TriggerMoment): void {
    this.#part.onElements(state, count, moment);
  }

  onMerge(state: TriggerState, merging: readonly TriggerState[], moment: TriggerMoment): void {
    this.#part.onMerge(state, merging, moment);
  }

  isReady(state: TriggerState, moment: TriggerMoment): boolean {
    return this.#part.isReady(state, moment);
  }

  onFire(state: TriggerState, moment: TriggerMoment): void {
    this.#part.onFire(state, moment);
    if (this.#part.isFinished(state)) this.#part.reset(state);
  }
}
