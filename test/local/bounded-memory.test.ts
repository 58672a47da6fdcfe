/** What a run holds in memory at a time is bounded by its weight, not by a number of records. */
import { describe, expect, it } from 'vitest';
import { roughSize } from '../../functions/engine/chain/rough-size.ts';
import type { RawRecord } from '../../functions/engine/ingest/source-decoder.ts';
import { type SplitState, splitState } from '../../functions/engine/ingest/split-reader.ts';
import type { Root } from '../../functions/engine/protocol/root.ts';
import { count, fixedWindows } from '../../functions/index.ts';
import { Embedded } from '../../functions/local/embedded.ts';
import { MemoryBus } from '../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../functions/local/memory-store.ts';
import { MemoryWarehouse } from '../../functions/local/memory-warehouse.ts';
import { run } from '../../functions/local/runner.ts';
import { SeededIds, VirtualClock } from '../../functions/local/virtual-clock.ts';
import type { PCollection } from '../../functions/model/collection.ts';
import { pipeline } from '../../functions/model/pipeline.ts';
import { type EpochMillis, MIN_TIMESTAMP } from '../../functions/model/time.ts';
import { plan } from '../../functions/plan/plan.ts';
import type { BusMessage, Envelope } from '../../functions/ports/bus.ts';

interface Order {
  readonly customer: string;
  readonly at: number;
}

/** Runs a pipeline over so many orders; gives what each commit of the source took, and what was published. */
async function runOver(
  records: number,
  build: (orders: PCollection<Order>) => void,
  facts: Pick<RawRecord, 'characters'> = {},
): Promise<{ taken: number[]; published: string[]; states: SplitState[] }> {
  const graph = pipeline('large', (p) =>
    build(
      p.readFile<Order>('orders', {
        schema: { parse: (value) => value as Order },
        eventTime: ({ at }) => at,
        arrivalTime: ({ at }) => at,
      }),
    ),
  );
  const store = new MemoryStore();
  const states: SplitState[] = [];
  const { commit } = store;
  store.commit = (batch) => {
    const [first] = batch.sets;
    if (first?.collection === 'roots' && first.id.startsWith('ingest~')) states.push(splitState(first.body as Root));
    return commit.call(store, batch);
  };
  const clock = new VirtualClock();
  const bus = new MemoryBus(new SeededIds(1));
  const ports = { store, bus, warehouse: new MemoryWarehouse(), clock, ids: new SeededIds(2) };
  const embedded = new Embedded({ plan: plan(graph, { shards: 1, files: new Set(['orders']) }), ...ports });
  const raw = Array.from(
    { length: records },
    (_, i): RawRecord => ({
      value: { customer: `c${i % 3}`, at: 1_000 + i },
      id: String(i),
      arrival: MIN_TIMESTAMP,
      ...facts,
    }),
  );
  async function* input() {
    yield raw;
  }
  expect(await run({ embedded, clock, inputs: new Map([['orders', input()]]) })).toBe(records);
  const positions = states.map(({ position }) => position);
  const taken = positions.map((position, i) => position - (positions[i - 1] ?? 0)).filter((step) => step > 0);
  // One that is published again has the id that it had.
  const published = [...new Map(bus.published.map(({ attributes, data }) => [attributes['id'], data])).values()];
  return { taken, published, states };
}

describe('the records of one commit', () => {
  it('are as many as arrive within a step where they are small', async () => {
    const { taken } = await runOver(1_500, (orders) => orders.writePubSub('out', { data: ({ customer }) => customer }));
    expect(taken).toEqual([1_500]);
  });

  it('are fewer where they were large when they were read', async () => {
    const build = (orders: PCollection<Order>) => orders.writePubSub('out', { data: ({ customer }) => customer });
    const { taken } = await runOver(10, build, { characters: 3_000_000 });
    expect(taken).toEqual([3, 3, 3, 1]);
  });

  it('are fewer where what they send is much, and each is taken once, in order', async () => {
    const { taken, published, states } = await runOver(50, (orders) =>
      orders.writePubSub('out', { data: ({ at }) => String(at).padEnd(900_000, '.') }),
    );
    expect(taken).toEqual([9, 9, 9, 9, 9, 5]);
    expect(published.map((data) => Number.parseInt(data, 10))).toEqual(Array.from({ length: 50 }, (_, i) => 1_000 + i));
    expect(states.map(({ ended }) => ended).indexOf(true)).toBe(states.length - 1);
  });

  it('are fewer where what is combined before it is sent is large', async () => {
    const { taken, published } = await runOver(40, (orders) =>
      orders
        .map('large', ({ customer }) => ({ customer, text: 'x'.repeat(1_000_000) }))
        .keyBy('by-customer', ({ customer }) => customer)
        .window('hourly', fixedWindows('1h'))
        .combinePerKey('orders-each', count())
        .writePubSub('out', { data: ({ key, value }) => `${key} ${value}` }),
    );
    expect(Math.max(...taken)).toBe(1);
    expect([...published].sort()).toEqual(['c0 14', 'c1 13', 'c2 13']);
  });

  it('are fewer where elements fail that are large', async () => {
    const { taken } = await runOver(6, (orders) =>
      orders
        .map('large', ({ customer }) => ({ customer, text: 'x'.repeat(5_000_000) }))
        .keyBy('by-customer', ({ customer }) => customer)
        .window('hourly', fixedWindows('1h'))
        .groupByKey('all'),
    );
    expect(taken).toEqual([2, 2, 2]);
  });
});

