/**
 * Time in one place. Invariant: every instant is whole milliseconds since 1970 (`EpochMillis`) inside
 * [`MIN_TIMESTAMP`, `MAX_TIMESTAMP`]; every length of time is whole milliseconds (`Millis`). Both are branded, so that
 * one cannot be passed for the other, nor a bare number for either.
 */
import { ConfigurationError } from './errors.ts';

declare const unit: unique symbol;

/** An instant: whole milliseconds since 1970-01-01T00:00:00Z. May be negative. */
export type EpochMillis = number & { readonly [unit]: 'EpochMillis' };

/** A length of time in whole milliseconds, zero or more unless said otherwise. */
export type Millis = number & { readonly [unit]: 'Millis' };

/** How authors write a length of time: milliseconds as a number, or a whole number and a unit, e.g. `'90s'`, `'10m'`, `'24h'`. */
export type Duration = number | `${number}${DurationUnit}`;
export type DurationUnit = 'ms' | 's' | 'm' | 'h' | 'd';

/**
 * The first and last instants there are: the range of a JavaScript `Date`. They stand for minus and plus infinity in
 * watermarks. (Beam's own sentinels lie beyond 2^53 and cannot be held in a number; catalogue R12.)
 */
export const MIN_TIMESTAMP = -8.64e15 as EpochMillis;
export const MAX_TIMESTAMP = 8.64e15 as EpochMillis;

/** The last instant that an element may have: one day before `MAX_TIMESTAMP`, so that "after everything" stays expressible. */
export const MAX_ELEMENT_TIMESTAMP = (8.64e15 - 86_400_000) as EpochMillis;

const UNITS: Record<DurationUnit, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d+)(ms|s|m|h|d)$/;

/** Marks a number of milliseconds as an instant, clamped into the range there is. */
export function epochMillis(value: number): EpochMillis {
  if (value <= MIN_TIMESTAMP) return MIN_TIMESTAMP;
  if (value >= MAX_TIMESTAMP) return MAX_TIMESTAMP;
  return value as EpochMillis;
}

/** `at + by`, clamped; the ends of time stay where they are. */
export function plus(at: EpochMillis, by: number): EpochMillis {
  return at === MIN_TIMESTAMP || at === MAX_TIMESTAMP ? at : epochMillis(at + by);
}

export function earlier(a: EpochMillis, b: EpochMillis): EpochMillis {
  return a < b ? a : b;
}

export function later(a: EpochMillis, b: EpochMillis): EpochMillis {
  return a > b ? a : b;
}

/** Whether a value can be an element's timestamp: a whole number of milliseconds strictly inside the range of time. */
export function isElementTimestamp(value: unknown): value is EpochMillis {
  return Number.isInteger(value) && (value as number) > MIN_TIMESTAMP && (value as number) <= MAX_ELEMENT_TIMESTAMP;
}

/**
 * Reads a length of time.
 * @param field the name to blame in an error, e.g. `'fixedWindows(size)'`
 * @throws {ConfigurationError} when it is not a whole number of milliseconds, or below `least` (default 0)
 */
export function millis(field: string, duration: Duration, least = 0): Millis {
  const parsed = typeof duration === 'number' ? duration : parseDuration(duration);
  if (!Number.isSafeInteger(parsed) || parsed < least) {
    const atLeast = least === 0 ? 'zero or more' : `${least} or more`;
    throw new ConfigurationError(
      `${field}: expected whole milliseconds, ${atLeast}, or a text such as '90s', '10m', '24h'; got ${JSON.stringify(duration)} (${typeof duration})`,
    );
  }
  return parsed as Millis;
}

function parseDuration(text: string): number {
  const match = DURATION.exec(text);
  return match ? Number(match[1]) * UNITS[match[2] as DurationUnit] : Number.NaN;
}

/** ISO text of an instant, or the words for the ends of time. For people; never parsed back. */
export function describeInstant(at: EpochMillis): string {
  if (at <= MIN_TIMESTAMP) return 'the beginning of time';
  if (at >= MAX_TIMESTAMP) return 'the end of time';
  return new Date(at).toISOString();
}
