import { describe, expect, it } from 'vitest';
import type { DeadLetterPlace } from '../../../functions/engine/dead-letter.ts';
import { newRoot, RootDraft } from '../../../functions/engine/protocol/root.ts';
import { ViewWork } from '../../../functions/engine/views/view-work.ts';
import { EMPTY_VIEW, newViewWindow, type ViewState, viewState } from '../../../functions/engine/views/view-state.ts';
import type { ViewNode } from '../../../functions/model/graph.ts';
import { epochMillis, type EpochMillis, MAX_TIMESTAMP, type Millis } from '../../../functions/model/time.ts';
import { DEFAULT_STRATEGY } from '../../../functions/model/windowing.ts';

const NODE: ViewNode = {
  kind: 'view',
  name: 'v',
  inputs: [],
  shape: 'list',
  strategy: DEFAULT_STRATEGY,
  fallback: undefined,
  maxBytes: 1_000_000,
  changeAtMostEvery: 0 as Millis,
  refreshEvery: undefined,
};
const WINDOW = { start: epochMillis(0), end: epochMillis(10) };

/** A bundle without elements, by an instance that knows the view's readers to be past `passed`. */
async function bundle(state: ViewState, passed: number) {
  const root = { ...newRoot('v~0', 1), extra: state };
  const draft = new RootDraft(root);
  const known = {
    inputWatermark: root.inputWatermark,
    outputWatermark: root.outputWatermark,
    views: new Map([['v', { revision: 0, watermark: epochMillis(0), passed: passed as EpochMillis }]]),
  };
  const place = (): DeadLetterPlace => ({ id: 'l', stage: 'v', failedAt: epochMillis(0), version: '1' });
  const { sets, deletes } = await new ViewWork(NODE).open(root).run(draft, [], known, place);
  return { written: sets.map(({ id, body }) => [id, body]), deleted: deletes.map(({ id }) => id), draft };
}

describe('a window of a view that nobody reads any more', () => {
  it('goes, and the head says so', async () => {
    const { written, deleted, draft } = await bundle({ ...EMPTY_VIEW, windows: [newViewWindow(WINDOW)] }, 10);
    expect(written).toEqual([['v', { removed: 10 }]]);
    expect(deleted).toEqual(['v~0']);
    expect(viewState(draft)).toMatchObject({ windows: [], removed: 10 });
  });

  it.each([15, MAX_TIMESTAMP])('goes with what another instance has said: all are past %i', async (removed) => {
    const { written, deleted, draft } = await bundle(
      { ...EMPTY_VIEW, windows: [newViewWindow(WINDOW)], removed: removed as EpochMillis },
      10,
    );
    // At the end of time nobody asks any more, and nobody would delete a head that was written then.
    expect(written).toEqual(removed === 15 ? [['v', { removed: 15 }]] : []);
    expect(deleted).toEqual(removed === 15 ? ['v~0'] : ['v~0', 'v']);
    expect(viewState(draft)).toMatchObject({ windows: [], removed });
  });
});
