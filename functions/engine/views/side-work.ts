/**
 * The work of a stage whose head reads views: elements whose views are ready go through the head, the others wait in the
 * shard until a view has what they need, or is known never to have it.
 */
import type { SideParDoNode } from '../../model/graph.ts';
import type { ViewFact } from '../../ports/bus.ts';
import type { Store } from '../../ports/store.ts';
import type { Chain } from '../chain/chain.ts';
import type { Root } from '../protocol/root.ts';
import type { Work, Workspace } from '../shard/work.ts';
import type { BundleSides } from './bundle-sides.ts';
import { isPassed } from './readiness.ts';
import { SideBundle } from './side-bundle.ts';
import type { ViewReader } from './view-reader.ts';
import { readingState, type SideWindow } from './waiting.ts';
import { WaitingRuns } from './waiting-runs.ts';

/** What a reading stage works with. */
export interface SideSetting {
  readonly node: SideParDoNode;
  /** Begins with the head itself. */
  readonly chain: Chain;
  /** What the chain's head asks. */
  readonly sides: BundleSides;
  readonly views: ViewReader;
  readonly store: Store;
}

export class SideWork implements Work {
  readonly #setting: SideSetting;

  constructor(setting: SideSetting) {
    this.#setting = setting;
  }

  open(root: Root): Workspace {
    const runs = new WaitingRuns();
    let latest = root;
    let last: SideBundle | undefined;
    return {
      run: (draft, envelopes, known, place) => {
        last = new SideBundle(this.#setting, draft, runs, known, place);
        return last.run(envelopes);
      },
      committed: (committed) => {
        latest = committed;
      },
      isWoken: ({ views }) =>
        readingState(latest).waiting.some(({ sides }) =>
          sides.every((side) => isPromising(side, views.get(side.view), last)),
        ),
    };
  }
}

/** Whether a window of a view was ready when it was last looked at, or something has happened to it since. */
function isPromising(side: SideWindow, fact: ViewFact | undefined, last: SideBundle | undefined): boolean {
  if (last?.isReady(side)) return true;
  return (
    fact !== undefined &&
    (fact.watermark > side.last || isPassed(side, fact) || fact.revision > (last?.revisionOf(side.view) ?? 0))
  );
}
