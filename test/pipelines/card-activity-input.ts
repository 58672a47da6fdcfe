/**
 * Input for `functions/pipelines/card-activity.ts`, made from a seed, with what must come out of it.
 *
 *     node test/pipelines/card-activity-input.ts --out DIR [--transactions N] [--seed S]
 *
 * writes transactions.jsonl and fx_rates.jsonl, in order of arrival, and truth.json. Among the transactions are duplicates
 * (a tenth), disorder (up to nine minutes), bursts, one hot card (a fifth), unknown currencies, malformed records and
 * merchants that the model refuses. Rates are real (see fixtures/fx-rates.json).
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SeededIds } from '../../functions/local/virtual-clock.ts';
import { cardActivityTruth, type Truth } from './card-activity-truth.ts';

export interface CardTransaction {
  readonly id: string;
  readonly card: string;
  readonly at: string;
  readonly amount: string;
  readonly currency: string;
  readonly merchant: string;
  readonly arrived: string;
}

export interface FxRatesMessage {
  readonly hour: string;
  readonly usd: Readonly<Record<string, string>>;
}

export interface CardActivityInput {
  readonly transactions: readonly unknown[];
  readonly fxRates: readonly FxRatesMessage[];
  readonly truth: Truth;
}

interface FxFixture {
  readonly days: readonly { readonly date: string; readonly usd_per_unit: Readonly<Record<string, string>> }[];
}

const START = Date.UTC(2026, 8, 26, 8);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MERCHANTS = ['Corner Shop', 'Metro Line', 'Bistro Nord', 'Volt Store', 'Quay Books'];
const CURRENCIES = ['USD', 'EUR', 'GBP', 'JPY', 'CHF', 'SEK', 'INR', 'BRL', 'CAD'];

/** @param count transactions before they are doubled; they come about two a second */
export async function cardActivityInput(seed: number, count: number): Promise<CardActivityInput> {
  const random = new SeededIds(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.random() * from.length)]!;
  const transactions: CardTransaction[] = [];
  let at = START;
  for (let i = 0; i < count; i++) {
    // Bursts: a third of the time nothing is between two of them.
    at += random.random() < 0.33 ? 0 : Math.floor(random.random() * 1_500);
    const card = random.random() < 0.2 ? 'card-hot' : `card-${Math.floor(random.random() * Math.max(3, count / 40))}`;
    const arrived = at + Math.floor(random.random() * 9 * MINUTE);
    transactions.push({
      id: `t${i}`,
      card,
      at: new Date(at).toISOString(),
      amount: (Math.floor(random.random() * 30_000) / 100).toFixed(2),
      currency: random.random() < 0.01 ? 'XXX' : pick(CURRENCIES),
      merchant: random.random() < 0.005 ? 'Unclassifiable GmbH' : pick(MERCHANTS),
      arrived: new Date(arrived).toISOString(),
    });
  }
  const fxRates = await hourlyRates(START, at + 2 * HOUR);
  const doubled = transactions.flatMap((each) =>
    random.random() < 0.1
      ? [each, { ...each, arrived: later(each, Math.floor((random.random() * 9 + 0.01) * MINUTE)) }]
      : [each],
  );
  const arrivals = doubled.sort((a, b) => a.arrived.localeCompare(b.arrived));
  const malformed = Math.ceil(count / 200);
  const records: unknown[] = [...arrivals];
  for (let i = 0; i < malformed; i++) records.splice(Math.floor(random.random() * records.length), 0, broken(i));
  return { transactions: records, fxRates, truth: cardActivityTruth(transactions, fxRates, malformed) };
}

/** Arrives again, but never so late that it could be late. */
function later({ at }: CardTransaction, by: number): string {
  return new Date(Math.min(Date.parse(at) + by, Date.parse(at) + 9 * MINUTE)).toISOString();
}

function broken(i: number): unknown {
  const kinds: readonly unknown[] = [
    { id: `broken${i}` },
    { id: `broken${i}`, card: 'c', at: 'soon', amount: '1', currency: 'EUR', merchant: 'M' },
    { id: `broken${i}`, card: 'c', at: '2026-09-26T10:00:00Z', amount: 12.5, currency: 'EUR', merchant: 'M' },
    `broken ${i}`,
    null,
  ];
  return kinds[i % kinds.length];
}

async function hourlyRates(from: number, to: number): Promise<FxRatesMessage[]> {
  const { days } = JSON.parse(await readFile(new URL('fixtures/fx-rates.json', import.meta.url), 'utf8')) as FxFixture;
  const rates: FxRatesMessage[] = [];
  for (let hour = Math.floor(from / HOUR) * HOUR; hour <= to; hour += HOUR) {
    const date = new Date(hour).toISOString().slice(0, 10);
    const day = days.find((each) => each.date === date) ?? days.at(-1)!;
    rates.push({ hour: new Date(hour).toISOString(), usd: day.usd_per_unit });
  }
  return rates;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      transactions: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
    },
  });
  if (values.out === undefined) throw new Error('--out DIR says where to write');
  const { transactions, fxRates, truth } = await cardActivityInput(Number(values.seed), Number(values.transactions));
  await mkdir(values.out, { recursive: true });
  const lines = (records: readonly unknown[]): string =>
    records.map((record) => `${JSON.stringify(record)}\n`).join('');
  await writeFile(join(values.out, 'transactions.jsonl'), lines(transactions));
  await writeFile(join(values.out, 'fx_rates.jsonl'), lines(fxRates));
  await writeFile(join(values.out, 'truth.json'), JSON.stringify(truth, undefined, 1));
}
