/** What a sweep tells of views: to their readers how far they are, and to them how far their readers are. */
import { sidesOf, type ViewNode } from '../../model/graph.ts';
import { type EpochMillis, earlier, MAX_TIMESTAMP, MIN_TIMESTAMP, plus } from '../../model/time.ts';
import { sameWindow } from '../../model/windows.ts';
import type { HeadNode, Plan, Stage } from '../../plan/plan.ts';
import type { ViewFact } from '../../ports/bus.ts';
import { type RootId, shardId } from '../protocol/names.ts';
import type { Root } from '../protocol/root.ts';
import type { Watermarks } from '../protocol/watermarks.ts';
import { isPassed } from './readiness.ts';
import { isLoadMissing } from './refresh.ts';
import { EMPTY_VIEW, earliestKept, viewState } from './view-state.ts';
import { readingState, type SideWindow } from './waiting.ts';

/** Readers who need not wait are told of a new version for so long; later they find it by themselves. Milliseconds. */
const TOLD_FOR = 120_000;

export class ViewTidings {
  readonly #roots: ReadonlyMap<RootId, Root>;
  readonly #facts = new Map<string, ViewFact>();

  constructor(plan: Plan, roots: ReadonlyMap<RootId, Root>, watermarks: Watermarks) {
    this.#roots = roots;
    for (const { head } of plan.stages)
      if (head.kind === 'view')
        this.#facts.set(head.name, {
          revision: this.#revision(head.name),
          watermark: watermarks.output[head.name] ?? MIN_TIMESTAMP,
          passed: passedByReaders(plan, head, watermarks),
        });
  }

  /** What concerns a stage, of the views that it reads or of itself; undefined where nothing can. */
  of({ head }: Stage): Readonly<Record<string, ViewFact>> | undefined {
    if (head.kind === 'view') return { [head.name]: this.#facts.get(head.name)! };
    const sides = sidesOf(head);
    if (sides.length === 0) return undefined;
    return Object.fromEntries(sides.map(({ view }) => [view.name, this.#facts.get(view.name)!]));
  }

  /** Whether a shard should be told now, whatever else there is to tell it. */
  areNews({ head }: Stage, root: Root, now: EpochMillis): boolean {
    if (head.kind === 'view') {
      const state = viewState(root);
      const { passed } = this.#facts.get(head.name)!;
      // One that was started afresh has a root, and nothing else.
      return isLoadMissing(head, state, passed) || (state.claim === null && earliestKept(state) < passed);
    }
    if (head.kind !== 'sideParDo') return false;
    const { waiting, seen } = readingState(root);
    if (waiting.some(({ sides }) => sides.every((side) => this.#isReady(side)))) return true;
    return head.sides.some(({ view }) => {
      const { revision, revised } = viewState(this.#roots.get(shardId(view.name, 0)) ?? {});
      return revision > (seen[view.name] ?? 0) && plus(revised, TOLD_FOR) > now;
    });
  }

  /** Whether a stage without a root has to begin by itself. */
  hasToBegin({ head }: Stage): boolean {
    return head.kind === 'view' && isLoadMissing(head, EMPTY_VIEW, this.#facts.get(head.name)!.passed);
  }

  /** Whether a window of a view has content, a problem, or nothing for ever. */
  #isReady(side: SideWindow): boolean {
    const fact = this.#facts.get(side.view)!;
    if (fact.watermark > side.last || isPassed(side, fact)) return true;
    const root = this.#roots.get(shardId(side.view, 0));
    if (root === undefined) return false;
    const window = viewState(root).windows.find((candidate) => sameWindow(candidate, side));
    return window !== undefined && (window.shown !== null || (window.problem !== null && window.pending === null));
  }

  #revision(view: string): number {
    const root = this.#roots.get(shardId(view, 0));
    return root === undefined ? 0 : viewState(root).revision;
  }
}

function latenessOf(head: HeadNode): number {
  if (head.kind === 'sideParDo') return head.allowedLateness;
  return head.kind === 'stateful' ? head.strategy.allowedLateness : 0;
}

/**
 * The instant that all readers of a view are past: an element that is still to come, or waits, is in a window that ends
 * later, or it is beyond allowed lateness.
 */
function passedByReaders(plan: Plan, view: ViewNode, watermarks: Watermarks): EpochMillis {
  let passed: EpochMillis = MAX_TIMESTAMP;
  for (const { id, head } of plan.stages) {
    if (!sidesOf(head).some((side) => side.view === view)) continue;
    passed = earlier(passed, plus(watermarks.output[id] ?? MIN_TIMESTAMP, -latenessOf(head)));
  }
  return passed;
}
