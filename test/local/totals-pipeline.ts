import { z } from 'zod';
import {
  afterCount,
  afterProcessingTime,
  afterWatermark,
  boundedOutOfOrderness,
  combineFields,
  count,
  fixedWindows,
  max,
  pipeline,
  sum,
} from '../../functions/index.ts';

/** What happened (minute `at`), where, how much, and when it was heard of (minute `heard`). */
export const Reading = z.object({ at: z.number(), place: z.string(), amount: z.number(), heard: z.number() });
export type Reading = z.infer<typeof Reading>;

const MINUTE = 60_000;

/** Totals by place and ten minutes; out of order by at most half an hour. */
export const totals = pipeline('totals', (p) => {
  p.readPubSub('readings', {
    schema: Reading,
    eventTime: (reading) => reading.at * MINUTE,
    arrivalTime: (reading) => reading.heard * MINUTE,
    watermark: boundedOutOfOrderness('30m'),
  })
    .keyBy('by-place', (reading) => reading.place)
    .window('ten-minutes', fixedWindows('10m'), {
      trigger: afterWatermark({ early: afterProcessingTime('2m'), late: afterCount(1) }),
      allowedLateness: '20m',
      accumulation: 'accumulating',
    })
    .combinePerKey(
      'total',
      combineFields({
        readings: count(),
        amount: sum((r: Reading) => r.amount),
        largest: max((r: Reading) => r.amount),
      }),
    )
    .writeBigQuery('totals-table', {
      table: 'totals',
      columns: { place: 'STRING', start: 'TIMESTAMP', readings: 'INT64', amount: 'FLOAT64', largest: 'FLOAT64 NULL' },
      key: ['place', 'start'],
      row: ({ key, value }, { window }) => ({ place: key, start: window.start, ...value }),
    });
});

/** What the table must hold for readings of which none is too late, from a plain loop. */
export function expectedTotals(
  readings: readonly Reading[],
): Map<string, { readings: number; amount: number; largest: number }> {
  const expected = new Map<string, { readings: number; amount: number; largest: number }>();
  for (const { place, at, amount } of readings) {
    const start = new Date(Math.floor(at / 10) * 10 * MINUTE).toISOString();
    const total = expected.get(`${place} ${start}`) ?? { readings: 0, amount: 0, largest: Number.NEGATIVE_INFINITY };
    total.readings += 1;
    total.amount += amount;
    total.largest = Math.max(total.largest, amount);
    expected.set(`${place} ${start}`, total);
  }
  return expected;
}
