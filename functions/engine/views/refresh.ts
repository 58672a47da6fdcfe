/**
 * When a view reads its source again. Pure. Each time counts as a pane of the global window, numbered on, that is shown as
 * any other is; its elements are read when it is shown, and not staged.
 */
import type { ViewNode } from '../../model/graph.ts';
import { type EpochMillis, MAX_TIMESTAMP, plus } from '../../model/time.ts';
import { GLOBAL_WINDOW, maxTimestamp } from '../../model/windows.ts';
import { findWindow, newViewWindow, type PendingPane, type ViewState, withWindow } from './view-state.ts';

/** When the source is to be read again, by processing time; `MAX_TIMESTAMP` = it is being read, or never. */
export function nextLoad({ refreshEvery }: ViewNode, state: ViewState): EpochMillis {
  const window = findWindow(state, GLOBAL_WINDOW);
  if (refreshEvery === undefined || window === undefined || window.pending !== null) return MAX_TIMESTAMP;
  const last = window.problem?.since ?? window.shown?.since;
  return last === undefined ? MAX_TIMESTAMP : plus(last, refreshEvery);
}

/** Whether the source was never read, and somebody wants it. @param passed all readers are past this */
export function isLoadMissing({ refreshEvery }: ViewNode, state: ViewState, passed: EpochMillis): boolean {
  const isWanted = passed <= maxTimestamp(GLOBAL_WINDOW);
  return refreshEvery !== undefined && isWanted && findWindow(state, GLOBAL_WINDOW) === undefined;
}

/** The state in which the source is to be read, if that is due. */
export function withDueLoad(node: ViewNode, state: ViewState, now: EpochMillis, passed: EpochMillis): ViewState {
  if (!isLoadMissing(node, state, passed) && nextLoad(node, state) > now) return state;
  if (node.refreshEvery === undefined) return state;
  const window = findWindow(state, GLOBAL_WINDOW) ?? newViewWindow(GLOBAL_WINDOW);
  const number = window.fired + 1;
  const pending: PendingPane = { index: number, from: number, to: number, hold: maxTimestamp(window), due: now };
  return withWindow(state, window, { ...window, fired: number, pending });
}
