/**
 * Conversions between types, under the names `CAST_from_TO_to`. `compile/cast.ts` calls them; SAFE_CAST calls their safe
 * form. What DuckDB converts exactly as GoogleSQL does is native.
 */
import { checkedDays, formatDate } from '../values/civil-date.ts';
import {
  checkedMicros,
  dayOfMicros,
  formatDatetime,
  formatTime,
  microsOf,
  timeOfMicros,
} from '../values/clock-time.ts';
import {
  type DecimalType,
  decimalFromDouble,
  divideRounded,
  doubleFromDecimal,
  formatDecimal,
  parseDecimal,
} from '../values/decimal.ts';
import { formatFloat, parseFloat64 } from '../values/float.ts';
import { checkedInt64, int64FromDouble, parseInt64 } from '../values/integer.ts';
import { formatInterval, type Interval, parseIntervalText } from '../values/interval.ts';
import { formatTimestamp, parseDate, parseDatetime, parseTime, parseTimestamp } from '../values/parse-time.ts';
import { BIGNUMERIC_SCALE, NUMERIC_SCALE } from '../types/storage.ts';
import { ValueError } from '../values/value-error.ts';
import { instantOf, localOf } from '../values/time-zone.ts';
import { define, js, native, total } from './definition.ts';

function parseBool(text: string): boolean {
  const lower = text.trim().toLowerCase();
  if (lower !== 'true' && lower !== 'false') throw new ValueError(`Bad bool value: ${text.slice(0, 100)}`);
  return lower === 'true';
}

/** @throws {ValueError} when the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ValueError('Invalid UTF-8 in BYTES that are to become a STRING');
  }
}

/** PARSE_NUMERIC: also spaces around a sign, commas between digits, and a sign at the end. */
function looseDecimal(text: string, type: DecimalType): bigint {
  const match = /^\s*([+-]?)\s*([\d,]*\.?\d*(?:[eE][+-]?\d+)?)\s*([+-]?)\s*$/.exec(text);
  const digits = (match?.[2] ?? '').replaceAll(',', '');
  if (!match || !/\d/.test(digits) || (match[1] !== '' && match[3] !== ''))
    throw new ValueError(`Invalid input to PARSE_${type}: "${text.slice(0, 100)}"`);
  return parseDecimal(`${match[1] || match[3]}${digits}`, type);
}

export const PARSE_FUNCTIONS = (['NUMERIC', 'BIGNUMERIC'] as const).map((type) =>
  define(
    `PARSE_${type}`,
    js(`STRING -> ${type}`, (text: string) => looseDecimal(text, type)),
  ),
);

const unscale = (value: bigint, scale: number) =>
  checkedInt64(divideRounded(value, 10n ** BigInt(scale)), formatDecimal(value, scale));
const narrow = (value: bigint) => divideRounded(value, 10n ** BigInt(BIGNUMERIC_SCALE - NUMERIC_SCALE));

