/** TIMESTAMP functions: instants, and the zones they are seen in. */

import { checkedMicros, floorDivide, microsOf } from '../values/clock-time.ts';
import { addToTimestamp, bucketStart, elapsed, intervalBetween, negated } from '../values/date-arithmetic.ts';
import { extractFromDatetime } from '../values/extract.ts';
import type { Interval } from '../values/interval.ts';
import { strftime } from '../values/strftime.ts';
import { strptimeInstant } from '../values/strptime.ts';
import { localOf, zoneOffset } from '../values/time-zone.ts';
import { datetimeTrunc } from './date.ts';
import { define, js } from './definition.ts';
import { timestampTrunc } from './timestamp-trunc.ts';

function formatIn(format: string, micros: bigint, zone = 'UTC'): string {
  const offsetMicros = zoneOffset(zone, micros);
  return strftime(format, { localMicros: micros + offsetMicros, zone: { name: zone, offsetMicros } });
}

const fromUnix = (unit: bigint) => (value: bigint) => checkedMicros(value * unit, 'TIMESTAMP');
const toUnix = (unit: bigint) => (micros: bigint) => floorDivide(micros, unit);

export const TIMESTAMP_FUNCTIONS = [
  define('TIMESTAMP_ADD', js('TIMESTAMP, INTERVAL -> TIMESTAMP', addToTimestamp)),
  define(
    'TIMESTAMP_SUB',
    js('TIMESTAMP, INTERVAL -> TIMESTAMP', (micros: bigint, interval: Interval) =>
      addToTimestamp(micros, negated(interval)),
    ),
  ),
  define('TIMESTAMP_DIFF', js('TIMESTAMP, TIMESTAMP, part<elapsed> -> INT64', elapsed)),
  define('TIMESTAMP_TRUNC', timestampTrunc, datetimeTrunc),
  define(
    'TIMESTAMP_BUCKET',
    js('TIMESTAMP, INTERVAL, TIMESTAMP? -> TIMESTAMP', (micros: bigint, width: Interval, origin = microsOf(-7305)) =>
      checkedMicros(bucketStart(micros, width, origin), 'TIMESTAMP'),
    ),
  ),
  define('TIMESTAMP_MINUS_TIMESTAMP', js('TIMESTAMP, TIMESTAMP -> INTERVAL', intervalHours)),
  define('FORMAT_TIMESTAMP', js('STRING, TIMESTAMP, STRING? -> STRING', formatIn)),
  define('PARSE_TIMESTAMP', js('STRING, STRING, STRING? -> TIMESTAMP', strptimeInstant)),
  define('TIMESTAMP_SECONDS', js('INT64 -> TIMESTAMP', fromUnix(1_000_000n))),
  define('TIMESTAMP_MILLIS', js('INT64 -> TIMESTAMP', fromUnix(1_000n))),
  define('TIMESTAMP_MICROS', js('INT64 -> TIMESTAMP', fromUnix(1n))),
  define('UNIX_SECONDS', js('TIMESTAMP -> INT64', toUnix(1_000_000n))),
  define('UNIX_MILLIS', js('TIMESTAMP -> INT64', toUnix(1_000n))),
  define('UNIX_MICROS', js('TIMESTAMP -> INT64', toUnix(1n))),
  define(
    'EXTRACT_TIMESTAMP',
    js('TIMESTAMP, STRING, STRING? -> INT64', (micros: bigint, part: string, zone = 'UTC') =>
      extractFromDatetime(localOf(micros, zone), part),
    ),
  ),
];

/** Instants are apart by hours, not days, since days differ in length. */
function intervalHours(to: bigint, from: bigint): Interval {
  const { days, micros } = intervalBetween(to, from);
  return { months: 0, days: 0, micros: BigInt(days) * 86_400_000_000n + micros };
}
