/** A key's windows, sorted by start and end. Keys have few; the newest is the one most asked for. */
import type { Window } from '../../model/windows.ts';
import type { WindowState } from './window-state.ts';

export class WindowSet<Acc> {
  /** Sorted; whoever removes from it keeps it so. */
  readonly states: WindowState<Acc>[] = [];

  get(window: Window): WindowState<Acc> | undefined {
    const state = this.states[this.#lowerBound(window)];
    return state !== undefined && state.start === window.start && state.end === window.end ? state : undefined;
  }

  add(state: WindowState<Acc>): void {
    this.states.splice(this.#lowerBound(state), 0, state);
  }

  delete(window: Window): void {
    const at = this.#lowerBound(window);
    if (this.get(window) !== undefined) this.states.splice(at, 1);
  }

  /** Where the first window is that is not before `window`. */
  #lowerBound(window: Window): number {
    const { states } = this;
    let low = 0;
    let high = states.length;
    if (high > 0 && isBefore(states[high - 1]!, window)) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(states[middle]!, window)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isBefore(a: Window, b: Window): boolean {
  return a.start < b.start || (a.start === b.start && a.end < b.end);
}
