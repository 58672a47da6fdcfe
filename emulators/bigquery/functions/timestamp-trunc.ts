/** Truncation of instants: under every name of the TRUNC functions that takes a TIMESTAMP. */
import { checkedMicros, truncateMicros } from '../values/clock-time.ts';
import { TIME_PARTS } from '../values/date-part.ts';
import { instantOf, localOf } from '../values/time-zone.ts';
import { js } from './definition.ts';

function truncateTimestamp(micros: bigint, part: string, zone = 'UTC'): bigint {
  if (TIME_PARTS.includes(part) && part !== 'HOUR') return truncateMicros(micros, part);
  return checkedMicros(instantOf(truncateMicros(localOf(micros, zone), part), zone), 'TIMESTAMP');
}

export const timestampTrunc = js('TIMESTAMP, part<timestamp>, STRING? -> TIMESTAMP', truncateTimestamp);
