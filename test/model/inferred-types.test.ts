/** Types that authors need not help along: what compiles here is the test, as much as what comes out. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { combineFields, count, distinct, fixedWindows, pipeline } from '../../functions/index.ts';
import { testPipeline } from '../../functions/local/testing.ts';

const Sale = z.object({ shop: z.string(), month: z.number(), at: z.number() });
type Sale = z.infer<typeof Sale>;

it('a key of two parts is a pair, a partition in two is two collections', async () => {
  const graph = pipeline('sales', (p) => {
    const sales = p.readPubSub('sales', { schema: Sale, eventTime: ({ at }) => at });
    const [early, late] = sales.partition('halves', 2, ({ month }) => (month > 6 ? 1 : 0));
    early
      .keyBy('by-shop-and-month', ({ shop, month }) => [shop, month])
      .window('days', fixedWindows('1d'))
      .combinePerKey('sold', combineFields({ n: count<Sale>(), times: distinct(({ at }: Sale) => at) }))
      .writeBigQuery('sold-table', {
        columns: { shop: 'STRING', month: 'INT64', n: 'INT64', times: 'JSON' },
        key: ['shop', 'month'],
        row: ({ key: [shop, month], value: { n, times } }) => ({ shop, month, n, times }),
      });
    late.writePubSub('late-sales', {});
  });
  const test = await testPipeline(graph);
  const sale = { shop: 'a', month: 1, at: 5 };
  await test.send('sales', sale, sale, { ...sale, at: 3 }, { ...sale, month: 7 });
  await test.drain();
  expect(await test.rows('sold_table')).toMatchObject([{ shop: 'a', month: 1, n: 3, times: [3, 5] }]);
  expect(test.messages('late-sales')).toHaveLength(1);
});
