/**
 * What each view holds, who reads it, and who waits for it since when: numbers, from one snapshot of the roots. They are
 * the views' metrics (bytes, readers, time waited), and what `view-doctor.ts` draws its conclusions from.
 */
import { lastWithoutPane } from '../../engine/views/readiness.ts';
import { findWindow, shownBytes, viewState, type ViewState } from '../../engine/views/view-state.ts';
import { readingState, type SideWindow, type Waiting, waitingCount } from '../../engine/views/waiting.ts';
import type { ViewNode, ViewShape } from '../../model/graph.ts';
import { type EpochMillis, earlier, later, MIN_TIMESTAMP } from '../../model/time.ts';
import type { Window } from '../../model/windows.ts';
import type { Plan } from '../../plan/plan.ts';
import { shardId } from '../../engine/protocol/names.ts';
import type { Survey } from '../status/survey.ts';

/** Why a window of a view is not ready. */
export type NotReady =
  /** It is, and who waits is told by the next sweep. */
  | { readonly kind: 'ready' }
  /** A version is being written. */
  | { readonly kind: 'writing' }
  /** A pane has fired and may be shown from then on. */
  | { readonly kind: 'fired'; readonly due: EpochMillis }
  /** It has elements, and its trigger fires when the view's watermark is past `until`, if not before. */
  | { readonly kind: 'staged'; readonly elements: number; readonly until: EpochMillis }
  /** It has none, and is known to be empty when the view's watermark is past `until`. */
  | { readonly kind: 'open'; readonly until: EpochMillis }
  /** The source of a view that refreshes was not read yet. */
  | { readonly kind: 'loading' };

/** Elements of one reader that wait for one window of a view. */
export interface WaitingForWindow extends Window {
  readonly elements: number;
  readonly since: EpochMillis;
  readonly because: NotReady;
}

export interface ReaderReport {
  readonly stage: string;
  readonly waiting: readonly WaitingForWindow[];
  /** How many elements have waited and gone on, and how long in sum; for any of the stage's views, in milliseconds. */
  readonly waited: { readonly elements: number; readonly millis: number };
}

export interface ViewReport {
  readonly view: string;
  readonly shape: ViewShape;
  /** The stage's output watermark: what fired before it is shown. */
  readonly watermark: EpochMillis;
  /** Windows that readers may see. */
  readonly windows: number;
  /** What they hold together. */
  readonly bytes: number;
  /** The budget of each. */
  readonly maxBytes: number;
  readonly largest: (Window & { readonly bytes: number; readonly elements: number }) | null;
  /** The processing time at which readers last got something new. */
  readonly changed: EpochMillis | null;
  readonly problems: readonly (Window & {
    readonly code: string;
    readonly message: string;
    readonly since: EpochMillis;
  })[];
  readonly readers: readonly ReaderReport[];
}

type Snapshot = Pick<Survey, 'roots' | 'watermarks'>;

export function viewReports(plan: Plan, snapshot: Snapshot): ViewReport[] {
  const nodes = plan.stages.flatMap(({ head }) => (head.kind === 'view' ? [head] : []));
  return nodes.map((node) => viewReport(plan, node, snapshot));
}

function viewReport(plan: Plan, node: ViewNode, snapshot: Snapshot): ViewReport {
  const state = stateOf(node, snapshot);
  const watermark = snapshot.watermarks.output[node.name] ?? MIN_TIMESTAMP;
  let largest: ViewReport['largest'] = null;
  let changed: EpochMillis | null = null;
  for (const { start, end, shown } of state.windows) {
    if (shown === null) continue;
    changed = changed === null ? shown.since : later(changed, shown.since);
    if (largest === null || shown.bytes > largest.bytes)
      largest = { start, end, bytes: shown.bytes, elements: shown.count };
  }
  return {
    view: node.name,
    shape: node.shape,
    watermark,
    windows: state.windows.filter(({ shown }) => shown !== null).length,
    bytes: shownBytes(state),
    maxBytes: node.maxBytes,
    largest,
    changed,
    problems: state.windows.flatMap(({ start, end, problem }) =>
      problem === null ? [] : [{ start, end, ...problem }],
    ),
    readers: readersOf(plan, node, snapshot, (window) => notReady(node, state, window, watermark)),
  };
}

function readersOf(
  plan: Plan,
  node: ViewNode,
  { roots }: Snapshot,
  because: (window: Window) => NotReady,
): ReaderReport[] {
  return plan.stages
    .filter(({ head }) => head.kind === 'sideParDo' && head.sides.some(({ view }) => view === node))
    .map(({ id, shards }) => {
      const states = Array.from({ length: shards }, (_, shard) => readingState(roots.get(shardId(id, shard)) ?? {}));
      return {
        stage: id,
        waiting: byWindow(
          states.flatMap(({ waiting }) => waiting),
          node.name,
          because,
        ),
        waited: states.reduce(
          (sum, { waited }) => ({ elements: sum.elements + waited.elements, millis: sum.millis + waited.millis }),
          { elements: 0, millis: 0 },
        ),
      };
    });
}

/** Joins what waits in all shards for the same window; the earliest window first. */
function byWindow(
  waiting: readonly Waiting[],
  view: string,
  because: (window: Window) => NotReady,
): WaitingForWindow[] {
  const windows = new Map<EpochMillis, WaitingForWindow>();
  for (const entry of waiting) {
    const side = entry.sides.find((candidate: SideWindow) => candidate.view === view);
    if (side === undefined) continue;
    const { start, end } = side;
    const other = windows.get(start);
    windows.set(start, {
      start,
      end,
      elements: (other?.elements ?? 0) + waitingCount(entry),
      since: other === undefined ? entry.since : earlier(other.since, entry.since),
      because: other?.because ?? because({ start, end }),
    });
  }
  return [...windows.values()].sort((a, b) => a.start - b.start);
}

function notReady(node: ViewNode, state: ViewState, at: Window, watermark: EpochMillis): NotReady {
  const window = findWindow(state, at);
  const until = lastWithoutPane(node, at);
  if (window?.shown != null || watermark > until) return { kind: 'ready' };
  if (state.claim?.start === at.start) return { kind: 'writing' };
  if (window?.pending != null)
    return node.refreshEvery === undefined ? { kind: 'fired', due: window.pending.due } : { kind: 'loading' };
  if (window?.problem != null) return { kind: 'ready' };
  if (node.refreshEvery !== undefined) return { kind: 'loading' };
  const elements = window?.count ?? 0;
  return elements > 0 ? { kind: 'staged', elements, until } : { kind: 'open', until };
}

function stateOf(node: ViewNode, { roots }: Snapshot): ViewState {
  return viewState(roots.get(shardId(node.name, 0)) ?? {});
}
