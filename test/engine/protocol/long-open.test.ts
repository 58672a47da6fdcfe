import { describe, expect, it } from 'vitest';
import { outboxId } from '../../../functions/engine/protocol/names.ts';
import { newRoot, type Root, RootDraft } from '../../../functions/engine/protocol/root.ts';
import { REPUBLISH_AFTER, republish } from '../../../functions/engine/sweep/republish.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { SeededIds } from '../../../functions/local/virtual-clock.ts';
import { type EpochMillis, MIN_TIMESTAMP, plus } from '../../../functions/model/time.ts';
import type { Envelope } from '../../../functions/ports/bus.ts';

const NOW = 1_000_000 as EpochMillis;
const [SENDER, TARGET, OTHER] = ['words~0', 'totals~0', 'others~0'];
/** Bundles that were sent while their target was paused. */
const BUNDLES = 1_500;

/** A root that has sent a bundle to two targets for hours, a document each. */
function longOpen(): Root {
  const draft = new RootDraft(newRoot(SENDER, 1));
  draft.processingTime = NOW;
  for (let i = 0; i < BUNDLES; i++) {
    const document = draft.nextDocument();
    draft.give(TARGET, NOW, document);
    draft.give(OTHER, NOW, document);
  }
  return draft.finish('sent', 1);
}

describe('what was open for hours', () => {
  it('goes once it is taken, in as many commits as it takes, each document once and not before both have it', () => {
    let root = longOpen();
    const gone: number[] = [];
    const settle = (facts: Record<string, [number, number][]>): number => {
      const draft = new RootDraft(root);
      draft.settle(facts);
      const documents = draft.documentsToDelete();
      root = draft.finish('settled', 1);
      gone.push(...documents);
      return documents.length;
    };
    const all: [number, number][] = [[1, BUNDLES]];
    expect(settle({ [TARGET]: all })).toBe(0);
    const sizes: number[] = [];
    while (Object.keys(root.open).length > 0) sizes.push(settle({ [TARGET]: all, [OTHER]: all }));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect(gone.sort((a, b) => a - b)).toEqual(Array.from({ length: BUNDLES }, (_, i) => i + 1));
  });

  it('is sent again from a few documents at a time, a thousand envelopes a sweep', async () => {
    const root = longOpen();
    const store = new MemoryStore();
    const envelope = (number: number): Envelope => ({
      kind: 'envelope',
      target: TARGET,
      sender: SENDER,
      number,
      earliest: NOW,
      count: 1,
      inputWatermark: MIN_TIMESTAMP,
      body: '[]',
    });
    const sets = Array.from({ length: BUNDLES }, (_, i) => ({
      collection: 'outbox' as const,
      id: outboxId(SENDER, i + 1),
      body: { envelopes: [envelope(i + 1)], outside: [] },
    }));
    await store.commit({ preconditions: [], sets, deletes: [] });
    const taken = new RootDraft(newRoot(TARGET, 1));
    for (let number = 1; number <= 300; number++) taken.take(SENDER, number);
    const roots = new Map([root, taken.finish('taken', 1)].map((each) => [each.id, each]));
    const read: number[] = [];
    const get = store.get.bind(store);
    store.get = (collection, ids) => {
      read.push(ids.length);
      return get(collection, ids);
    };
    const bus = new MemoryBus(new SeededIds(1));
    const now = plus(NOW, REPUBLISH_AFTER);
    expect(await republish(store, bus, roots, NOW, now, new Set(['others']))).toBe(1_000);
    const sent = bus.take().map((message) => (message as Envelope).number);
    expect(sent.sort((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 301));
    expect(Math.max(...read)).toBeLessThanOrEqual(20);
    // None of the ranges behind, whose envelopes are for later sweeps.
    expect(read.reduce((sum, documents) => sum + documents, 0)).toBe(1_300);
  });
});