describe('what waits between stages', () => {
  const envelope = (target: string, number: number, characters: number): Envelope => ({
    kind: 'envelope',
    target,
    sender: 's',
    number,
    earliest: 0 as EpochMillis,
    count: 1,
    inputWatermark: 0 as EpochMillis,
    body: 'x'.repeat(characters),
  });
  const names = (messages: readonly BusMessage[]) =>
    messages.map((message) => `${message.target} ${message.kind === 'envelope' ? message.number : message.kind}`);
  const lastFirst = (one: BusMessage, other: BusMessage) =>
    (one.target < other.target ? 1 : -1) * (one.target === other.target ? 0 : 1);

  it('is delivered at once where it is little, in order', async () => {
    const bus = new MemoryBus(new SeededIds(1));
    await bus.send([envelope('a~0', 1, 10), envelope('b~0', 1, 10)]);
    expect(names(bus.take(20, lastFirst))).toEqual(['a~0 1', 'b~0 1']);
    expect(bus.take()).toEqual([]);
  });

  it('is delivered in parts where it is much, what is furthest first', async () => {
    const bus = new MemoryBus(new SeededIds(1));
    await bus.send([envelope('a~0', 1, 10), envelope('a~0', 2, 10), envelope('b~0', 1, 10), envelope('b~0', 2, 30)]);
    expect(names(bus.take(25, lastFirst))).toEqual(['b~0 1']);
    expect(names(bus.take(25, lastFirst))).toEqual(['b~0 2']);
    expect(names(bus.take(25, lastFirst))).toEqual(['a~0 1', 'a~0 2']);
    expect(bus.take(25, lastFirst)).toEqual([]);
  });

  it('stays bounded though each stage makes much of little', async () => {
    let most = 0;
    const { send } = MemoryBus.prototype;
    const waiting = new WeakMap<MemoryBus, number>();
    MemoryBus.prototype.send = async function (messages) {
      const sum = messages.reduce(
        (total, message) => total + (message.kind === 'envelope' ? message.body.length : 0),
        0,
      );
      waiting.set(this, (waiting.get(this) ?? 0) + sum);
      most = Math.max(most, waiting.get(this)!);
      await send.call(this, messages);
    };
    const { take } = MemoryBus.prototype;
    MemoryBus.prototype.take = function (...how) {
      const taken = take.apply(this, how);
      const sum = taken.reduce((total, message) => total + (message.kind === 'envelope' ? message.body.length : 0), 0);
      waiting.set(this, (waiting.get(this) ?? 0) - sum);
      return taken;
    };
    try {
      const times = (factor: number) => (text: string) => Array.from({ length: factor }, () => text);
      const { published } = await runOver(40, (orders) =>
        orders
          .map('text', () => 'x'.repeat(20_000))
          .reshuffle('first')
          .flatMap('tenfold', times(10))
          .reshuffle('second')
          .flatMap('tenfold-again', times(10))
          .reshuffle('third')
          .combineGlobally('counted', count())
          .writePubSub('out', { data: String }),
      );
      expect(published).toEqual(['4000']);
    } finally {
      Object.assign(MemoryBus.prototype, { send, take });
    }
    // All of the third stage's elements together have 80 million characters.
    expect(most).toBeLessThan(30_000_000);
  }, 30_000);
});

describe('the rough size of a value', () => {
  it.each<[unknown, number]>([
    ['abc', 3],
    [7, 8],
    [null, 8],
    [{ name: 'abc' }, 8 + 4 + 3],
    [['abc', 'de'], 8 + 5],
    [new Map([['a', 'b']]), 8 + 8 + 2],
    [new Uint8Array(100), 100],
  ])('of %j is %i', (value, size) => {
    expect(roughSize(value)).toBe(size);
  });

  it('of a long list is guessed from its beginning', () => {
    expect(roughSize(Array.from({ length: 100_000 }, () => 'x'.repeat(10)))).toBe(1_000_008);
  });
});