export const CAST_FUNCTIONS = [
  define('CAST_STRING_TO_BOOL', js('STRING -> BOOL', parseBool)),
  define('CAST_STRING_TO_INT64', js('STRING -> INT64', parseInt64)),
  define('CAST_STRING_TO_FLOAT64', js('STRING -> FLOAT64', parseFloat64)),
  define(
    'CAST_STRING_TO_NUMERIC',
    js('STRING -> NUMERIC', (text: string) => parseDecimal(text, 'NUMERIC')),
  ),
  define(
    'CAST_STRING_TO_BIGNUMERIC',
    js('STRING -> BIGNUMERIC', (text: string) => parseDecimal(text, 'BIGNUMERIC')),
  ),
  define('CAST_STRING_TO_BYTES', total('STRING -> BYTES', 'encode($1)')),
  define('CAST_STRING_TO_DATE', js('STRING -> DATE', parseDate)),
  define('CAST_STRING_TO_DATETIME', js('STRING -> DATETIME', parseDatetime)),
  define('CAST_STRING_TO_TIME', js('STRING -> TIME', parseTime)),
  define('CAST_STRING_TO_TIMESTAMP', js('STRING, STRING? -> TIMESTAMP', parseTimestamp)),
  define('CAST_STRING_TO_INTERVAL', js('STRING -> INTERVAL', parseIntervalText)),

  define('CAST_BOOL_TO_STRING', total('BOOL -> STRING', 'CAST($1 AS VARCHAR)')),
  define('CAST_BOOL_TO_INT64', total('BOOL -> INT64', 'CAST($1 AS BIGINT)')),
  define('CAST_INT64_TO_STRING', total('INT64 -> STRING', 'CAST($1 AS VARCHAR)')),
  define('CAST_INT64_TO_BOOL', total('INT64 -> BOOL', '($1 <> 0)')),
  define('CAST_INT64_TO_FLOAT64', total('INT64 -> FLOAT64', 'CAST($1 AS DOUBLE)')),
  define('CAST_INT64_TO_NUMERIC', total('INT64 -> NUMERIC', 'CAST($1 AS DECIMAL(38, 9))')),
  define('CAST_INT64_TO_BIGNUMERIC', total('INT64 -> BIGNUMERIC', 'CAST($1 AS DECIMAL(38, 18))')),

  define('CAST_FLOAT64_TO_STRING', js('FLOAT64 -> STRING', formatFloat)),
  define('CAST_FLOAT64_TO_INT64', js('FLOAT64 -> INT64', int64FromDouble)),
  define(
    'CAST_FLOAT64_TO_NUMERIC',
    js('FLOAT64 -> NUMERIC', (value: number) => decimalFromDouble(value, 'NUMERIC')),
  ),
  define(
    'CAST_FLOAT64_TO_BIGNUMERIC',
    js('FLOAT64 -> BIGNUMERIC', (value: number) => decimalFromDouble(value, 'BIGNUMERIC')),
  ),

  define(
    'CAST_NUMERIC_TO_STRING',
    js('NUMERIC -> STRING', (value: bigint) => formatDecimal(value, NUMERIC_SCALE)),
  ),
  define(
    'CAST_NUMERIC_TO_INT64',
    js('NUMERIC -> INT64', (value: bigint) => unscale(value, NUMERIC_SCALE)),
  ),
  define(
    'CAST_NUMERIC_TO_FLOAT64',
    js('NUMERIC -> FLOAT64', (value: bigint) => doubleFromDecimal(value, NUMERIC_SCALE)),
  ),
  define(
    'NUMERIC_TO_FLOAT64',
    js('NUMERIC -> FLOAT64', (value: bigint) => doubleFromDecimal(value, NUMERIC_SCALE)),
  ),
  define('CAST_NUMERIC_TO_BIGNUMERIC', native('NUMERIC -> BIGNUMERIC', 'CAST($1 AS DECIMAL(38, 18))')),
  define(
    'CAST_BIGNUMERIC_TO_STRING',
    js('BIGNUMERIC -> STRING', (value: bigint) => formatDecimal(value, BIGNUMERIC_SCALE)),
  ),
  define(
    'CAST_BIGNUMERIC_TO_INT64',
    js('BIGNUMERIC -> INT64', (value: bigint) => unscale(value, BIGNUMERIC_SCALE)),
  ),
  define(
    'CAST_BIGNUMERIC_TO_FLOAT64',
    js('BIGNUMERIC -> FLOAT64', (value: bigint) => doubleFromDecimal(value, BIGNUMERIC_SCALE)),
  ),
  define(
    'BIGNUMERIC_TO_FLOAT64',
    js('BIGNUMERIC -> FLOAT64', (value: bigint) => doubleFromDecimal(value, BIGNUMERIC_SCALE)),
  ),
  define('CAST_BIGNUMERIC_TO_NUMERIC', js('BIGNUMERIC -> NUMERIC', narrow)),

  define('CAST_BYTES_TO_STRING', js('BYTES -> STRING', decodeUtf8)),

  define('CAST_DATE_TO_STRING', js('DATE -> STRING', formatDate)),
  define('CAST_DATE_TO_DATETIME', total('DATE -> DATETIME', 'CAST($1 AS TIMESTAMP)')),
  define(
    'CAST_DATE_TO_TIMESTAMP',
    js('DATE, STRING? -> TIMESTAMP', (days: number, zone = 'UTC') =>
      checkedMicros(instantOf(microsOf(days), zone), 'TIMESTAMP'),
    ),
  ),
  define(
    'CAST_DATETIME_TO_STRING',
    js('DATETIME -> STRING', (micros: bigint) => formatDatetime(micros)),
  ),
  define('CAST_DATETIME_TO_DATE', total('DATETIME -> DATE', 'CAST($1 AS DATE)')),
  define('CAST_DATETIME_TO_TIME', total('DATETIME -> TIME', 'CAST($1 AS TIME)')),
  define(
    'CAST_DATETIME_TO_TIMESTAMP',
    js('DATETIME, STRING? -> TIMESTAMP', (micros: bigint, zone = 'UTC') =>
      checkedMicros(instantOf(micros, zone), 'TIMESTAMP'),
    ),
  ),
  define('CAST_TIME_TO_STRING', js('TIME -> STRING', formatTime)),
  define(
    'CAST_TIMESTAMP_TO_STRING',
    js('TIMESTAMP, STRING? -> STRING', (micros: bigint, zone = 'UTC') => formatTimestamp(micros, zone)),
  ),
  define(
    'CAST_TIMESTAMP_TO_DATE',
    js('TIMESTAMP, STRING? -> DATE', (micros: bigint, zone = 'UTC') => checkedDays(dayOfMicros(localOf(micros, zone)))),
  ),
  define(
    'CAST_TIMESTAMP_TO_DATETIME',
    js('TIMESTAMP, STRING? -> DATETIME', (micros: bigint, zone = 'UTC') =>
      checkedMicros(localOf(micros, zone), 'DATETIME'),
    ),
  ),
  define(
    'CAST_TIMESTAMP_TO_TIME',
    js('TIMESTAMP, STRING? -> TIME', (micros: bigint, zone = 'UTC') => timeOfMicros(localOf(micros, zone))),
  ),
  define(
    'CAST_INTERVAL_TO_STRING',
    js('INTERVAL -> STRING', (interval: Interval) => formatInterval(interval)),
  ),
];
