import { describe, expect, it } from 'vitest';
import type { SideContext } from '../../../functions/model/dofn.ts';
import { PoisonError } from '../../../functions/model/errors.ts';
import { sum } from '../../../functions/model/combine.ts';
import { pipeline } from '../../../functions/model/pipeline.ts';
import { boundedOutOfOrderness } from '../../../functions/model/source.ts';
import { fixedWindows } from '../../../functions/model/windows.ts';
import { SeededIds } from '../../../functions/local/virtual-clock.ts';
import { runEmbedded, type Trouble } from '../../local/run-embedded.ts';

interface Rate {
  readonly at: number;
  readonly currency: string;
  readonly rate: number;
  readonly note: string;
}
interface Order {
  readonly at: number;
  readonly currency: string;
  readonly amount: number;
}

interface Converted {
  readonly currency: string;
  readonly cents: number;
}

const HOUR = 3_600_000;
const HOURS = 6;
const CURRENCIES = ['CHF', 'EUR', 'GBP', 'JPY'];

/** Orders in the rate of their hour, summed by currency and hour; a currency without a rate is a dead letter. */
const converted = pipeline('converted', (p) => {
  const common = { eventTime: ({ at }: { at: number }) => at, arrivalTime: ({ at }: { at: number }) => at };
  const rates = p
    .readFile<Rate>('rates', {
      schema: { parse: (v) => v as Rate },
      watermark: boundedOutOfOrderness('10m'),
      ...common,
    })
    .window('rate-hours', fixedWindows('1h'))
    .keyBy('rate-currency', ({ currency }) => currency)
    .asMap('rates-by-currency');
  p.readFile<Order>('orders', {
    schema: { parse: (v) => v as Order },
    watermark: boundedOutOfOrderness('30m'),
    ...common,
  })
    .window('order-hours', fixedWindows('1h'))
    .parDo(
      'convert',
      {
        async process({ currency, amount }, context: SideContext<Converted, { rates: typeof rates }>) {
          const rate = await context.side.rates.get(currency);
          if (rate === undefined) throw new PoisonError(`no rate for ${currency}`);
          context.output({ currency, cents: amount * rate.rate });
        },
      },
      { sideInputs: { rates } },
    )
    .keyBy('order-currency', ({ currency }) => currency)
    .combinePerKey(
      'total',
      sum(({ cents }: { cents: number }) => cents),
    )
    .writeBigQuery('totals', {
      table: 'totals',
      columns: { currency: 'STRING', hour: 'TIMESTAMP', cents: 'INT64' },
      key: ['currency', 'hour'],
      row: ({ key, value }, { window }) => ({ currency: key, hour: window.start, cents: value }),
    });
});

/** @param noteLength makes the view of an hour large: above 600 kB it is written outside of commits */
function input(seed: number, noteLength: number) {
  const ids = new SeededIds(seed);
  const rates: Rate[] = [];
  const orders: Order[] = [];
  const totals = new Map<string, number>();
  let unknown = 0;
  for (let hour = 0; hour < HOURS; hour++)
    for (const [i, currency] of CURRENCIES.entries())
      rates.push({ at: hour * HOUR + i, currency, rate: 1 + hour * 10 + i, note: 'x'.repeat(noteLength) });
  for (let n = 0; n < 600; n++) {
    const at = Math.floor((n / 600) * HOURS * HOUR);
    const i = Math.floor(ids.random() * 4.2);
    const currency = CURRENCIES[i] ?? 'XXX';
    const amount = 1 + Math.floor(ids.random() * 100);
    orders.push({ at, currency, amount });
    const hour = Math.floor(at / HOUR);
    const key = `${currency} ${hour}`;
    if (i < 4) totals.set(key, (totals.get(key) ?? 0) + amount * (1 + hour * 10 + i));
    else unknown += 1;
  }
  return { inputs: { rates, orders }, totals, unknown };
}

async function expectTruth(seed: number, noteLength: number, trouble: Trouble): Promise<void> {
  const { inputs, totals, unknown } = input(seed, noteLength);
  const { rows, letters, late, left } = await runEmbedded(converted, inputs, { seed, ...trouble });
  const found = new Map(
    rows('totals').map(({ currency, hour, cents }) => [
      `${currency} ${Date.parse(String(hour)) / HOUR}`,
      Number(cents),
    ]),
  );
  expect([...found].sort()).toEqual([...totals].sort());
  expect(letters.map(({ stage, step, message }) => [stage, step, message])).toEqual(
    Array.from({ length: unknown }, () => ['convert', 'convert', 'no rate for XXX']),
  );
  expect(late).toBe(0);
  expect(left).toEqual([]);
}

const MESSAGES = { lost: 0.1, twice: 0.2, shuffled: true };
const STORE = { down: 0.03, contention: 0.03, answerLost: 0.03 };

describe('side inputs in trouble', () => {
  for (const shards of [1, 4, 16])
    it(`with ${shards} shards the table is the same as a plain loop's`, () => expectTruth(1, 10, { shards }));

  for (let seed = 1; seed <= 4; seed++) {
    it(`so it is when envelopes and ticks are lost, doubled and shuffled (seed ${seed})`, () =>
      expectTruth(seed, 10, { bus: MESSAGES, bundle: 20 }));

    it(`and when commits fail, are fenced off, or their answers get lost (seed ${seed})`, () =>
      expectTruth(seed, 10, { bus: MESSAGES, store: STORE, bundle: 20 }));

    it(`also when versions are too large for one commit (seed ${seed})`, () =>
      expectTruth(seed, 200_000, { bus: MESSAGES, store: STORE, bundle: 20 }));
  }
});
