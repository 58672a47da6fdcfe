import { describe, expect, it } from 'vitest';
import { foldedRootId } from '../../../functions/engine/ingest/message-state.ts';
import type { PublishSlice } from '../../../functions/engine/ingest/publish-slices.ts';
import type { Root } from '../../../functions/engine/protocol/root.ts';
import { RetryableError } from '../../../functions/model/errors.ts';
import { type EpochMillis, type Millis, plus } from '../../../functions/model/time.ts';
import type { Batch } from '../../../functions/ports/store.ts';
import { instanceRoot, MINUTE, shardRoot, START, sweepHarness } from './sweep-harness.ts';

const slice = (from: number, largest: number): PublishSlice => ({
  from: (START + from) as EpochMillis,
  to: (START + from + 10_000) as EpochMillis,
  largest: (START + largest) as EpochMillis,
});
const A = 'ingest~events~a';
const FOLDED = foldedRootId('events');

describe('the root of an ingest instance', () => {
  it('is retired ten minutes after its last commit, not a millisecond earlier', async () => {
    const harness = sweepHarness();
    await harness.put(instanceRoot('a', START), [1, 2]);
    await harness.put(shardRoot(0, { [A]: [1, 2] }));
    await harness.put(shardRoot(1, { [A]: [1] }));
    const sweeper = harness.sweeper();
    harness.advance(10 * MINUTE - 1);
    expect((await sweeper.sweep()).retired).toEqual([]);
    harness.advance(1);
    expect((await sweeper.sweep()).retired).toEqual([A]);
    expect(harness.ids('roots')).toEqual(['counts~0', 'counts~1', FOLDED]);
    expect(harness.ids('outbox')).toEqual([]);
  });

  it('stays while anything that it gave was not taken', async () => {
    const harness = sweepHarness();
    await harness.put(instanceRoot('a', START), [1, 2]);
    await harness.put(shardRoot(0, { [A]: [1, 2] }));
    harness.advance(60 * MINUTE);
    expect((await harness.sweeper().sweep()).retired).toEqual([]);
    expect(harness.ids('outbox')).toHaveLength(2);
  });

  it('goes in one commit, under its version, with its outbox and what it was told; its slices stay', async () => {
    const harness = sweepHarness();
    await harness.put(instanceRoot('a', START, { slices: [slice(0, 5_000)], active: START }), [1, 2]);
    await harness.put(shardRoot(0, { [A]: [1, 2] }));
    await harness.put(shardRoot(1, { [A]: [1] }));
    await harness.sweeper().sweep();
    expect(harness.ids('settled')).toEqual([A]);
    harness.advance(10 * MINUTE);
    const batches: Batch[] = [];
    const commit = harness.store.commit.bind(harness.store);
    harness.store.commit = (batch) => {
      batches.push(batch);
      return commit(batch);
    };
    await harness.sweeper().sweep();
    expect(batches).toHaveLength(1);
    expect(batches[0]!.preconditions.map(({ id, version }) => [id, typeof version])).toEqual([
      [A, 'number'],
      [FOLDED, 'string'],
    ]);
    expect(batches[0]!.deletes.map(({ collection, id }) => `${collection}/${id}`).sort()).toEqual([
      `outbox/${A}~1`,
      `outbox/${A}~2`,
      `roots/${A}`,
      `settled/${A}`,
    ]);
    expect(harness.root(FOLDED)).toMatchObject({ extra: { slices: [slice(0, 5_000)], active: START }, open: {} });
    expect(harness.ids('settled')).toEqual([]);
  });

  it('leaves its slices beside those of others, and one slice of what counts for ever', async () => {
    const harness = sweepHarness();
    const settled = (id: string): Root => ({ ...instanceRoot(id, START), open: {} });
    const at = (root: Root, slices: PublishSlice[], active: number): Root => ({
      ...root,
      extra: { slices, active: START + active },
    });
    await harness.put(at(settled('a'), [slice(0, 3_000), slice(10_000, 1_000)], 1));
    await harness.put(at(settled('b'), [slice(10_000, 9_000), slice(600_000, 590_000)], 2));
    harness.sample({ sampledAt: plus(START, 11 * MINUTE), oldestUnackedAge: MINUTE as Millis, undelivered: 3 });
    harness.advance(11 * MINUTE);
    await harness.sweeper().sweep();
    expect(harness.ids('roots')).toEqual([FOLDED]);
    expect(harness.root(FOLDED)!.extra).toEqual({
      slices: [{ from: START, to: START + 20_000, largest: START + 9_000 }, slice(600_000, 590_000)],
      active: START + 2,
      retired: 2,
    });
  });

  it('stays when its instance wakes in the middle of a sweep', async () => {
    const harness = sweepHarness();
    const root = { ...instanceRoot('a', START), open: {} };
    await harness.put(root);
    harness.advance(10 * MINUTE);
    const roots = harness.store.roots.bind(harness.store);
    harness.store.roots = async () => {
      const snapshot = await roots();
      await harness.put({ ...root, nonce: 'awake' });
      return snapshot;
    };
    expect((await harness.sweeper().sweep()).retired).toEqual([]);
    expect(harness.root('ingest~events~a')).toMatchObject({ nonce: 'awake' });
    expect(harness.root(FOLDED)).toBeUndefined();
  });

  it('is told nothing any more by a sweep that stood still until another had retired it', async () => {
    const harness = sweepHarness();
    await harness.put(instanceRoot('a', START), [1, 2]);
    await harness.put(shardRoot(0, { [A]: [1, 2] }));
    await harness.put(shardRoot(1, { [A]: [1] }));
    const roots = harness.store.roots.bind(harness.store);
    harness.store.roots = async () => {
      const snapshot = await roots();
      harness.store.roots = roots;
      harness.advance(10 * MINUTE);
      expect((await harness.sweeper().sweep()).retired).toEqual([A]);
      return snapshot;
    };
    await harness.sweeper().sweep();
    expect(harness.ids('settled')).toEqual([]);
  });

  it('is told again what could not be written', async () => {
    const harness = sweepHarness();
    await harness.put(instanceRoot('a', START), [1, 2]);
    await harness.put(shardRoot(0, { [A]: [1, 2] }));
    const sweeper = harness.sweeper();
    const commit = harness.store.commit.bind(harness.store);
    harness.store.commit = () => Promise.reject(new RetryableError('the line was cut'));
    await expect(sweeper.sweep()).rejects.toThrow('the line was cut');
    harness.store.commit = commit;
    await sweeper.sweep();
    expect(harness.ids('settled')).toEqual([A]);
  });

  it('publishes what may not have reached topics outside before it goes', async () => {
    const harness = sweepHarness();
    const root = { ...instanceRoot('a', START), open: {}, outside: [{ document: 3, born: START }] };
    await harness.put(root, [3], [{ topic: 'alerts', data: '1', attributes: { id: 'x' } }]);
    harness.advance(10 * MINUTE);
    await harness.sweeper().sweep();
    expect(harness.bus.published.at(-1)).toEqual({ topic: 'alerts', data: '1', attributes: { id: 'x' } });
    expect(harness.ids('outbox')).toEqual([]);
  });

  it('with many outbox documents goes in several commits, itself in the last', async () => {
    const harness = sweepHarness();
    const { open } = instanceRoot('a', START);
    const [range] = open['counts~0']!;
    const many = Array.from({ length: 1_000 }, (_, i) => i + 1);
    const root = { ...instanceRoot('a', START), open: { 'counts~0': [{ ...range!, lastDocument: 1_000 }] } };
    await harness.put(root, many);
    await harness.put(shardRoot(0, { [A]: [1, 2] }));
    harness.advance(10 * MINUTE);
    const before = harness.store.counts.commits;
    expect((await harness.sweeper().sweep()).retired).toEqual([A]);
    expect(harness.ids('outbox')).toEqual([]);
    expect(harness.store.counts.commits - before).toBe(10);
  });

  it('is forgotten by shards only after a sweep that did not see it any more', async () => {
    const harness = sweepHarness();
    await harness.put({ ...instanceRoot('a', START), open: {} });
    await harness.put(shardRoot(0, { [A]: [1, 2] }));
    harness.advance(10 * MINUTE);
    const first = await harness.sweeper().sweep();
    expect(first.retired).toEqual([A]);
    expect(first.ticks.flatMap(({ gone }) => gone)).toEqual([]);
    const second = await harness.sweeper().sweep();
    expect(second.ticks).toMatchObject([{ target: 'counts~0', gone: [A] }]);
  });

  it('of a split is never retired', async () => {
    const harness = sweepHarness();
    await harness.put({ ...instanceRoot('a', START), id: 'ingest~file~0', open: {}, extra: undefined } as Root);
    harness.advance(24 * 60 * MINUTE);
    expect((await harness.sweeper().sweep()).retired).toEqual([]);
  });

  it('of a replay is retired too, and leaves nothing', async () => {
    const harness = sweepHarness();
    await harness.put({ ...instanceRoot('a', START), id: 'replay~mend~x1', open: {} });
    harness.advance(10 * MINUTE);
    expect((await harness.sweeper().sweep()).retired).toEqual(['replay~mend~x1']);
    expect(harness.ids('roots')).toEqual([]);
  });
});
