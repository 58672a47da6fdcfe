/** Date parts: their names, truncation to them, and counting the boundaries between two dates. */
import { civilOf, daysInMonth, daysOf, isoYear, weekday } from './civil-date.ts';
import { ValueError } from './value-error.ts';

const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;

/** Parts of a date that WEEK may name: each with the weekday that starts the week. */
const WEEK_PARTS: readonly string[] = ['WEEK', 'ISOWEEK', ...WEEKDAYS.map((day) => `WEEK(${day})`)];

export const DATE_PARTS: readonly string[] = ['DAY', ...WEEK_PARTS, 'MONTH', 'QUARTER', 'YEAR', 'ISOYEAR'];
export const TIME_PARTS: readonly string[] = ['MICROSECOND', 'MILLISECOND', 'SECOND', 'MINUTE', 'HOUR'];

export const MICROS_PER_DAY = 86_400_000_000n;

/** Microseconds in one of the parts of a time of day, and in a DAY. */
export const PART_MICROS: Readonly<Record<string, bigint>> = {
  MICROSECOND: 1n,
  MILLISECOND: 1_000n,
  SECOND: 1_000_000n,
  MINUTE: 60_000_000n,
  HOUR: 3_600_000_000n,
  DAY: MICROS_PER_DAY,
};

/** The weekday, 0 for Sunday, on which the weeks of a week part begin; `undefined` for other parts. */
export function firstDayOfWeek(part: string): number | undefined {
  if (part === 'WEEK') return 0;
  if (part === 'ISOWEEK') return 1;
  const day = /^WEEK\((.+)\)$/.exec(part)?.[1];
  const index = (WEEKDAYS as readonly (string | undefined)[]).indexOf(day);
  return index < 0 ? undefined : index;
}

/** The first day of the part that a day lies in. */
export function truncateDays(days: number, part: string): number {
  const firstDay = firstDayOfWeek(part);
  if (firstDay !== undefined) return days - ((weekday(days) - firstDay + 7) % 7);
  const { year, month } = civilOf(days);
  switch (part) {
    case 'DAY':
      return days;
    case 'MONTH':
      return daysOf({ year, month, day: 1 });
    case 'QUARTER':
      return daysOf({ year, month: month - ((month - 1) % 3), day: 1 });
    case 'YEAR':
      return daysOf({ year, month: 1, day: 1 });
    case 'ISOYEAR':
      return isoYear(days).start;
    default:
      throw new ValueError(`A valid date part is required, found ${part}`);
  }
}

/** How many boundaries of the part lie between `from` and `to`; negative when `to` is earlier. */
export function diffDays(to: number, from: number, part: string): number {
  if (part === 'DAY') return to - from;
  if (firstDayOfWeek(part) !== undefined) return (truncateDays(to, part) - truncateDays(from, part)) / 7;
  if (part === 'ISOYEAR') return isoYear(to).year - isoYear(from).year;
  const a = civilOf(to);
  const b = civilOf(from);
  if (part === 'YEAR') return a.year - b.year;
  const months = (a.year - b.year) * 12 + (a.month - b.month);
  if (part === 'MONTH') return months;
  if (part === 'QUARTER')
    return (a.year - b.year) * 4 + (Math.floor((a.month - 1) / 3) - Math.floor((b.month - 1) / 3));
  throw new ValueError(`A valid date part is required, found ${part}`);
}

/** The last day of the part that a day lies in. */
function lastDayOfMonth({ year, month }: { readonly year: number; readonly month: number }): number {
  return daysOf({ year, month, day: daysInMonth(year, month) });
}

export function lastDay(days: number, part: string): number {
  const start = truncateDays(days, part);
  if (firstDayOfWeek(part) !== undefined) return start + 6;
  switch (part) {
    case 'MONTH':
      return lastDayOfMonth(civilOf(start));
    case 'QUARTER': {
      const { year, month } = civilOf(start);
      return lastDayOfMonth({ year, month: month + 2 });
    }
    case 'YEAR':
      return daysOf({ year: civilOf(days).year, month: 12, day: 31 });
    case 'ISOYEAR':
      return isoYear(start + 371).start - 1;
    default:
      throw new ValueError(`LAST_DAY does not support the date part ${part}`);
  }
}
