/** Times of day and date-times as microseconds: a TIME since midnight, a DATETIME or TIMESTAMP since 1970-01-01T00:00:00. */
import { checkedDays, formatDate, MAX_DAYS, MIN_DAYS } from './civil-date.ts';
import { MICROS_PER_DAY, PART_MICROS, TIME_PARTS, truncateDays } from './date-part.ts';
import { ValueError } from './value-error.ts';

export const MIN_MICROS = BigInt(MIN_DAYS) * MICROS_PER_DAY;
export const MAX_MICROS = BigInt(MAX_DAYS + 1) * MICROS_PER_DAY - 1n;

/** Division that rounds down, so that instants before 1970 fall on the right day. */
export function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

export function floorModulo(value: bigint, by: bigint): bigint {
  const rest = value % by;
  return rest < 0n ? rest + by : rest;
}

export function dayOfMicros(micros: bigint): number {
  return Number(floorDivide(micros, MICROS_PER_DAY));
}

export function timeOfMicros(micros: bigint): bigint {
  return floorModulo(micros, MICROS_PER_DAY);
}

export function microsOf(days: number, time = 0n): bigint {
  return BigInt(days) * MICROS_PER_DAY + time;
}

/** @throws {ValueError} outside 0001-01-01 00:00:00 to 9999-12-31 23:59:59.999999. */
export function checkedMicros(micros: bigint, what: 'TIMESTAMP' | 'DATETIME'): bigint {
  if (micros < MIN_MICROS || micros > MAX_MICROS) {
    throw new ValueError(`${what} is outside the range 0001-01-01 00:00:00 to 9999-12-31 23:59:59.999999`);
  }
  return micros;
}

/** Truncates a date-time to any part, `WEEK(MONDAY)` and `MILLISECOND` alike. */
export function truncateMicros(micros: bigint, part: string): bigint {
  const unit = PART_MICROS[part];
  if (unit !== undefined && TIME_PARTS.includes(part)) return floorDivide(micros, unit) * unit;
  return microsOf(checkedDays(truncateDays(dayOfMicros(micros), part)));
}

/** `''`, `.123` or `.123456`: fractions are shown in groups of three digits, as ZetaSQL does. */
export function formatFraction(micros: bigint): string {
  const digits = String(floorModulo(micros, 1_000_000n)).padStart(6, '0');
  if (digits === '000000') return '';
  return `.${digits.endsWith('000') ? digits.slice(0, 3) : digits}`;
}

/** `HH:MM:SS` without a fraction. */
export function formatClock(timeMicros: bigint): string {
  const seconds = Number(timeMicros / 1_000_000n);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${pad(Math.floor(seconds / 3600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
}

export function formatTime(timeMicros: bigint): string {
  return formatClock(timeMicros) + formatFraction(timeMicros);
}

/** `YYYY-MM-DD HH:MM:SS[.fff[fff]]` with the separator asked for. */
export function formatDatetime(micros: bigint, separator: ' ' | 'T' = ' '): string {
  return formatDate(dayOfMicros(micros)) + separator + formatTime(timeOfMicros(micros));
}
