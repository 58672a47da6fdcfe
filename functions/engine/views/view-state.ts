/**
 * What the root of a view's shard keeps. Pure.
 *
 * Invariants
 * - Elements wait in runs, numbered over the shard; within a window they are ordered by *ordinals*. A pane is a span of
 *   ordinals, so that what fires stays small however large the pane is.
 * - A window is shown in versions. A version is written under a name that was never used, is shown by one commit, and is
 *   never changed; its chunks go some time after another version has replaced it.
 * - A version of a pane with a smaller index never replaces one with a larger (catalogue SI07).
 * - A pane that has fired and is not shown yet holds the watermark, so whoever sees the watermark past it finds it shown.
 */
import { type EpochMillis, earlier, MAX_ELEMENT_TIMESTAMP, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../model/time.ts';
import { maxTimestamp, sameWindow, type Window } from '../../model/windows.ts';
import type { Garbage } from './garbage.ts';

/** A document with elements of one window, in the order of their arrival. */
export interface ViewRun {
  readonly ordinal: number;
  /** Its number among the shard's runs. */
  readonly number: number;
  readonly count: number;
  readonly bytes: number;
}

/** A pane that has fired and is to be shown. */
export interface PendingPane {
  readonly index: number;
  /** The first and last ordinal of its elements. */
  readonly from: number;
  readonly to: number;
  /** Its timestamp, where it holds the watermark. */
  readonly hold: EpochMillis;
  /** The processing time from which it may be shown. */
  readonly due: EpochMillis;
}

/** What readers see. */
export interface ShownVersion {
  readonly version: string;
  readonly pane: number;
  /** The last ordinal that it holds. */
  readonly through: number;
  readonly chunks: number;
  readonly count: number;
  readonly bytes: number;
  /** The processing time since which it is shown. */
  readonly since: EpochMillis;
}

/** Why a window shows nothing, or nothing new. */
export interface ViewProblem {
  readonly code: string;
  readonly message: string;
  readonly since: EpochMillis;
}

export interface ViewWindow extends Window {
  readonly runs: readonly ViewRun[];
  /** The last ordinal that was given. */
  readonly ordinal: number;
  /** The last ordinal that a pane has taken in. */
  readonly fired: number;
  /** Of the elements that the next pane will hold, those too many included. */
  readonly bytes: number;
  readonly count: number;
  /** Whether the next pane is above the budget; its elements are counted only, from then on. */
  readonly full: boolean;
  readonly pending: PendingPane | null;
  readonly shown: ShownVersion | null;
  readonly problem: ViewProblem | null;
}

/** A version that is being written outside of commits. */
export interface ViewClaim extends Window {
  readonly version: string;
  readonly chunks: number;
  readonly pane: number;
  readonly owner: string;
  /** Until then its owner is believed to be at work. */
  readonly lease: EpochMillis;
}

export interface ViewState {
  /** Windows and triggers, as `KeyReduction` writes them. */
  readonly reduction: string | null;
  /** Where windows and triggers hold the watermark, and when they are due by processing time. */
  readonly triggers: { readonly hold: EpochMillis | null; readonly due: EpochMillis };
  /** The number of the last run. */
  readonly run: number;
  /** In order of their ends. */
  readonly windows: readonly ViewWindow[];
  readonly claim: ViewClaim | null;
  readonly garbage: readonly Garbage[];
  /** The stamp in the root's holds. */
  readonly hold: EpochMillis | null;
  /** Rises whenever what readers see changes. */
  readonly revision: number;
  /** The processing time at which it last rose. */
  readonly revised: EpochMillis;
  /** Every window whose last instant is before this was removed, or never shown. */
  readonly removed: EpochMillis;
}

export const EMPTY_VIEW: ViewState = {
  reduction: null,
  triggers: { hold: null, due: MAX_TIMESTAMP },
  run: 0,
  windows: [],
  claim: null,
  garbage: [],
  hold: null,
  revision: 0,
  revised: MIN_TIMESTAMP,
  removed: MIN_TIMESTAMP,
};

export function viewState(of: { readonly extra?: unknown }): ViewState {
  return (of.extra as ViewState | undefined) ?? EMPTY_VIEW;
}

export function newViewWindow({ start, end }: Window): ViewWindow {
  const counts = { ordinal: 0, fired: 0, bytes: 0, count: 0, full: false };
  return { start, end, runs: [], ...counts, pending: null, shown: null, problem: null };
}

export function findWindow(state: ViewState, window: Window): ViewWindow | undefined {
  return state.windows.find((candidate) => sameWindow(candidate, window));
}

/** The state with one window changed, added, or (undefined) removed. */
export function withWindow(state: ViewState, window: Window, changed: ViewWindow | undefined): ViewState {
  const others = state.windows.filter((candidate) => !sameWindow(candidate, window));
  if (changed === undefined) return { ...state, windows: others };
  const at = others.findIndex((candidate) => candidate.end > changed.end);
  return { ...state, windows: others.toSpliced(at < 0 ? others.length : at, 0, changed) };
}

/** The pane to be shown next, whose time has come. A window whose version is being written is left out. */
export function nextToShow(state: ViewState, now: EpochMillis): ViewWindow | undefined {
  if (state.claim !== null && state.claim.lease > now) return undefined;
  let next: ViewWindow | undefined;
  for (const window of state.windows)
    if (
      window.pending !== null &&
      window.pending.due <= now &&
      (next?.pending?.due ?? MAX_TIMESTAMP) > window.pending.due
    )
      next = window;
  return next;
}

/** The state after something that readers see has changed. */
export function revised(state: ViewState, now: EpochMillis): ViewState {
  return { ...state, revision: state.revision + 1, revised: now };
}

/** The last instant of the earliest window that has documents: they can go once all readers are past that. */
export function earliestKept({ windows, garbage, removed }: ViewState): EpochMillis {
  // What tells of removed windows goes last.
  let earliest: EpochMillis = hasHead(removed) ? MAX_ELEMENT_TIMESTAMP : MAX_TIMESTAMP;
  for (const window of windows) earliest = earlier(earliest, maxTimestamp(window));
  for (const { last } of garbage) earliest = earlier(earliest, last);
  return earliest;
}

/** Whether a document tells readers which windows were removed. */
export function hasHead(removed: EpochMillis): boolean {
  return removed > MIN_TIMESTAMP && removed < MAX_TIMESTAMP;
}

/** What it holds now, in bytes that readers see. */
export function shownBytes({ windows }: ViewState): number {
  return windows.reduce((sum, { shown }) => sum + (shown?.bytes ?? 0), 0);
}
