/** INTERVAL: months, days and microseconds, each with its own sign. */
import { checkedInt64 } from './integer.ts';
import { ValueError } from './value-error.ts';

export interface Interval {
  readonly months: number;
  readonly days: number;
  readonly micros: bigint;
}

const MAX_MONTHS = 120_000;
const MAX_DAYS = 3_660_000;
const MAX_MICROS = 316_224_000_000_000_000n;

/** @throws {ValueError} beyond ±10,000 years in any of the three. */
export function checkedInterval(interval: Interval): Interval {
  const { months, days, micros } = interval;
  if (Math.abs(months) > MAX_MONTHS || Math.abs(days) > MAX_DAYS || micros > MAX_MICROS || micros < -MAX_MICROS) {
    throw new ValueError('Interval value is out of allowed range');
  }
  return interval;
}

/** One part's worth of an interval: its months, days and microseconds per unit. */
const UNITS: Readonly<Record<string, Interval>> = {
  YEAR: { months: 12, days: 0, micros: 0n },
  QUARTER: { months: 3, days: 0, micros: 0n },
  MONTH: { months: 1, days: 0, micros: 0n },
  WEEK: { months: 0, days: 7, micros: 0n },
  DAY: { months: 0, days: 1, micros: 0n },
  HOUR: { months: 0, days: 0, micros: 3_600_000_000n },
  MINUTE: { months: 0, days: 0, micros: 60_000_000n },
  SECOND: { months: 0, days: 0, micros: 1_000_000n },
  MILLISECOND: { months: 0, days: 0, micros: 1_000n },
  MICROSECOND: { months: 0, days: 0, micros: 1n },
};

export const INTERVAL_PARTS: readonly string[] = Object.keys(UNITS);

/** `INTERVAL count part`. */
export function intervalOf(count: bigint, part: string): Interval {
  const unit = UNITS[part];
  if (!unit) throw new ValueError(`Invalid interval part ${part}`);
  return checkedInterval({
    months: Number(count * BigInt(unit.months)),
    days: Number(count * BigInt(unit.days)),
    micros: checkedInt64(count * unit.micros, `INTERVAL ${count} ${part}`),
  });
}

/** `INTERVAL '…' FROM TO TO`: which figures the text holds, in order, for each pair of parts. */
const RANGES: Readonly<Record<string, RegExp>> = {
  'YEAR TO MONTH': /^(?<ym>[+-])?(?<y>\d+)-(?<mo>\d+)$/,
  'YEAR TO DAY': /^(?<ym>[+-])?(?<y>\d+)-(?<mo>\d+) (?<ds>[+-])?(?<d>\d+)$/,
  'YEAR TO HOUR': /^(?<ym>[+-])?(?<y>\d+)-(?<mo>\d+) (?<ds>[+-])?(?<d>\d+) (?<ts>[+-])?(?<h>\d+)$/,
  'YEAR TO MINUTE': /^(?<ym>[+-])?(?<y>\d+)-(?<mo>\d+) (?<ds>[+-])?(?<d>\d+) (?<ts>[+-])?(?<h>\d+):(?<mi>\d+)$/,
  'YEAR TO SECOND':
    /^(?<ym>[+-])?(?<y>\d+)-(?<mo>\d+) (?<ds>[+-])?(?<d>\d+) (?<ts>[+-])?(?<h>\d+):(?<mi>\d+):(?<s>\d+)(?:\.(?<f>\d{1,9}))?$/,
  'MONTH TO DAY': /^(?<ym>[+-])?(?<mo>\d+) (?<ds>[+-])?(?<d>\d+)$/,
  'MONTH TO HOUR': /^(?<ym>[+-])?(?<mo>\d+) (?<ds>[+-])?(?<d>\d+) (?<ts>[+-])?(?<h>\d+)$/,
  'MONTH TO MINUTE': /^(?<ym>[+-])?(?<mo>\d+) (?<ds>[+-])?(?<d>\d+) (?<ts>[+-])?(?<h>\d+):(?<mi>\d+)$/,
  'MONTH TO SECOND':
    /^(?<ym>[+-])?(?<mo>\d+) (?<ds>[+-])?(?<d>\d+) (?<ts>[+-])?(?<h>\d+):(?<mi>\d+):(?<s>\d+)(?:\.(?<f>\d{1,9}))?$/,
  'DAY TO HOUR': /^(?<ds>[+-])?(?<d>\d+) (?<ts>[+-])?(?<h>\d+)$/,
  'DAY TO MINUTE': /^(?<ds>[+-])?(?<d>\d+) (?<ts>[+-])?(?<h>\d+):(?<mi>\d+)$/,
  'DAY TO SECOND': /^(?<ds>[+-])?(?<d>\d+) (?<ts>[+-])?(?<h>\d+):(?<mi>\d+):(?<s>\d+)(?:\.(?<f>\d{1,9}))?$/,
  'HOUR TO MINUTE': /^(?<ts>[+-])?(?<h>\d+):(?<mi>\d+)$/,
  'HOUR TO SECOND': /^(?<ts>[+-])?(?<h>\d+):(?<mi>\d+):(?<s>\d+)(?:\.(?<f>\d{1,9}))?$/,
  'MINUTE TO SECOND': /^(?<ts>[+-])?(?<mi>\d+):(?<s>\d+)(?:\.(?<f>\d{1,9}))?$/,
};

