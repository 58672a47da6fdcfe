/** What elements, panes and versions do to a window of a view; see `view-state.ts` for what holds throughout. */
import type { ViewNode } from '../../model/graph.ts';
import { type EpochMillis, earlier, later, plus } from '../../model/time.ts';
import type { GarbageBin } from './garbage.ts';
import type { PendingPane, ShownVersion, ViewProblem, ViewRun, ViewWindow } from './view-state.ts';

/** A firing of a window's trigger. */
export interface FiredPane {
  readonly index: number;
  /** The first and last ordinal of its elements. */
  readonly from: number;
  readonly to: number;
  readonly timestamp: EpochMillis;
}

/** Elements have come, and wait in `runs`; in none when the pane is above the budget. */
export function withElements(
  window: ViewWindow,
  runs: readonly ViewRun[],
  ordinal: number,
  count: number,
  bytes: number,
  maxBytes: number,
): ViewWindow {
  const total = window.bytes + bytes;
  const full = window.full || total > maxBytes;
  return { ...window, runs, ordinal, bytes: total, count: window.count + count, full };
}

/**
 * A pane has fired.
 * @returns `tooLarge` when it cannot be shown; `window` as it was when nothing is new in it
 */
export function withPane(
  node: ViewNode,
  window: ViewWindow,
  pane: FiredPane,
  now: EpochMillis,
  bin: GarbageBin,
): { readonly window: ViewWindow; readonly tooLarge?: { readonly count: number; readonly bytes: number } } {
  if (pane.to <= window.fired) return { window };
  const { count, bytes, pending, shown } = window;
  const discarding = node.strategy.accumulation === 'discarding';
  const fired = { ...window, fired: pane.to, count: 0, ...(discarding ? { bytes: 0, full: false } : {}) };
  if (window.full) {
    const runs = bin.runs(window, (run) => run.ordinal > (pending?.to ?? shown?.through ?? 0), now);
    return { window: { ...fired, runs }, tooLarge: { count, bytes } };
  }
  const { index, from, to, timestamp } = pane;
  const hold = pending === null ? timestamp : earlier(pending.hold, timestamp);
  const runs = bin.runs(window, (run) => run.ordinal < from, now);
  return { window: { ...fired, runs, pending: { index, from, to, hold, due: dueAfter(shown, node, now) } } };
}

/**
 * Readers see a version from now on.
 * @returns undefined when they see a newer one already
 */
export function withVersion(
  node: ViewNode,
  window: ViewWindow,
  version: ShownVersion,
  bin: GarbageBin,
): ViewWindow | undefined {
  const { shown, pending } = window;
  const now = version.since;
  if (shown !== null && shown.pane >= version.pane) return undefined;
  if (shown !== null) bin.chunks(window, shown.version, shown.chunks, plus(now, KEPT_AFTER_REPLACED));
  const rest = pending === null || pending.index <= version.pane ? null : pending;
  const runs = bin.runs(window, (run) => run.ordinal <= version.through, now);
  return {
    ...window,
    runs,
    // What newer panes have replaced does not count any more.
    bytes: node.strategy.accumulation === 'accumulating' ? version.bytes + bytesOf(runs) : window.bytes,
    shown: version,
    problem: null,
    pending: rest === null ? null : { ...rest, due: dueAfter(version, node, now) },
  };
}

/** A pane turned out to be none that can be shown. */
export function withProblem(
  node: ViewNode,
  window: ViewWindow,
  pane: PendingPane,
  problem: ViewProblem,
  bin: GarbageBin,
): ViewWindow {
  const pending = window.pending !== null && window.pending.index <= pane.index ? null : window.pending;
  // An accumulating window's next pane holds these elements again.
  const goes = node.strategy.accumulation === 'discarding' ? pane.to : 0;
  return { ...window, pending, problem, runs: bin.runs(window, (run) => run.ordinal <= goes, problem.since) };
}

function bytesOf(runs: readonly ViewRun[]): number {
  return runs.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** How long after another has replaced it a version's chunks stay; readers learn of the new one meanwhile. */
const KEPT_AFTER_REPLACED = 60_000;

/** A window's first version is shown at once, the next ones at most so often as the author said. */
function dueAfter(shown: ShownVersion | null, node: ViewNode, now: EpochMillis): EpochMillis {
  return shown === null ? now : later(now, plus(shown.since, node.changeAtMostEvery));
}
