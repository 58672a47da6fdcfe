import { describe, expect, it } from 'vitest';
import { fixedWindows, PoisonError, pipeline, type SideContext } from '../../../functions/index.ts';
import { boundedOutOfOrderness } from '../../../functions/model/source.ts';
import { Driven } from '../driven.ts';

interface Rate {
  readonly at: number;
  readonly currency: string;
  readonly rate: number;
}
interface Order {
  readonly at: number;
  readonly id: string;
  readonly currency: string;
}
interface Priced {
  readonly id: string;
  readonly rate: number;
}

const HOUR = 3_600_000;
const NOON = 1_700_006_400_000;

const priced = pipeline('priced', (p) => {
  const watermark = boundedOutOfOrderness('1m');
  const eventTime = ({ at }: { at: number }): number => at;
  const rates = p
    .readFile<Rate>('rates', { schema: { parse: (value) => value as Rate }, eventTime, watermark })
    .window('rates-hourly', fixedWindows('1h'))
    .keyBy('by-currency', ({ currency }) => currency)
    .mapValues('rate', ({ rate }) => rate)
    .asMap('rates-of-the-hour');
  p.readFile<Order>('orders', { schema: { parse: (value) => value as Order }, eventTime, watermark })
    .window('orders-hourly', fixedWindows('1h'))
    .parDo(
      'price',
      {
        async process({ id, currency }, context: SideContext<Priced, { rates: typeof rates }>) {
          const rate = await context.side.rates.get(currency);
          if (rate === undefined) throw new PoisonError(`no rate for ${currency}`);
          context.output({ id, rate });
        },
      },
      { sideInputs: { rates } },
    )
    .writeBigQuery('write', {
      table: 'prices',
      columns: { id: 'STRING', rate: 'FLOAT64' },
      key: ['id'],
      row: ({ id, rate }) => ({ id, rate }),
    });
});

describe('replaying what failed in a step that reads views', () => {
  it('brings the element back to the step, mended, to see the view of its own window', async () => {
    const driven = await new Driven(priced).start();
    await driven.feed('rates', [
      { at: NOON, currency: 'EUR', rate: 2 },
      { at: NOON + HOUR, currency: 'EUR', rate: 3 },
      { at: NOON + 2 * HOUR, currency: 'EUR', rate: 4 },
    ]);
    await driven.feed('orders', [
      { at: NOON + 1, id: 'good', currency: 'EUR' },
      { at: NOON + 2, id: 'bad', currency: 'EURO' },
    ]);
    expect((await driven.letters()).map(({ kind, stage, step, message }) => [kind, stage, step, message])).toEqual([
      ['element', 'price', 'price', 'no rate for EURO'],
    ]);
    const outcomes = await driven.replay({}, (value) => ({ ...(value as Order), currency: 'EUR' }));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['replayed']);
    await driven.feed('orders', [], true);
    await driven.feed('rates', [], true);
    await driven.embedded.flush();
    expect([...driven.warehouse.rows('prices')].map(({ id, rate }) => [id, rate]).sort()).toEqual([
      ['bad', 2],
      ['good', 2],
    ]);
  });
});
