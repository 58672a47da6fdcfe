/** Values in BigQuery's answers: `{"f":[{"v":…}]}`, everything a string, a STRUCT again an `f`, an ARRAY a list of `v`. */
import { BIGNUMERIC_SCALE, NUMERIC_SCALE } from '../types/storage.ts';
import type { Type } from '../types/type.ts';
import { formatDate } from '../values/civil-date.ts';
import { floorModulo, formatClock, formatDatetime, timeOfMicros } from '../values/clock-time.ts';
import { formatDecimal } from '../values/decimal.ts';
import { formatFloatWire } from '../values/float.ts';
import { formatInterval, type Interval } from '../values/interval.ts';
import { ValueError } from '../values/value-error.ts';

/** How TIMESTAMPs are shown: seconds with a fraction, as ever; microseconds; or ISO 8601. */
export type TimestampFormat = 'FLOAT64' | 'INT64' | 'ISO8601_STRING';

export type WireValue = null | string | { readonly f: readonly WireCell[] } | readonly WireCell[];
export interface WireCell {
  readonly v: WireValue;
}

/** Six digits, or none when the second is whole. */
function fraction(micros: bigint): string {
  const digits = String(floorModulo(micros, 1_000_000n)).padStart(6, '0');
  return digits === '000000' ? '' : `.${digits}`;
}

function timestamp(micros: bigint, format: TimestampFormat): string {
  if (format === 'INT64') return String(micros);
  if (format === 'FLOAT64') return formatFloatWire(Number(micros) / 1e6);
  return `${formatDatetime(micros, 'T').slice(0, 19)}${fraction(micros)}Z`;
}

type Writer = (value: unknown) => WireValue;

function scalarWriter(type: Type, format: TimestampFormat): (value: never) => string {
  switch (type.kind) {
    case 'FLOAT64':
      return formatFloatWire;
    case 'NUMERIC':
      return (value: bigint) => formatDecimal(value, NUMERIC_SCALE);
    case 'BIGNUMERIC':
      return (value: bigint) => formatDecimal(value, BIGNUMERIC_SCALE);
    case 'BYTES':
      return (value: Uint8Array) => Buffer.from(value).toString('base64');
    case 'DATE':
      return formatDate;
    case 'DATETIME':
      return (value: bigint) => formatDatetime(value, 'T').slice(0, 19) + fraction(value);
    case 'TIME':
      return (value: bigint) => formatClock(timeOfMicros(value)) + fraction(value);
    case 'TIMESTAMP':
      return (value: bigint) => timestamp(value, format);
    case 'INTERVAL':
      return (value: Interval) => formatInterval(value);
    default:
      return String;
  }
}

/**
 * How values of a type are shown. A NULL array is shown as an empty one, as BigQuery stores it.
 * @throws {ValueError} from the writer, for an array that holds a NULL.
 */
export function wireWriter(type: Type, format: TimestampFormat): Writer {
  if (type.kind === 'ARRAY') {
    const element = wireWriter(type.element, format);
    return (value) =>
      ((value ?? []) as readonly unknown[]).map((item) => {
        if (item === null) throw new ValueError('Array cannot have a null element; error in writing field');
        return { v: element(item) };
      });
  }
  if (type.kind === 'STRUCT') {
    const fields = type.fields.map((field) => wireWriter(field.type, format));
    return (value) =>
      value === null
        ? null
        : { f: fields.map((field, index) => ({ v: field((value as readonly unknown[])[index] ?? null) })) };
  }
  const write = scalarWriter(type, format) as (value: unknown) => string;
  return (value) => (value === null || value === undefined ? null : write(value));
}
