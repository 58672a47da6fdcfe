import { expect, it } from 'vitest';
import { count, fixedWindows, pipeline } from '../../../functions/index.ts';
import { Embedded } from '../../../functions/local/embedded.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { MemoryWarehouse } from '../../../functions/local/memory-warehouse.ts';
import { SeededIds, VirtualClock } from '../../../functions/local/virtual-clock.ts';
import { type EpochMillis, plus } from '../../../functions/model/time.ts';
import { plan } from '../../../functions/plan/plan.ts';

const START = 1_700_000_000_000 as EpochMillis;

it('a steady bundle writes root, outbox, ids and the changed cells, and reads nothing', async () => {
  const graph = pipeline('steady', (p) => {
    p.readPubSub('events', { schema: { parse: (input) => input as { key: string } } })
      .keyBy('by-key', ({ key }) => key)
      .window('hourly', fixedWindows('1h'))
      .combinePerKey('counts', count());
  });
  const clock = new VirtualClock(START);
  const store = new MemoryStore({ strict: true });
  const ids = new SeededIds(1);
  const bus = new MemoryBus(ids);
  const options = { plan: plan(graph, { shards: 1 }), store, bus, warehouse: new MemoryWarehouse(), clock, ids };
  const embedded = new Embedded(options);
  await embedded.start();
  const take = async (number: number): Promise<void> => {
    const publishTime = plus(START, number * 100);
    clock.advanceTo(publishTime);
    const data = { key: `key-${number % 3}` };
    await embedded.offer('events', { id: String(number), publishTime, data, attributes: {} });
    await embedded.deliver();
  };
  for (let number = 0; number < 10; number++) await take(number);
  const before = { ...store.counts };
  for (let number = 10; number < 40; number++) await take(number);
  // A message: two documents at ingest (root, outbox), three in the stage (root, ids, one cell).
  expect(store.counts.writes - before.writes).toBe(30 * 5);
  expect(store.counts.commits - before.commits).toBe(30 * 2);
  expect(store.counts.reads - before.reads).toBe(0);
  expect(store.counts.deletes - before.deletes).toBe(0);
});
