/**
 * What card-activity must give for transactions of which none is late: a plain batch computation, in integers of its own
 * making, that shares no code with the pipeline.
 */
import type { CardTransaction, FxRatesMessage } from './card-activity-input.ts';

export interface Truth {
  /** `card category window_start` → `transactions usd`. */
  readonly spend: Readonly<Record<string, string>>;
  /** `card started` → `ended transactions usd`. */
  readonly sessions: Readonly<Record<string, string>>;
  /** `card hour`, sorted. */
  readonly alerts: readonly string[];
  readonly unknownCurrency: number;
  readonly refusedByModel: number;
  readonly malformed: number;
}

const HOUR = 3_600_000;
const FIVE_MINUTES = 300_000;
const QUIET = 1_800_000;
const THRESHOLD = 500_000n;
const CATEGORIES: Readonly<Record<string, string>> = {
  'Corner Shop': 'groceries',
  'Metro Line': 'transport',
  'Bistro Nord': 'restaurants',
  'Volt Store': 'electronics',
  'Quay Books': 'other',
};

interface Paid {
  readonly card: string;
  readonly at: number;
  readonly merchant: string;
  readonly cents: bigint;
}

export function cardActivityTruth(
  transactions: readonly CardTransaction[],
  rates: readonly FxRatesMessage[],
  malformed: number,
): Truth {
  const paid: Paid[] = [];
  let unknownCurrency = 0;
  for (const { card, at, amount, currency, merchant } of transactions) {
    const instant = Date.parse(at);
    const hour = rates.find((each) => Date.parse(each.hour) === Math.floor(instant / HOUR) * HOUR);
    const rate = currency === 'USD' ? '1' : hour?.usd[currency];
    if (rate === undefined) unknownCurrency += 1;
    else paid.push({ card, at: instant, merchant, cents: centsOf(amount, rate) });
  }
  return {
    spend: spendOf(paid),
    sessions: sessionsOf(paid),
    alerts: alertsOf(paid),
    unknownCurrency,
    refusedByModel: paid.filter(({ merchant }) => CATEGORIES[merchant] === undefined).length,
    malformed,
  };
}

/** amount × rate × 100, rounded half to even, in whole numbers. */
function centsOf(amount: string, rate: string): bigint {
  const [a, aDigits] = scaled(amount);
  const [r, rDigits] = scaled(rate);
  const unit = 10n ** BigInt(aDigits + rDigits);
  const product = a * r * 100n;
  const [whole, rest] = [product / unit, product % unit];
  const twice = rest * 2n;
  return twice > unit || (twice === unit && whole % 2n === 1n) ? whole + 1n : whole;
}

function scaled(text: string): [value: bigint, digits: number] {
  const [whole = '', fraction = ''] = text.split('.');
  return [BigInt(whole + fraction), fraction.length];
}

function usd(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

function spendOf(paid: readonly Paid[]): Record<string, string> {
  const totals = new Map<string, { n: number; cents: bigint }>();
  for (const { card, at, merchant, cents } of paid) {
    const category = CATEGORIES[merchant];
    if (category === undefined) continue;
    const place = `${card} ${category} ${iso(Math.floor(at / FIVE_MINUTES) * FIVE_MINUTES)}`;
    const total = totals.get(place) ?? { n: 0, cents: 0n };
    totals.set(place, { n: total.n + 1, cents: total.cents + cents });
  }
  return Object.fromEntries([...totals].map(([place, { n, cents }]) => [place, `${n} ${usd(cents)}`]));
}

function sessionsOf(paid: readonly Paid[]): Record<string, string> {
  const sessions: Record<string, string> = {};
  for (const card of new Set(paid.map((each) => each.card))) {
    const own = paid.filter((each) => each.card === card).sort((a, b) => a.at - b.at);
    for (let i = 0; i < own.length; ) {
      let last = i;
      while (last + 1 < own.length && own[last + 1]!.at < own[last]!.at + QUIET) last += 1;
      const session = own.slice(i, last + 1);
      const cents = session.reduce((total, each) => total + each.cents, 0n);
      sessions[`${card} ${iso(own[i]!.at)}`] = `${iso(own[last]!.at)} ${session.length} ${usd(cents)}`;
      i = last + 1;
    }
  }
  return sessions;
}

function alertsOf(paid: readonly Paid[]): string[] {
  const spent = new Map<string, bigint>();
  for (const { card, at, cents } of paid) {
    const place = `${card} ${iso(Math.floor(at / HOUR) * HOUR)}`;
    spent.set(place, (spent.get(place) ?? 0n) + cents);
  }
  return [...spent].flatMap(([place, cents]) => (cents >= THRESHOLD ? [place] : [])).sort();
}
