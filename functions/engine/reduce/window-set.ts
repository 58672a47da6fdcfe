/**
 * A key's windows, sorted by start and end. Keys have few; the newest are most asked for, and change most: what all of them
 * come to is worked out anew only from the first on that has changed.
 */
import type { EpochMillis } from '../../model/time.ts';
import type { Window } from '../../model/windows.ts';
import { type Outlook, Outlooks } from './outlook.ts';
import { encodeWindow, type WindowState } from './window-state.ts';

export class WindowSet<Acc> {
  /** Sorted; whoever removes from it keeps it so, and says so (`changed`). */
  readonly states: WindowState<Acc>[] = [];
  readonly #outlooks: Outlooks;
  /** The texts of the windows up to each, joined; so many of them are of the windows as they are. */
  readonly #texts: string[] = [];
  #knownTexts = 0;

  /** @param expectsOnTimePane whether a pane comes when the window ends */
  constructor(expectsOnTimePane: (state: WindowState<unknown>) => boolean) {
    this.#outlooks = new Outlooks(expectsOnTimePane);
  }

  get(window: Window): WindowState<Acc> | undefined {
    const state = this.states[this.#lowerBound(window)];
    return state !== undefined && state.start === window.start && state.end === window.end ? state : undefined;
  }

  add(state: WindowState<Acc>): void {
    const place = this.#lowerBound(state);
    if (place === this.states.length) this.states.push(state);
    else this.states.splice(place, 0, state);
    this.changed(place);
  }

  delete(window: Window): void {
    if (this.get(window) === undefined) return;
    const place = this.#lowerBound(window);
    this.states.splice(place, 1);
    this.changed(place);
  }

  /** A window of the set is about to change. */
  touch(state: WindowState<Acc>): void {
    state.text = undefined;
    this.changed(this.#lowerBound(state));
  }

  /** From this place on, windows have changed or stand elsewhere. */
  changed(place: number): void {
    this.#outlooks.changed(place);
    if (place < this.#knownTexts) this.#knownTexts = place;
  }

  /** What the windows hold and wait for. */
  outlook(): Outlook {
    return this.#outlooks.of(this.states);
  }

  /** Where the first window is that has something to do by these clocks; their number where none has. */
  firstDue(inputWatermark: EpochMillis, processingTime: EpochMillis): number {
    return this.#outlooks.firstDue(this.states, inputWatermark, processingTime);
  }

  /** A line for each window. */
  text(): string {
    const { states } = this;
    const texts = this.#texts;
    let text = this.#knownTexts === 0 ? '' : texts[this.#knownTexts - 1]!;
    for (let i = this.#knownTexts; i < states.length; i++) {
      const state = states[i]!;
      state.text ??= encodeWindow(state);
      text += state.text;
      texts[i] = text;
    }
    // Texts of more windows than there are would hold in memory what nobody counts any more.
    while (texts.length > states.length) texts.pop();
    this.#knownTexts = states.length;
    return text;
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
