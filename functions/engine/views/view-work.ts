/**
 * The work of a view's stage: elements are staged as runs, windows and triggers say when a pane is complete, and what is
 * complete is left for the `ViewPublisher` to show. Windows that nobody reads any more are removed.
 */
import type { ViewNode } from '../../model/graph.ts';
import { type EpochMillis, MIN_TIMESTAMP } from '../../model/time.ts';
import type { Root } from '../protocol/root.ts';
import { type ReduceSpec, reduceSpec } from '../reduce/spec.ts';
import type { KnownWatermarks, Work, Workspace } from '../shard/work.ts';
import { OpenRuns } from './open-runs.ts';
import { isLoadMissing } from './refresh.ts';
import { SPAN, type Span } from './span.ts';
import { ViewBundle } from './view-bundle.ts';
import { earliestKept, viewState } from './view-state.ts';

export class ViewWork implements Work {
  readonly #node: ViewNode;
  readonly #spec: ReduceSpec<never, Span, Span>;

  constructor(node: ViewNode) {
    this.#node = node;
    this.#spec = reduceSpec(node.strategy, SPAN);
  }

  open(root: Root): Workspace {
    const runs = new OpenRuns();
    let latest = root;
    const passedBy = ({ views }: KnownWatermarks): EpochMillis => views.get(this.#node.name)?.passed ?? MIN_TIMESTAMP;
    return {
      run: async (draft, envelopes, known, place) =>
        new ViewBundle(this.#node, this.#spec, draft, runs, passedBy(known), place).run(envelopes, known),
      committed: (committed) => {
        latest = committed;
      },
      isWoken: (known) => {
        const state = viewState(latest);
        const passed = passedBy(known);
        return isLoadMissing(this.#node, state, passed) || (state.claim === null && earliestKept(state) < passed);
      },
    };
  }
}
