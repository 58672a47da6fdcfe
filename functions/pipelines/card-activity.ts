/**
 * What cards do, as it happens: the whole pattern book in one pipeline.
 *
 *   transactions (JSON, schema-checked, id and event time in fields)
 *     → each once: publishers repeat themselves, so ids are remembered for 24 hours of event time
 *     → US dollars, by the exchange rates of the hour, which arrive as a stream of their own
 *     → alerts: the first time in an hour that a card has spent more than a threshold
 *     → sessions: what a card did until it was quiet for 30 minutes
 *     → categories: what kind of merchant it was, by a model
 *     → spend of a card in five minutes: early each minute, on time, and corrected for an hour
 *
 * Transactions in an unknown currency, malformed ones and those that the model refuses are dead letters with their reason.
 * Money is exact: decimal texts in, whole cents out, nothing in floating point.
 */
import { Decimal } from 'decimal.js';
import { z } from 'zod';
import {
  afterCount,
  afterProcessingTime,
  afterWatermark,
  boundedOutOfOrderness,
  combiningState,
  count,
  combineFields,
  emits,
  eventTimer,
  fixedWindows,
  globalWindow,
  PoisonError,
  repeatedly,
  pipeline,
  sum,
  utc,
  valueState,
  vertexEndpoint,
} from '../index.ts';

const Instant = z
  .string()
  .refine((text) => !Number.isNaN(utc(text)), 'expected a date and time such as 2026-09-26T10:00:00Z');
const Money = z.string().regex(/^\d{1,12}(\.\d{1,4})?$/, "expected a decimal text such as '12.50'");

const Transaction = z.object({
  id: z.string().min(1),
  card: z.string().min(1),
  at: Instant,
  amount: Money,
  currency: z.string().regex(/^[A-Z]{3}$/, 'expected three capital letters'),
  merchant: z.string().min(1),
  /** When it arrived; only in replays. */
  arrived: Instant.optional(),
});
type Transaction = z.infer<typeof Transaction>;

/** What a unit of each currency is worth in an hour. A later message about the same hour corrects an earlier one. */
const FxRates = z.object({ hour: Instant, usd: z.record(z.string(), z.string().regex(/^\d+(\.\d+)?$/)) });
type FxRates = z.infer<typeof FxRates>;

/** A transaction in US cents. */
interface Spend {
  readonly id: string;
  readonly card: string;
  readonly merchant: string;
  readonly cents: number;
}

const ALERT_CENTS = 500_000;
const QUIET = 30 * 60_000;

const model = vertexEndpoint('merchant-category');

/** Categories for runs without Vertex AI: by the first word of a merchant's name. */
export const localModel = (instance: unknown): unknown => {
  const { merchant } = instance as { merchant: string };
  const word = merchant.split(' ')[0]!.toLowerCase();
  if (word === 'unclassifiable') throw new Error(`no category fits '${merchant}'`);
  return {
    category: { corner: 'groceries', metro: 'transport', bistro: 'restaurants', volt: 'electronics' }[word] ?? 'other',
  };
};

