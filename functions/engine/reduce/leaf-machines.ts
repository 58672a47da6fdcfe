/** The triggers that look at the elements of a pane: how many there are, and how long ago the first one came. */
import { type EpochMillis, type Millis, plus } from '../../model/time.ts';
import {
  setTimer,
  type TriggerLayout,
  TriggerMachine,
  type TriggerMoment,
  type TriggerState,
} from './trigger-machine.ts';

/** Ready when a pane has enough elements. Merged windows add up what they have counted (TR01). */
export class CountMachine extends TriggerMachine {
  readonly #slot: number;
  readonly #enough: number;

  constructor(layout: TriggerLayout, enough: number) {
    super(layout);
    this.#slot = layout.slots++;
    this.#enough = enough;
  }

  onElements(state: TriggerState, count: number): void {
    state.slots[this.#slot] = (state.slots[this.#slot] ?? 0) + count;
  }

  onMerge(state: TriggerState, merging: readonly TriggerState[]): void {
    const finished = merging.some((other) => this.isFinished(other));
    if (finished) this.setFinished(state, true);
    const counted = merging.reduce((sum, other) => sum + (other.slots[this.#slot] ?? 0), 0);
    state.slots[this.#slot] = finished || counted === 0 ? null : counted;
  }

  isReady(state: TriggerState): boolean {
    return (state.slots[this.#slot] ?? 0) >= this.#enough;
  }

  onFire(state: TriggerState): void {
    this.clear(state);
    this.setFinished(state, true);
  }

  override clear(state: TriggerState): void {
    state.slots[this.#slot] = null;
  }
}

/** Ready when processing time is past the arrival of the pane's first element by the delay; later ones do not move it (TR02). */
export class DelayMachine extends TriggerMachine {
  readonly #slot: number;
  readonly #delay: Millis;

  constructor(layout: TriggerLayout, delay: Millis) {
    super(layout);
    this.#slot = layout.slots++;
    this.#delay = delay;
  }

  onElements(state: TriggerState, _count: number, moment: TriggerMoment): void {
    if (state.slots[this.#slot] !== null) return;
    const deadline = plus(moment.processingTime, this.#delay);
    state.slots[this.#slot] = deadline;
    setTimer(state, deadline);
  }

  onMerge(state: TriggerState, merging: readonly TriggerState[]): void {
    let earliest: number | null = null;
    if (!this.isFinished(state)) {
      for (const { slots } of merging) {
        const deadline = slots[this.#slot]!;
        if (deadline !== null && (earliest === null || deadline < earliest)) earliest = deadline;
      }
    }
    state.slots[this.#slot] = earliest;
    if (earliest !== null) setTimer(state, earliest as EpochMillis);
  }

  isReady(state: TriggerState, moment: TriggerMoment): boolean {
    const deadline = state.slots[this.#slot]!;
    return deadline !== null && moment.processingTime > deadline;
  }

  onFire(state: TriggerState): void {
    this.clear(state);
    this.setFinished(state, true);
  }

  override clear(state: TriggerState): void {
    state.slots[this.#slot] = null;
  }

  override waitsFor(state: TriggerState, at: EpochMillis): boolean {
    return state.slots[this.#slot] === at;
  }
}

/** Never ready; the window's data leaves when it expires. */
export class NeverMachine extends TriggerMachine {
  onElements(): void {}
  onMerge(): void {}
  isReady(): boolean {
    return false;
  }
  onFire(): void {}
}
