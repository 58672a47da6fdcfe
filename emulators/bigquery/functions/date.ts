/** DATE and TIME functions, and those on DATETIME: local calendars and clocks. */
import { checkedDays, validDays } from '../values/civil-date.ts';
import { checkedMicros, dayOfMicros, microsOf, timeOfMicros, truncateMicros } from '../values/clock-time.ts';
import {
  addToDate,
  addToDatetime,
  addToTime,
  boundaries,
  bucketStart,
  intervalBetween,
  justify,
  negated,
} from '../values/date-arithmetic.ts';
import { diffDays, lastDay, truncateDays } from '../values/date-part.ts';
import { extractFromDate, extractFromDatetime, extractFromInterval, extractFromTime } from '../values/extract.ts';
import { checkedInterval, type Interval, intervalOf, parseInterval } from '../values/interval.ts';
import { strftime } from '../values/strftime.ts';
import { strptimeLocal } from '../values/strptime.ts';
import { ValueError } from '../values/value-error.ts';
import { define, js } from './definition.ts';
import { timestampTrunc } from './timestamp-trunc.ts';

function dateFromParts(year: bigint, month: bigint, day: bigint): number {
  const days = validDays(Number(year), Number(month), Number(day));
  if (days === undefined)
    throw new ValueError(
      `Input calculates to invalid date: ${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`,
    );
  return days;
}

function timeFromParts(hour: bigint, minute: bigint, second: bigint): bigint {
  if (hour < 0n || hour > 23n || minute < 0n || minute > 59n || second < 0n || second > 59n) {
    throw new ValueError(`Input calculates to invalid time: ${hour}:${minute}:${second}`);
  }
  return (hour * 3600n + minute * 60n + second) * 1_000_000n;
}

const EPOCH_BUCKET_ORIGIN = microsOf(validDays(1950, 1, 1) ?? 0);

function makeInterval(year = 0n, month = 0n, day = 0n, hour = 0n, minute = 0n, second = 0n): Interval {
  return checkedInterval({
    months: Number(year * 12n + month),
    days: Number(day),
    micros: (hour * 3600n + minute * 60n + second) * 1_000_000n,
  });
}

const dateAdd = js('DATE, INTERVAL -> DATE', addToDate);
const dateSub = js('DATE, INTERVAL -> DATE', (days: number, interval: Interval) => addToDate(days, negated(interval)));
const datetimeAdd = js('DATETIME, INTERVAL -> DATETIME', addToDatetime);
const datetimeSub = js('DATETIME, INTERVAL -> DATETIME', (micros: bigint, interval: Interval) =>
  addToDatetime(micros, negated(interval)),
);
/** The names of either take both types, and give back what they were given. */
export const datetimeTrunc = js('DATETIME, part<datetime> -> DATETIME', truncateMicros);