export default pipeline('card-activity', (p) => {
  const rates = p
    .readPubSub('fx-rates', { schema: FxRates, eventTime: ({ hour }) => hour, watermark: boundedOutOfOrderness('5m') })
    .window('rates-of-the-hour', fixedWindows('1h'), {
      // Whoever waits for the rates of an hour gets them as soon as they are there, not when the hour is over.
      trigger: afterWatermark({ early: afterCount(1) }),
      allowedLateness: 0,
      accumulation: 'accumulating',
    })
    .latestGlobally('newest-rates')
    .asSingleton('rates', { default: null });

  const spends = p
    .readPubSub('transactions', {
      schema: Transaction,
      eventTime: ({ at }) => at,
      arrivalTime: ({ at, arrived }) => arrived ?? at,
      watermark: boundedOutOfOrderness('10m'),
    })
    .deduplicate('each-once', { by: ({ id }) => id, horizon: '24h', clock: 'event' })
    .window('hour-of-the-rate', fixedWindows('1h'))
    .parDo('to-usd', { process: inUsd }, { sideInputs: { rates } });

  const byCard = spends.keyBy('by-card', ({ card }) => card);

  byCard
    .statefulParDo('hourly-threshold', {
      emits: emits<{ card: string; hour: string; threshold: string }>(),
      state: { spent: combiningState(sum()), alerted: valueState<boolean>() },
      process({ key, value }, { state, output, window }) {
        state.spent.add(value.cents);
        if (state.spent.read() < ALERT_CENTS || state.alerted.read()) return;
        state.alerted.write(true);
        output({ card: key, hour: new Date(window.start).toISOString(), threshold: dollars(ALERT_CENTS) });
      },
    })
    .writePubSub('alerts', {
      topic: 'card-alerts',
      // Stable: whoever receives an alert twice can tell.
      id: ({ card, hour }) => `${card} ${hour}`,
      attributes: () => ({ priority: 'high' }),
    });

  byCard
    .window('all-time', globalWindow(), { trigger: repeatedly(afterCount(1)), accumulation: 'discarding' })
    .statefulParDo(
      'session',
      {
        emits: emits<{ card: string; from: number; to: number; transactions: number; cents: number }>(),
        state: {
          from: valueState<number>(),
          to: valueState<number>(),
          counted: combiningState(count()),
          spent: combiningState(sum()),
        },
        timers: { quiet: eventTimer() },
        process({ value }, { state, timers, timestamp }) {
          if (state.from.read() === undefined) state.from.write(timestamp);
          state.to.write(timestamp);
          state.counted.add(1);
          state.spent.add(value.cents);
          timers.quiet.withOutputTimestamp(timestamp).set(timestamp + QUIET - 1);
        },
        onTimer: {
          quiet({ key, state, output }) {
            const [from, to] = [state.from.read()!, state.to.read()!];
            output({ card: key, from, to, transactions: state.counted.read(), cents: state.spent.read() });
            for (const each of [state.from, state.to, state.counted, state.spent]) each.clear();
          },
        },
      },
      // A session is made of what happened in order, not of what came in order.
      { timeSorted: true },
    )
    .writeBigQuery('sessions', {
      columns: { card: 'STRING', started: 'TIMESTAMP', ended: 'TIMESTAMP', transactions: 'INT64', usd: 'NUMERIC' },
      key: ['card', 'started'],
      partitionBy: 'started',
      row: ({ card, from, to, transactions, cents }) => ({
        card,
        started: from,
        ended: to,
        transactions,
        usd: dollars(cents),
      }),
    });

  spends
    .enrichWithModel('category', {
      model,
      instance: ({ merchant }) => ({ merchant }),
      prediction: z.object({ category: z.string() }),
      output: (spend, { category }) => ({ ...spend, category }),
      requestsPerMinute: 6_000,
    })
    .keyBy('by-card-and-category', ({ card, category }) => [card, category])
    .window('five-minutes', fixedWindows('5m'), {
      trigger: afterWatermark({ early: afterProcessingTime('1m'), late: afterCount(1) }),
      allowedLateness: '1h',
      accumulation: 'accumulating',
    })
    .combinePerKey('spend', combineFields({ transactions: count<Spend>(), cents: sum(({ cents }: Spend) => cents) }))
    .writeBigQuery('card-spend', {
      columns: {
        card: 'STRING',
        category: 'STRING',
        window_start: 'TIMESTAMP',
        transactions: 'INT64',
        usd: 'NUMERIC',
        pane_timing: 'STRING',
      },
      key: ['card', 'category', 'window_start'],
      partitionBy: 'window_start',
      row: ({ key: [card, category], value }, { window, pane }) => ({
        card,
        category,
        window_start: window.start,
        transactions: value.transactions,
        usd: dollars(value.cents),
        pane_timing: pane.timing,
      }),
    });
});

function inUsd(
  { id, card, merchant, amount, currency }: Transaction,
  { side, output }: { side: { rates: FxRates | null }; output(spend: Spend): void },
): void {
  const rate = currency === 'USD' ? '1' : side.rates?.usd[currency];
  if (rate === undefined) throw new PoisonError(`no rate of ${currency} to USD in this hour`);
  const cents = new Decimal(amount).times(rate).times(100).toDecimalPlaces(0, Decimal.ROUND_HALF_EVEN);
  output({ id, card, merchant, cents: cents.toNumber() });
}

/** Whole cents as a decimal text. */
function dollars(cents: number): string {
  return new Decimal(cents).div(100).toFixed(2);
}
