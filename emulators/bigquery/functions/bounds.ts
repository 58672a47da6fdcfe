/** Checks of values on their way into columns: length, digits, presence. Each answers the value, or throws with the column's name. */
import { divideRounded, type DecimalType, formatDecimal, scaleOf } from '../values/decimal.ts';
import { characterLength } from '../values/text.ts';
import { ValueError } from '../values/value-error.ts';
import { define, js } from './definition.ts';

function boundedText(kind: 'STRING' | 'BYTES', length: (value: never) => number) {
  return (value: never, limit: bigint, what: string) => {
    const size = length(value);
    if (size > Number(limit))
      throw new ValueError(
        `Field ${what}: ${kind}(${limit}) has maximum length ${limit} but got a value with length ${size}`,
      );
    return value;
  };
}

function boundedDecimal(type: DecimalType) {
  return (value: bigint, precision: bigint, scale: bigint, what: string) => {
    const unit = 10n ** BigInt(Math.max(0, scaleOf(type) - Number(scale)));
    const rounded = divideRounded(value, unit) * unit;
    const limit = 10n ** BigInt(Number(precision - scale) + scaleOf(type));
    if (rounded >= limit || rounded <= -limit) {
      throw new ValueError(
        `Field ${what}: ${type}(${precision}, ${scale}) value is out of range: ${formatDecimal(value, scaleOf(type))}`,
      );
    }
    return rounded;
  };
}

export const BOUNDS_FUNCTIONS = [
  define(
    'BOUNDED_STRING',
    js('STRING, INT64, STRING -> STRING', boundedText('STRING', characterLength as (value: never) => number)),
  ),
  define(
    'BOUNDED_BYTES',
    js(
      'BYTES, INT64, STRING -> BYTES',
      boundedText('BYTES', (value: Uint8Array) => value.length),
    ),
  ),
  define('BOUNDED_NUMERIC', js('NUMERIC, INT64, INT64, STRING -> NUMERIC', boundedDecimal('NUMERIC'))),
  define('BOUNDED_BIGNUMERIC', js('BIGNUMERIC, INT64, INT64, STRING -> BIGNUMERIC', boundedDecimal('BIGNUMERIC'))),
];