/** Reads `INTERVAL '1-2 3 4:5:6' YEAR TO SECOND` and its shorter forms. */
export function parseInterval(text: string, from: string, to: string): Interval {
  const groups = RANGES[`${from} TO ${to}`]?.exec(text.trim())?.groups;
  if (!groups) throw new ValueError(`Invalid INTERVAL literal '${text.slice(0, 100)}' for ${from} TO ${to}`);
  const figure = (name: string) => Number(groups[name] ?? 0);
  const sign = (name: string) => (groups[name] === '-' ? -1 : 1);
  const seconds = BigInt(figure('h')) * 3600n + BigInt(figure('mi')) * 60n + BigInt(figure('s'));
  const micros = seconds * 1_000_000n + BigInt((groups.f ?? '').slice(0, 6).padEnd(6, '0'));
  return checkedInterval({
    months: sign('ym') * (figure('y') * 12 + figure('mo')),
    days: sign('ds') * figure('d'),
    micros: sign('ts') < 0 ? -micros : micros,
  });
}

/** Reads the canonical `Y-M D H:M:S[.F]`, in full or one of its shorter forms. */
export function parseIntervalText(text: string): Interval {
  const pairs = ['YEAR TO SECOND', 'DAY TO SECOND', 'HOUR TO SECOND', 'YEAR TO DAY', 'YEAR TO MONTH'] as const;
  const pair = pairs.find((candidate) => RANGES[candidate]?.test(text.trim()));
  if (!pair) throw new ValueError(`Invalid INTERVAL value '${text.slice(0, 100)}'`);
  const [from = '', to = ''] = pair.split(' TO ');
  return parseInterval(text, from, to);
}

/** The canonical `Y-M D H:M:S[.F]`. */
export function formatInterval({ months, days, micros }: Interval): string {
  const absoluteMonths = Math.abs(months);
  const absolute = micros < 0n ? -micros : micros;
  const seconds = absolute / 1_000_000n;
  const fraction = String(absolute % 1_000_000n).padStart(6, '0');
  const shown = fraction === '000000' ? '' : `.${fraction.endsWith('000') ? fraction.slice(0, 3) : fraction}`;
  const yearMonth = `${months < 0 ? '-' : ''}${Math.floor(absoluteMonths / 12)}-${absoluteMonths % 12}`;
  return `${yearMonth} ${days} ${micros < 0n ? '-' : ''}${seconds / 3600n}:${(seconds / 60n) % 60n}:${seconds % 60n}${shown}`;
}
