import { describe, expect, it } from 'vitest';
import { events, idsOf, Loaded, range, START } from './loaded.ts';

describe('enrichment', () => {
  it('shows each element to the model, and hands it on with the answer', async () => {
    const loaded = await new Loaded({ batch: { maxInstances: 10, wait: '2s' } }).start();
    await loaded.feed(events(0, 25));
    await loaded.pass(5_000);
    expect(loaded.state).toMatchObject({ waiting: [], batches: [], counters: { calls: 3, instances: 25, dead: 0 } });
    const rows = await loaded.scores();
    expect(idsOf(rows)).toEqual(range(0, 25));
    expect(rows.every(({ id, score }) => score === 2 * id)).toBe(true);
    expect(loaded.model.vertex.counters().batchSizes).toEqual({ '10': 2, '5': 1 });
    expect(loaded.store.size('runs')).toBe(0);
  });

  it('waits for a batch to fill, and no longer than it was told', async () => {
    const loaded = await new Loaded({ batch: { maxInstances: 10, wait: '2s' } }).start();
    await loaded.feed(events(0, 3));
    await loaded.pass(1_000);
    await loaded.feed(events(3, 3));
    await loaded.pass(999);
    expect(loaded.model.vertex.counters().calls).toBe(0);
    await loaded.pass(1);
    expect(loaded.model.vertex.counters()).toMatchObject({ calls: 1 });
    await loaded.pass(500);
    await loaded.feed(events(6, 10));
    await loaded.pass(10);
    expect(loaded.model.vertex.counters().calls).toBe(2);
    await loaded.pass(1_000);
    expect(loaded.model.vertex.counters().batchSizes).toEqual({ '6': 1, '10': 1 });
  });

  it('holds the watermark at the earliest element that waits', async () => {
    const loaded = await new Loaded({ batch: { maxInstances: 10, wait: '10s' } }).start();
    await loaded.feed([
      { id: 1, card: 'a', at: START + 50 },
      { id: 2, card: 'a', at: START + 10 },
      { id: 3, card: 'a', at: START + 9_000 },
    ]);
    await loaded.quiet();
    await loaded.sweep();
    expect(loaded.embedded.watermarks.input['score']).toBe(START + 9_000);
    expect(loaded.embedded.watermarks.output['score']).toBe(START + 10);
    await loaded.pass(10_000);
    await loaded.sweep();
    await loaded.pass(1_000);
    await loaded.sweep();
    expect(loaded.embedded.watermarks.output['score']).toBe(START + 9_000);
  });
});
