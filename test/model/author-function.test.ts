import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type CombineFn,
  coGroupByKey,
  combiningState,
  count,
  emits,
  fixedWindows,
  latest,
  lookUp,
  max,
  mean,
  min,
  type PCollection,
  type Pipeline,
  pipeline,
  sum,
  top,
} from '../../functions/index.ts';
import { httpBatchLookUp, httpLookUp } from '../../functions/cloud/lookup/index.ts';
import { testPipeline } from '../../functions/local/testing.ts';

const Order = z.object({ id: z.string(), sku: z.string() });
type Order = z.infer<typeof Order>;

const built = (write: (orders: PCollection<Order>, p: Pipeline) => void) => () =>
  pipeline('orders', (p) => write(p.readPubSub('orders', { schema: Order }), p));

const byId = (orders: PCollection<Order>) => orders.keyBy('by-id', ({ id }) => id).window('hours', fixedWindows('1h'));
const NOTHING = { get: async (keys: readonly unknown[]) => keys.map(() => undefined) };
const MODEL = {
  model: { kind: 'endpoint' as const, endpoint: 'projects/p/locations/l/endpoints/e' },
  instance: ({ id }: Order) => id,
  prediction: z.string(),
  requestsPerMinute: 60,
};

it.each<[string, (orders: PCollection<Order>, p: Pipeline) => unknown]>([
  ["map 'step'", (orders) => orders.map('step', async (order) => order)],
  ["flatMap 'step'", (orders) => orders.flatMap('step', async function* () {} as never)],
  ["filter 'step'", (orders) => orders.filter('step', (async () => false) as never)],
  ["partition 'step'", (orders) => orders.partition('step', 2, (async () => 1) as never)],
  ["keyBy 'step'", (orders) => orders.keyBy('step', (async () => 'a') as never)],
  ["mapValues 'step'", (orders) => orders.keyBy('by-sku', ({ sku }) => sku).mapValues('step', async (order) => order)],
  [
    "writeBigQuery 'step' row",
    (orders) =>
      orders.writeBigQuery('step', {
        columns: { id: 'STRING' },
        key: ['id'],
        row: (async ({ id }: Order) => ({ id })) as never,
      }),
  ],
  ["withTimestamps 'step'", (orders) => orders.withTimestamps('step', (async () => 0) as never)],
  ["writePubSub 'step' data", (orders) => orders.writePubSub('step', { data: async (order) => order })],
  [
    "writePubSub 'step' attributes",
    (orders) => orders.writePubSub('step', { attributes: (async () => ({})) as never }),
  ],
  ["writePubSub 'step' id", (orders) => orders.writePubSub('step', { id: (async () => 'a') as never })],
  ["deduplicate 'step' by", (orders) => orders.deduplicate('step', { by: (async () => 'a') as never })],
  ["lookUp 'step' key", (orders) => lookUp('step', orders, { key: (async () => 'a') as never, client: () => NOTHING })],
  ["parDo 'step'", (orders) => orders.parDo('step', (async () => ({ process() {} })) as never)],
  ["statefulParDo 'step'", (orders) => byId(orders).statefulParDo('step', (async () => ({ process() {} })) as never)],
  [
    "groupIntoBatches 'step' weigh",
    (orders) => byId(orders).groupIntoBatches('step', { size: 2, weigh: (async () => 1) as never }),
  ],
  [
    "'step': hotKeyFanout",
    (orders) => byId(orders).combinePerKey('step', count(), { hotKeyFanout: (async () => 2) as never }),
  ],
  ["'step' add", (orders) => byId(orders).combinePerKey('step', { ...count(), add: (async () => 1) as never })],
  ["'step' extract", (orders) => byId(orders).combinePerKey('step', { ...count(), extract: async (n: number) => n })],
  [
    "enrichWithModel 'step' instance",
    (orders) => orders.enrichWithModel('step', { ...MODEL, instance: async () => 'a' }),
  ],
  ["enrichWithModel 'step' output", (orders) => orders.enrichWithModel('step', { ...MODEL, output: async () => 'a' })],
  ["source 'more' eventTime", (_, p) => p.readFile('more', { schema: Order, eventTime: (async () => 0) as never })],
  ["source 'more' arrivalTime", (_, p) => p.readFile('more', { schema: Order, arrivalTime: (async () => 0) as never })],
  ["source 'more' id", (_, p) => p.readFile('more', { schema: Order, id: (async () => 'a') as never })],
  ['count(where)', () => count((async () => true) as never)],
  ['sum(of)', () => sum((async () => 1) as never)],
  ['mean(of)', () => mean((async () => 1) as never)],
  ['min(of)', () => min((async () => 1) as never)],
  ['max(of)', () => max((async () => 1) as never)],
  ['top(by)', () => top(1, (async () => 1) as never)],
  ['latest(at)', () => latest((async () => 1) as never)],
  ['combiningState(combine) merge', () => combiningState({ ...count(), merge: (async () => 1) as never })],
  ['httpLookUp request', () => httpLookUp({ request: (async () => '') as never })],
  ['httpLookUp answer', () => httpLookUp({ request: () => '', answer: async () => 1 })],
  ['httpBatchLookUp request', () => httpBatchLookUp({ request: (async () => '') as never, answers: () => [] })],
  [
    'httpBatchLookUp answers',
    () => httpBatchLookUp({ request: () => ({ url: '' }), answers: (async () => []) as never }),
  ],
])('%s takes no async function', (what, write) => {
  expect(built(write)).toThrow(
    `${what}: an async function gives a promise in place of a value; use parDo, whose process may be async`,
  );
});