export const DATE_FUNCTIONS = [
  define('DATE_FROM_PARTS', js('INT64, INT64, INT64 -> DATE', dateFromParts)),
  define('DATE_ADD', dateAdd),
  define('DATE_SUB', dateSub),
  define(
    'DATE_DIFF',
    js('DATE, DATE, part<date> -> INT64', (to: number, from: number, part: string) => BigInt(diffDays(to, from, part))),
  ),
  define(
    'DATE_BUCKET',
    js('DATE, INTERVAL, DATE? -> DATE', (days: number, width: Interval, origin?: number) =>
      dayOfMicros(bucketStart(microsOf(days), width, origin === undefined ? EPOCH_BUCKET_ORIGIN : microsOf(origin))),
    ),
  ),
  define(
    'DATE_FROM_UNIX_DATE',
    js('INT64 -> DATE', (days: bigint) => checkedDays(Number(days))),
  ),
  define(
    'UNIX_DATE',
    js('DATE -> INT64', (days: number) => BigInt(days)),
  ),
  define(
    'FORMAT_DATE',
    js('STRING, DATE -> STRING', (format: string, days: number) =>
      strftime(format, { localMicros: microsOf(days), only: 'date' }),
    ),
    js('STRING, DATETIME -> STRING', (format: string, micros: bigint) => strftime(format, { localMicros: micros })),
  ),
  define(
    'PARSE_DATE',
    js('STRING, STRING -> DATE', (format: string, text: string) => dayOfMicros(strptimeLocal(format, text, 'date'))),
  ),
  define(
    'LAST_DAY',
    js('DATE, part<date>? -> DATE', (days: number, part = 'MONTH') => checkedDays(lastDay(days, part))),
    js('DATETIME, part<date>? -> DATE', (micros: bigint, part = 'MONTH') =>
      checkedDays(lastDay(dayOfMicros(micros), part)),
    ),
  ),
  define('EXTRACT_DATE', js('DATE, STRING -> INT64', extractFromDate)),
  define('EXTRACT_DATETIME', js('DATETIME, STRING -> INT64', extractFromDatetime)),
  define('EXTRACT_TIME', js('TIME, STRING -> INT64', extractFromTime)),
  define('EXTRACT_INTERVAL', js('INTERVAL, STRING -> INT64', extractFromInterval)),
  define(
    'DATE_MINUS_DATE',
    js('DATE, DATE -> INTERVAL', (to: number, from: number) =>
      checkedInterval({ months: 0, days: to - from, micros: 0n }),
    ),
  ),
  define(
    'DATE_PLUS_DAYS',
    js('DATE, INT64 -> DATE', (days: number, more: bigint) => checkedDays(days + Number(more))),
  ),

  define(
    'DATETIME_FROM_PARTS',
    js(
      'INT64, INT64, INT64, INT64, INT64, INT64 -> DATETIME',
      (y: bigint, mo: bigint, d: bigint, h: bigint, mi: bigint, s: bigint) =>
        microsOf(dateFromParts(y, mo, d), timeFromParts(h, mi, s)),
    ),
  ),
  define(
    'DATETIME_FROM_DATE_AND_TIME',
    js('DATE, TIME -> DATETIME', (days: number, time: bigint) => microsOf(days, time)),
  ),
  define('DATETIME_ADD', datetimeAdd),
  define('DATETIME_SUB', datetimeSub),
  define('DATETIME_DIFF', js('DATETIME, DATETIME, part<datetime> -> INT64', boundaries)),
  define('DATETIME_TRUNC', datetimeTrunc, timestampTrunc),
  define(
    'DATE_TRUNC_DATE',
    js('DATE, part<date> -> DATE', (days: number, part: string) => checkedDays(truncateDays(days, part))),
  ),
  define(
    'DATETIME_BUCKET',
    js('DATETIME, INTERVAL, DATETIME? -> DATETIME', (micros: bigint, width: Interval, origin = EPOCH_BUCKET_ORIGIN) =>
      checkedMicros(bucketStart(micros, width, origin), 'DATETIME'),
    ),
  ),
  define(
    'FORMAT_DATETIME',
    js('STRING, DATETIME -> STRING', (format: string, micros: bigint) => strftime(format, { localMicros: micros })),
  ),
  define(
    'PARSE_DATETIME',
    js('STRING, STRING -> DATETIME', (format: string, text: string) =>
      checkedMicros(strptimeLocal(format, text, 'datetime'), 'DATETIME'),
    ),
  ),
  define('DATETIME_MINUS_DATETIME', js('DATETIME, DATETIME -> INTERVAL', intervalBetween)),

  define('TIME_FROM_PARTS', js('INT64, INT64, INT64 -> TIME', timeFromParts)),
  define('TIME_ADD', js('TIME, INTERVAL -> TIME', addToTime)),
  define(
    'TIME_SUB',
    js('TIME, INTERVAL -> TIME', (micros: bigint, interval: Interval) => addToTime(micros, negated(interval))),
  ),
  define('TIME_DIFF', js('TIME, TIME, part<time> -> INT64', boundaries)),
  define('TIME_TRUNC', js('TIME, part<time> -> TIME', truncateMicros)),
  define(
    'FORMAT_TIME',
    js('STRING, TIME -> STRING', (format: string, micros: bigint) =>
      strftime(format, { localMicros: micros, only: 'time' }),
    ),
  ),
  define(
    'PARSE_TIME',
    js('STRING, STRING -> TIME', (format: string, text: string) => timeOfMicros(strptimeLocal(format, text, 'time'))),
  ),

  define('INTERVAL_OF', js('INT64, STRING -> INTERVAL', intervalOf)),
  define('INTERVAL_FROM_TEXT', js('STRING, STRING, STRING -> INTERVAL', parseInterval)),
  define(
    'MAKE_INTERVAL',
    js(
      'year:INT64?=0, month:INT64?=0, day:INT64?=0, hour:INT64?=0, minute:INT64?=0, second:INT64?=0 -> INTERVAL',
      makeInterval,
    ),
  ),
  define(
    'JUSTIFY_DAYS',
    js('INTERVAL -> INTERVAL', (interval: Interval) => justify(interval, false, true)),
  ),
  define(
    'JUSTIFY_HOURS',
    js('INTERVAL -> INTERVAL', (interval: Interval) => justify(interval, true, false)),
  ),
  define(
    'JUSTIFY_INTERVAL',
    js('INTERVAL -> INTERVAL', (interval: Interval) => justify(interval, true, true)),
  ),
];
