import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  boundedOutOfOrderness,
  combineFields,
  count,
  fixedWindows,
  type Pipeline,
  pipeline,
} from '../../../functions/index.ts';
import type { Graph } from '../../../functions/model/graph.ts';
import type { PubSubSourceOptions } from '../../../functions/model/source.ts';
import { type DeliveryOptions, type Delivered, deliverRepeatedly, type Order } from './repeated-delivery.ts';

const schema = z.object({ order: z.string(), shop: z.string(), at: z.number() });
const MINUTE = 60_000;

function read(p: Pipeline, options: Partial<PubSubSourceOptions<Order>> = {}) {
  return p.readPubSub('orders', {
    schema,
    eventTime: ({ at }) => at,
    watermark: boundedOutOfOrderness('1m'),
    ...options,
  });
}

/** Orders by shop and minute. */
const grouped = (options: Partial<PubSubSourceOptions<Order>> = {}): Graph =>
  pipeline('shops', (p) => {
    read(p, options)
      .keyBy('by-shop', ({ shop }) => shop)
      .window('minutely', fixedWindows('1m'))
      .combinePerKey('orders-of-shop', combineFields({ orders: count() }))
      .writeBigQuery('orders-table', {
        table: 'orders',
        columns: { shop: 'STRING', start: 'TIMESTAMP', orders: 'INT64', timing: 'STRING' },
        key: ['shop', 'start'],
        row: ({ key, value }, { window, pane }) => ({ shop: key, start: window.start, timing: pane.timing, ...value }),
      });
  });

/** Orders as they come. */
const landed = pipeline('landing', (p) => {
  const orders = read(p);
  orders.writeBigQuery('landing-table', {
    table: 'landed',
    columns: { order: 'STRING' },
    key: [],
    row: ({ order }) => ({ order }),
  });
  orders.writePubSub('announce', { topic: 'announcements', data: ({ order }) => order });
});

function expectedTable(orders: readonly Order[]): Record<string, number> {
  const expected: Record<string, number> = {};
  for (const { shop, at } of orders) {
    const place = `${shop} ${new Date(Math.floor(at / MINUTE) * MINUTE).toISOString()}`;
    expected[place] = (expected[place] ?? 0) + 1;
  }
  return expected;
}

function tableOf({ warehouse }: Delivered): Record<string, number> {
  const rows = [...warehouse.rows('orders')];
  return Object.fromEntries(rows.map((row) => [`${row['shop']} ${row['start']}`, row['orders'] as number]));
}

const COLLECTIONS = ['cells', 'parts', 'outbox', 'ids', 'runs', 'settled'] as const;

function expectNothingLeft({ store, rootsLeft }: Delivered): void {
  expect(Object.fromEntries(COLLECTIONS.map((collection) => [collection, store.size(collection)]))).toEqual({
    cells: 0,
    parts: 0,
    outbox: 0,
    ids: 0,
    runs: 0,
    settled: 0,
  });
  expect(rootsLeft).toBe(0);
}

const TROUBLE: Omit<DeliveryOptions, 'seed'> = {
  messages: 400,
  instances: 3,
  bus: { lost: 0.1, twice: 0.1, shuffled: true },
  store: { contention: 0.05, answerLost: 0.05, down: 0.05 },
};

describe('messages that are delivered repeatedly', () => {
  it.each([1, 2, 3, 4, 5, 6])('count once, and none becomes late, seed %i', { timeout: 30_000 }, async (seed) => {
    const result = await deliverRepeatedly(grouped(), { ...TROUBLE, seed });
    expect(tableOf(result)).toEqual(expectedTable(result.orders));
    expect([...result.warehouse.rows('orders')].map((row) => row['timing'])).not.toContain('LATE');
    const { counts } = result.embedded;
    expect(counts.get('orders-of-shop')!.late).toBe(0);
    expect(result.letters).toEqual([]);
    expect(result.orders).toHaveLength(400);
    expect(result.deliveries).toBeGreaterThan(500);
    expect(counts.get('orders-of-shop')!.duplicates).toBeGreaterThan(100);
    // Instances were retired, and began anew.
    expect(result.incarnations).toBeGreaterThan(3);
    expectNothingLeft(result);
  });

  it.each([7, 8])(
    'are late nowhere after an hour in which nobody took them, seed %i',
    { timeout: 30_000 },
    async (seed) => {
      const result = await deliverRepeatedly(grouped(), { ...TROUBLE, messages: 1_500, seed, outage: 3_600 });
      expect(tableOf(result)).toEqual(expectedTable(result.orders));
      expect([...result.warehouse.rows('orders')].map((row) => row['timing'])).not.toContain('LATE');
      expect(result.embedded.counts.get('orders-of-shop')!.late).toBe(0);
      expectNothingLeft(result);
    },
  );

  it.each([11, 12, 13])(
    'count once also when their publisher sends them again, by the ids that their author names, seed %i',
    { timeout: 30_000 },
    async (seed) => {
      const graph = grouped({ id: ({ order }) => order });
      const result = await deliverRepeatedly(graph, { ...TROUBLE, seed, republished: 0.2, broken: 0.05 });
      expect(tableOf(result)).toEqual(expectedTable(result.orders));
      expect(result.broken).toBeGreaterThan(5);
      expect(result.letters).toHaveLength(result.broken);
      expect(result.letters.every(({ kind, generation }) => kind === 'source' && generation === 0)).toBe(true);
      expectNothingLeft(result);
    },
  );

  it.each([21, 22, 23])(
    'have their effects once where nothing is grouped, seed %i',
    { timeout: 30_000 },
    async (seed) => {
      const result = await deliverRepeatedly(landed, { ...TROUBLE, seed });
      const names = result.orders.map(({ order }) => order).sort();
      expect([...result.warehouse.rows('landed')].map((row) => row['order']).sort()).toEqual(names);
      // A message may be published again, under the id that it has.
      const announced = new Map(result.bus.published.map(({ data, attributes }) => [attributes['id'], data]));
      expect([...announced.values()].sort()).toEqual(names);
      expectNothingLeft(result);
    },
  );

  it('count as often as they come where the author asks for no more than at least once', {
    timeout: 30_000,
  }, async () => {
    const result = await deliverRepeatedly(grouped({ delivery: 'atLeastOnce' }), { ...TROUBLE, seed: 31 });
    const total = Object.values(tableOf(result)).reduce((sum, orders) => sum + orders, 0);
    expect(total + result.embedded.counts.get('orders-of-shop')!.late).toBeGreaterThan(result.orders.length);
    expect(result.store.size('ids')).toBe(0);
  });
});