it('a pipeline is not built by an async function', () => {
  expect(() => pipeline('orders', async () => undefined)).toThrow(
    "pipeline 'orders': the function that builds it is async; a pipeline is built at once, so load what it needs before",
  );
});

/** A promise that nothing shows before it is there. */
const later = (value: unknown): never => Promise.resolve(value) as never;
const never = Promise.reject.bind(Promise) as (error: Error) => Promise<never>;
const late: CombineFn<Order, number, number> = { ...count(), add: () => later(1) };

describe('a function that gives a promise although it is not async', () => {
  it.each<[string, (orders: PCollection<Order>) => unknown]>([
    ["map 'step'", (orders) => orders.map('step', () => later(1)).writePubSub('out', {})],
    [
      "map 'step'",
      (orders) => orders.map('step', () => never(new Error('nobody waits for it'))).writePubSub('out', {}),
    ],
    ["filter 'step'", (orders) => orders.filter('step', () => later(true)).writePubSub('out', {})],
    ["flatMap 'step'", (orders) => orders.flatMap('step', () => later([])).writePubSub('out', {})],
    ["partition 'step'", (orders) => orders.partition('step', 2, () => later(1))[0]!.writePubSub('out', {})],
    ["keyBy 'step'", (orders) => orders.keyBy('step', () => later('a')).writePubSub('out', {})],
    [
      "mapValues 'step'",
      (orders) =>
        byId(orders)
          .mapValues('step', () => later('a'))
          .writePubSub('out', {}),
    ],
    ["withTimestamps 'step'", (orders) => orders.withTimestamps('step', () => later(0)).writePubSub('out', {})],
    ["writePubSub 'step' data", (orders) => orders.writePubSub('step', { data: () => later('a') })],
    [
      "writePubSub 'step' attributes",
      (orders) => orders.writePubSub('step', { attributes: (_, { timestamp }) => later(timestamp) }),
    ],
    ["writePubSub 'step' id", (orders) => orders.writePubSub('step', { id: () => later('a') })],
    [
      "writeBigQuery 'step' row",
      (orders) => orders.writeBigQuery('step', { columns: { id: 'STRING' }, key: ['id'], row: () => later({}) }),
    ],
    ["deduplicate 'step' by", (orders) => orders.deduplicate('step', { by: () => later('a') }).writePubSub('out', {})],
    [
      "lookUp 'step' key",
      (orders) => lookUp('step', orders, { key: () => later('a'), client: () => NOTHING }).writePubSub('out', {}),
    ],
    [
      "enrichWithModel 'step' instance",
      (orders) => orders.enrichWithModel('step', { ...MODEL, instance: () => later('a') }).writePubSub('out', {}),
    ],
    ["'step' add", (orders) => byId(orders).combinePerKey('step', late).writePubSub('out', {})],
    [
      'combiningState(combine) add',
      (orders) =>
        byId(orders).statefulParDo('step', {
          state: { seen: combiningState(late) },
          process: ({ value }, { state }) => state.seen.add(value),
        }),
    ],
    [
      "'step' extract",
      (orders) =>
        byId(orders)
          .combinePerKey('step', { ...count(), extract: () => later(1) })
          .writePubSub('out', {}),
    ],
    [
      "groupIntoBatches 'step' weigh",
      (orders) => byId(orders).groupIntoBatches('step', { size: 2, weigh: () => later(1) }),
    ],
    ["'step': hotKeyFanout", (orders) => byId(orders).combinePerKey('step', count(), { hotKeyFanout: () => later(2) })],
    [
      'count(where)',
      (orders) =>
        byId(orders).combinePerKey(
          'step',
          count(() => later(true)),
        ),
    ],
    [
      'latest(at)',
      (orders) =>
        byId(orders).combinePerKey(
          'step',
          latest(() => later(1)),
        ),
    ],
    [
      'top(by)',
      (orders) =>
        byId(orders).combinePerKey(
          'step',
          top(1, () => later(1)),
        ),
    ],
  ])('%s makes a dead letter that says so', async (what, write) => {
    const test = await testPipeline(built((orders) => write(orders))(), { watch: [], model: () => 'a' });
    await test.send('orders', { id: 'a', sku: 's' }, { id: 'a', sku: 't' });
    await test.drain();
    const messages = new Set(test.deadLetters().map(({ message }) => message));
    expect([...messages].join('\n')).toContain(`${what}: gave a promise in place of a value; use parDo`);
    expect(messages.size).toBe(1);
    const topics = test.plan.graph.nodes.flatMap((node) => (node.kind === 'writePubSub' ? [node.topic] : []));
    expect(topics.flatMap((topic) => test.messages(topic))).toEqual([]);
  });

  it.each(['eventTime', 'arrivalTime', 'id'])('a source names its %s', async (field) => {
    const graph = pipeline('orders', (p) =>
      p.readPubSub('orders', { schema: Order, [field]: () => later(0) }).writePubSub('out', {}),
    );
    const test = await testPipeline(graph);
    await test.send('orders', { id: 'a', sku: 's' });
    expect(test.deadLetters().map(({ kind, message }) => [kind, message])).toEqual([
      ['source', `source 'orders' ${field}: gave a promise in place of a value; use parDo, whose process may be async`],
    ]);
  });

  it('a source names its schema', async () => {
    const graph = pipeline('orders', (p) =>
      p.readPubSub('orders', { schema: { parse: () => later({}) } }).writePubSub('out', {}),
    );
    const test = await testPipeline(graph);
    await test.send('orders', { id: 'a' });
    expect(test.deadLetters().map(({ message }) => message)).toEqual([
      expect.stringContaining("source 'orders' schema.parse: gave a promise in place of a value"),
    ]);
  });
});

