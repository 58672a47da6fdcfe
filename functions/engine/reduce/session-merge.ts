/**
 * Merging of session windows. Invariant: the open windows of a key never overlap; what a bundle brings is merged with
 * them, and among itself, before any of its elements is added (R5). Windows that only touch stay apart (R10), and closed
 * ones never merge: they only refuse what falls into exactly their bounds (RF26–RF28).
 */
import { sameWindow, type Window } from '../../model/windows.ts';
import { dropStaleTimers, newTriggerState } from './compile-trigger.ts';
import type { ReduceContext } from './contract.ts';
import { mergeHolds } from './holds.ts';
import type { ReduceSpec } from './spec.ts';
import type { TriggerMoment, TriggerState } from './trigger-machine.ts';
import { WindowState } from './window-state.ts';

/** Windows that overlap, and the one they become. */
export interface SessionGroup<Acc> extends Window {
  /** Those that have state already. */
  readonly open: readonly WindowState<Acc>[];
  /** How many different windows there are. */
  readonly parts: number;
}

/**
 * Sorts windows into groups that overlap.
 * @param open the key's open windows
 * @param fresh those that a bundle brings, in any order, repeated or not
 * @returns the groups by ascending start; they do not overlap
 */
export function groupSessions<Acc>(open: readonly WindowState<Acc>[], fresh: readonly Window[]): SessionGroup<Acc>[] {
  const sorted: Window[] = [...open, ...fresh].sort((a, b) => a.start - b.start || a.end - b.end);
  const groups: { start: Window['start']; end: Window['end']; open: WindowState<Acc>[]; parts: number }[] = [];
  let previous: Window | undefined;
  for (const window of sorted) {
    let group = groups.at(-1);
    if (group === undefined || window.start >= group.end) {
      group = { start: window.start, end: window.end, open: [], parts: 0 };
      groups.push(group);
    }
    if (window.end > group.end) group.end = window.end;
    if (previous === undefined || !sameWindow(previous, window)) group.parts++;
    if (window instanceof WindowState) group.open.push(window);
    previous = window;
  }
  return groups;
}

/**
 * Joins the state of a group's open windows into that of the window they become. It keeps its own count of panes where it
 * is one of them, else it begins to count anew (R8).
 */
export function mergeWindows<Acc>(
  group: SessionGroup<Acc>,
  spec: ReduceSpec<never, Acc, unknown>,
  context: ReduceContext,
  moment: TriggerMoment,
): WindowState<Acc> {
  const { open } = group;
  const same = open.find((state) => sameWindow(state, group));
  const result = new WindowState<Acc>(group, spec);
  if (same !== undefined) {
    result.paneIndex = same.paneIndex;
    result.nonSpeculativeIndex = same.nonSpeculativeIndex;
  }
  for (const state of open) {
    result.pending += state.pending;
    if (!state.hasAccumulator) continue;
    const accumulator = state.accumulator as Acc;
    result.accumulator = result.hasAccumulator
      ? spec.combine.merge(result.accumulator as Acc, accumulator)
      : accumulator;
    result.hasAccumulator = true;
  }
  mergeHolds(result, open, spec.strategy, context);
  result.trigger = same === undefined ? newTriggerState(spec.trigger) : copyOf(same.trigger);
  const merging = open.map((state) => state.trigger);
  spec.trigger.root.onMerge(result.trigger, merging, moment);
  dropStaleTimers(spec.trigger, result.trigger);
  return result;
}

function copyOf(state: TriggerState): TriggerState {
  return { ...state, finished: [...state.finished], slots: [...state.slots], timers: [...state.timers] };
}

/** Where the elements of one bundle go. */
export class SessionPlaces<Acc> {
  readonly #starts: Window[] = [];
  readonly #states: WindowState<Acc>[] = [];

  /** Groups are added by ascending start. */
  add(group: Window, state: WindowState<Acc>): void {
    this.#starts.push(group);
    this.#states.push(state);
  }

  /** The state of the group that holds `window`. */
  find(window: Window): WindowState<Acc> {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]!.start <= window.start) low = middle;
      else high = middle - 1;
    }
    return this.#states[low]!;
  }
}
