/** EXTRACT: one part of a date, a time or a date-time. */
import { civilOf, dayOfYear, isoWeek, isoYear, weekday, weekOfYear } from './civil-date.ts';
import { dayOfMicros, timeOfMicros } from './clock-time.ts';
import { firstDayOfWeek } from './date-part.ts';
import type { Interval } from './interval.ts';
import { ValueError } from './value-error.ts';

export function extractFromDate(days: number, part: string): bigint {
  const { year, month, day } = civilOf(days);
  switch (part) {
    case 'DAYOFWEEK':
      return BigInt(weekday(days) + 1);
    case 'DAY':
      return BigInt(day);
    case 'DAYOFYEAR':
      return BigInt(dayOfYear(days));
    case 'ISOWEEK':
      return BigInt(isoWeek(days));
    case 'MONTH':
      return BigInt(month);
    case 'QUARTER':
      return BigInt(Math.floor((month - 1) / 3) + 1);
    case 'YEAR':
      return BigInt(year);
    case 'ISOYEAR':
      return BigInt(isoYear(days).year);
  }
  const firstDay = firstDayOfWeek(part);
  if (firstDay === undefined) throw new ValueError(`A valid date part is required, found ${part}`);
  return BigInt(weekOfYear(days, firstDay));
}

export function extractFromTime(time: bigint, part: string): bigint {
  switch (part) {
    case 'MICROSECOND':
      return time % 1_000_000n;
    case 'MILLISECOND':
      return (time % 1_000_000n) / 1_000n;
    case 'SECOND':
      return (time / 1_000_000n) % 60n;
    case 'MINUTE':
      return (time / 60_000_000n) % 60n;
    case 'HOUR':
      return time / 3_600_000_000n;
    default:
      throw new ValueError(`A valid time part is required, found ${part}`);
  }
}

const TIME_PARTS: ReadonlySet<string> = new Set(['MICROSECOND', 'MILLISECOND', 'SECOND', 'MINUTE', 'HOUR']);

export function extractFromDatetime(micros: bigint, part: string): bigint {
  return TIME_PARTS.has(part)
    ? extractFromTime(timeOfMicros(micros), part)
    : extractFromDate(dayOfMicros(micros), part);
}

export function extractFromInterval({ months, days, micros }: Interval, part: string): bigint {
  switch (part) {
    case 'YEAR':
      return BigInt(Math.trunc(months / 12));
    case 'MONTH':
      return BigInt(months % 12);
    case 'DAY':
      return BigInt(days);
    case 'HOUR':
      return micros / 3_600_000_000n;
    case 'MINUTE':
      return (micros / 60_000_000n) % 60n;
    case 'SECOND':
      return (micros / 1_000_000n) % 60n;
    case 'MILLISECOND':
      return (micros % 1_000_000n) / 1_000n;
    case 'MICROSECOND':
      return micros % 1_000_000n;
    default:
      throw new ValueError(`A valid interval part is required, found ${part}`);
  }
}
