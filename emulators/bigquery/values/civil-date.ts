/**
 * The proleptic Gregorian calendar on plain numbers. A date is its days since 1970-01-01; the range is GoogleSQL's,
 * 0001-01-01 to 9999-12-31, and whatever leaves it throws.
 */
import { ValueError } from './value-error.ts';

export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly day: number;
}

export const MIN_DAYS = -719162;
export const MAX_DAYS = 2932896;

/** Days since 1970-01-01 of a date that is known to exist (Howard Hinnant's `days_from_civil`). */
export function daysOf({ year, month, day }: CivilDate): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146097 + dayOfEra - 719468;
}

export function civilOf(days: number): CivilDate {
  const shifted = days + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (MONTH_LENGTHS[month - 1] ?? 0);
}

/** Days of a year, month and day given by a user; `undefined` when there is no such date in GoogleSQL's range. */
export function validDays(year: number, month: number, day: number): number | undefined {
  if (!(year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)))
    return undefined;
  return daysOf({ year, month, day });
}

/** @throws {ValueError} when the days lie outside GoogleSQL's range. */
export function checkedDays(days: number, what = 'DATE'): number {
  if (!(days >= MIN_DAYS && days <= MAX_DAYS))
    throw new ValueError(`${what} is outside the range 0001-01-01 to 9999-12-31`);
  return days;
}

/** 0 for Sunday to 6 for Saturday. */
export function weekday(days: number): number {
  return (((days + 4) % 7) + 7) % 7;
}

/** 1 for January 1st. */
export function dayOfYear(days: number): number {
  const { year } = civilOf(days);
  return days - daysOf({ year, month: 1, day: 1 }) + 1;
}

/** The ISO 8601 year that holds a day, and the first day (a Monday) of that year. */
export function isoYear(days: number): { readonly year: number; readonly start: number } {
  const thursday = days - ((weekday(days) + 6) % 7) + 3;
  const { year } = civilOf(thursday);
  const fourth = daysOf({ year, month: 1, day: 4 });
  return { year, start: fourth - ((weekday(fourth) + 6) % 7) };
}

/** 1 to 53. */
export function isoWeek(days: number): number {
  return Math.floor((days - isoYear(days).start) / 7) + 1;
}

/** Week of the year from 0, where weeks begin on `firstDay` (0 Sunday … 6 Saturday). */
export function weekOfYear(days: number, firstDay: number): number {
  const { year } = civilOf(days);
  const first = daysOf({ year, month: 1, day: 1 });
  const offset = (firstDay - weekday(first) + 7) % 7;
  return days < first + offset ? 0 : Math.floor((days - first - offset) / 7) + 1;
}

/** The same day so many months on; the last day of the month where that day does not exist. */
export function addMonths(days: number, months: number): number {
  const { year, month, day } = civilOf(days);
  const index = year * 12 + (month - 1) + months;
  const newYear = Math.floor(index / 12);
  if (newYear < 1 || newYear > 9999)
    throw new ValueError('Adding the interval leaves the range of DATE, 0001-01-01 to 9999-12-31');
  const newMonth = index - newYear * 12 + 1;
  return daysOf({ year: newYear, month: newMonth, day: Math.min(day, daysInMonth(newYear, newMonth)) });
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

/** `YYYY-MM-DD`. */
export function formatDate(days: number): string {
  const { year, month, day } = civilOf(days);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}
