import { expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { coGroupByKey, emits, fixedWindows, type PCollection, type Pipeline, pipeline } from '../../functions/index.ts';

const Order = z.object({ id: z.string(), sku: z.string() });
type Order = z.infer<typeof Order>;

const built = (write: (orders: PCollection<Order>, p: Pipeline) => void) => () =>
  pipeline('orders', (p) => write(p.readPubSub('orders', { schema: Order }), p));

it.each<[string, (orders: PCollection<Order>) => unknown]>([
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
])('%s takes no async function', (what, write) => {
  expect(built(write)).toThrow(
    `${what}: an async function gives a promise in place of a value; use parDo, whose process may be async`,
  );
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
