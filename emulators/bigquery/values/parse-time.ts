/** Reads the canonical text forms of DATE, TIME, DATETIME and TIMESTAMP. */
import { validDays } from './civil-date.ts';
import { checkedMicros, formatDatetime, formatFraction, microsOf } from './clock-time.ts';
import { formatOffset, instantOf, localOf, zoneOffset } from './time-zone.ts';
import { ValueError } from './value-error.ts';

const DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const TIME = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,9}))?$/;
const DATETIME = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,9}))?)?$/;
const TIMESTAMP =
  /^(\d{4}-\d{1,2}-\d{1,2}(?:[ Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d{0,9})?)?)(?:([Zz])|\s*([+-]\d{1,2}(?::?\d{2})?)|\s+([A-Za-z_][\w/+:-]*))?$/;

/** Microseconds of the digits behind a second's point; more than six are cut off. */
function fraction(digits: string | undefined): bigint {
  return BigInt((digits ?? '').slice(0, 6).padEnd(6, '0'));
}

function clock(hour: string, minute: string, second: string, digits: string | undefined): bigint | undefined {
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  if (h > 23 || m > 59 || s > 59) return undefined;
  return BigInt(h * 3600 + m * 60 + s) * 1_000_000n + fraction(digits);
}

function invalid(what: string, text: string): ValueError {
  return new ValueError(`Invalid ${what}: '${text.length > 100 ? `${text.slice(0, 100)}…` : text}'`);
}

/** Days since 1970-01-01. */
export function parseDate(text: string): number {
  const match = DATE.exec(text.trim());
  const days = match && validDays(Number(match[1]), Number(match[2]), Number(match[3]));
  if (days === null || days === undefined) throw invalid('date', text);
  return days;
}

/** Microseconds since midnight. */
export function parseTime(text: string): bigint {
  const match = TIME.exec(text.trim());
  const micros = match && clock(match[1] ?? '', match[2] ?? '', match[3] ?? '', match[4]);
  if (micros === null || micros === undefined) throw invalid('time string', text);
  return micros;
}

function datetimeOrUndefined(text: string): bigint | undefined {
  const match = DATETIME.exec(text);
  if (!match) return undefined;
  const days = validDays(Number(match[1]), Number(match[2]), Number(match[3]));
  const time = match[4] === undefined ? 0n : clock(match[4], match[5] ?? '', match[6] ?? '', match[7]);
  return days === undefined || time === undefined ? undefined : microsOf(days, time);
}

/** Microseconds since 1970-01-01T00:00:00 of the local clock. */
export function parseDatetime(text: string): bigint {
  const micros = datetimeOrUndefined(text.trim());
  if (micros === undefined) throw invalid('datetime string', text);
  return micros;
}

/** Microseconds since the epoch. A text without a zone is read in `zone`. */
export function parseTimestamp(text: string, zone = 'UTC'): bigint {
  const match = TIMESTAMP.exec(text.trim());
  const local = match ? datetimeOrUndefined(match[1] ?? '') : undefined;
  if (!match || local === undefined) throw invalid('timestamp', text);
  return checkedMicros(instantOf(local, match[2] ? 'UTC' : (match[3] ?? match[4] ?? zone)), 'TIMESTAMP');
}

/** `YYYY-MM-DD HH:MM:SS[.fff[fff]]+00`, in the zone asked for. */
export function formatTimestamp(utcMicros: bigint, zone = 'UTC'): string {
  return formatDatetime(localOf(utcMicros, zone)) + formatOffset(zoneOffset(zone, utcMicros));
}

/** RFC 3339 in UTC, as TO_JSON_STRING shows it. */
export function formatTimestampJson(utcMicros: bigint): string {
  const seconds = formatDatetime(utcMicros, 'T').slice(0, 19);
  return `${seconds}${formatFraction(utcMicros)}Z`;
}