it.each([
  [{ attributes: () => ({ count: 7 }) }, "writePubSub 'step' attributes: expected a text for 'count', got 7"],
  [{ id: () => undefined }, "writePubSub 'step': expected a text for 'id', got undefined"],
])('attributes of messages are texts', async (options, message) => {
  const test = await testPipeline(built((orders) => orders.writePubSub('step', options as never))());
  await test.send('orders', { id: 'a', sku: 's' });
  expect(test.deadLetters().map(({ step, ...letter }) => [step, letter.message])).toEqual([['step', message]]);
});

it('names a combine that is none, and what it lacks', () => {
  expect(built((orders) => byId(orders).combinePerKey('step', undefined as never))).toThrow(
    "'step' create: expected a function, got undefined",
  );
  expect(built((orders) => byId(orders).combinePerKey('step', { ...count(), merge: 7 } as never))).toThrow(
    "'step' merge: expected a function, got number",
  );
  expect(() => latest(undefined as never)).toThrow('latest(at): expected a function, got undefined');
});

it('names a step that got no function', () => {
  expect(built((orders) => orders.map('step', undefined as never))).toThrow(
    "map 'step': expected a function, got undefined",
  );
  expect(built((orders) => orders.keyBy('step', null as never))).toThrow("keyBy 'step': expected a function, got null");
});

it('a parDo that is written in place says what it emits, also beside views', () => {
  built((orders, p) => {
    const known = p.readFile('known', { schema: Order }).asList('known-orders');
    const plain = orders.parDo('plain', {
      emits: emits<number>(),
      process({ id }, { output }) {
        output(id.length);
      },
    });
    const beside = orders.parDo(
      'beside',
      {
        emits: emits<{ among: number }>(),
        process(_, { side, output }) {
          expectTypeOf(side.known).toEqualTypeOf<readonly Order[]>();
          output({ among: side.known.length });
        },
      },
      { sideInputs: { known } },
    );
    expectTypeOf(plain.map('a', (value) => value)).toEqualTypeOf<PCollection<number>>();
    expectTypeOf(beside.map('b', (value) => value)).toEqualTypeOf<PCollection<{ among: number }>>();
  })();
});

it('a join has the key of its inputs', () => {
  built((orders) => {
    const left = orders.keyBy('left', ({ sku }) => sku).window('left-hours', fixedWindows('1h'));
    const right = orders.keyBy('right', ({ sku }) => sku).window('right-hours', fixedWindows('1h'));
    coGroupByKey('joined', { left, right }).map('seen', ({ key, value }) => {
      expectTypeOf(key).toEqualTypeOf<string>();
      expectTypeOf(value.left).toEqualTypeOf<readonly Order[]>();
    });
  })();
});
