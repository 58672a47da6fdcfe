/** What operators compile to where DuckDB's own operator means something else. Named after the operator and its operands. */
import { divideDecimal, multiplyDecimal } from '../values/decimal.ts';
import { formatFloat } from '../values/float.ts';
import { checkedInt64 } from '../values/integer.ts';
import { checkedInterval, type Interval } from '../values/interval.ts';
import { ValueError } from '../values/value-error.ts';
import { define, js } from './definition.ts';

/** A finite result of finite operands, or an error: FLOAT64 arithmetic overflows to no infinity in GoogleSQL. */
export function checkedFloat(result: number, a: number, b: number, operator: string): number {
  if (Number.isFinite(result) || !Number.isFinite(a) || !Number.isFinite(b)) return result;
  throw new ValueError(`double overflow: ${formatFloat(a)} ${operator} ${formatFloat(b)}`);
}

export function divideFloat(a: number, b: number): number {
  if (b === 0) throw new ValueError(`division by zero: ${formatFloat(a)} / ${formatFloat(b)}`);
  return checkedFloat(a / b, a, b, '/');
}

const combine = (a: Interval, b: Interval, sign: 1 | -1): Interval =>
  checkedInterval({
    months: a.months + sign * b.months,
    days: a.days + sign * b.days,
    micros: a.micros + BigInt(sign) * b.micros,
  });

function scaleInterval(interval: Interval, by: bigint): Interval {
  return checkedInterval({
    months: Number(BigInt(interval.months) * by),
    days: Number(BigInt(interval.days) * by),
    micros: checkedInt64(interval.micros * by, `${interval.micros} * ${by}`),
  });
}

/** Months that do not divide go over into days of 30 to a month, days into hours. */
function divideInterval(interval: Interval, by: bigint): Interval {
  if (by === 0n) throw new ValueError('division by zero: INTERVAL / 0');
  const divisor = Number(by);
  const months = Math.trunc(interval.months / divisor);
  const daysLeft = interval.days + (interval.months % divisor) * 30;
  const days = Math.trunc(daysLeft / divisor);
  const micros = (interval.micros + BigInt(daysLeft % divisor) * 86_400_000_000n) / by;
  return checkedInterval({ months, days, micros });
}

export const OPERATOR_FUNCTIONS = [
  // Raises its argument as the query's error. A STRING, which casts to every type a CASE may need.
  define(
    'FAIL',
    js('STRING -> STRING', (message: string) => {
      throw new ValueError(message);
    }),
  ),
  // Positions in an array, from 1: checked, or NULL outside.
  define('CHECKED_ORDINAL', js('INT64, INT64, BOOL -> INT64', checkedOrdinal)),
  define(
    'SAFE_ORDINAL',
    js('INT64, INT64 -> INT64', (ordinal: bigint, length: bigint) =>
      ordinal >= 1n && ordinal <= length ? ordinal : null,
    ),
  ),
  define(
    'FLOAT_ADD',
    js('FLOAT64, FLOAT64 -> FLOAT64', (a: number, b: number) => checkedFloat(a + b, a, b, '+')),
  ),
  define(
    'FLOAT_SUBTRACT',
    js('FLOAT64, FLOAT64 -> FLOAT64', (a: number, b: number) => checkedFloat(a - b, a, b, '-')),
  ),
  define(
    'FLOAT_MULTIPLY',
    js('FLOAT64, FLOAT64 -> FLOAT64', (a: number, b: number) => checkedFloat(a * b, a, b, '*')),
  ),
  define('FLOAT_DIVIDE', js('FLOAT64, FLOAT64 -> FLOAT64', divideFloat)),
  define(
    'FLOAT_LESS',
    js('FLOAT64, FLOAT64 -> BOOL', (a: number, b: number) => a < b),
  ),
  define(
    'FLOAT_LESS_EQUAL',
    js('FLOAT64, FLOAT64 -> BOOL', (a: number, b: number) => a <= b),
  ),
  define(
    'FLOAT_EQUAL',
    js('FLOAT64, FLOAT64 -> BOOL', (a: number, b: number) => a === b),
  ),
  define(
    'FLOAT_NOT_EQUAL',
    js('FLOAT64, FLOAT64 -> BOOL', (a: number, b: number) => a !== b),
  ),
  define(
    'NUMERIC_MULTIPLY',
    js('NUMERIC, NUMERIC -> NUMERIC', (a: bigint, b: bigint) => multiplyDecimal(a, b, 'NUMERIC')),
  ),
  define(
    'NUMERIC_DIVIDE',
    js('NUMERIC, NUMERIC -> NUMERIC', (a: bigint, b: bigint) => divideDecimal(a, b, 'NUMERIC')),
  ),
  define(
    'BIGNUMERIC_MULTIPLY',
    js('BIGNUMERIC, BIGNUMERIC -> BIGNUMERIC', (a: bigint, b: bigint) => multiplyDecimal(a, b, 'BIGNUMERIC')),
  ),
  define(
    'BIGNUMERIC_DIVIDE',
    js('BIGNUMERIC, BIGNUMERIC -> BIGNUMERIC', (a: bigint, b: bigint) => divideDecimal(a, b, 'BIGNUMERIC')),
  ),
  define('BYTES_LIKE', js('BYTES, BYTES -> BOOL', bytesLike)),
  define(
    'SHIFT_LEFT',
    js('INT64, INT64 -> INT64', (a: bigint, b: bigint) => shift(a, b, '<<')),
  ),
  define(
    'SHIFT_RIGHT',
    js('INT64, INT64 -> INT64', (a: bigint, b: bigint) => shift(a, b, '>>')),
  ),
  define(
    'INTERVAL_ADD',
    js('INTERVAL, INTERVAL -> INTERVAL', (a: Interval, b: Interval) => combine(a, b, 1)),
  ),
  define(
    'INTERVAL_SUBTRACT',
    js('INTERVAL, INTERVAL -> INTERVAL', (a: Interval, b: Interval) => combine(a, b, -1)),
  ),
  define('INTERVAL_MULTIPLY', js('INTERVAL, INT64 -> INTERVAL', scaleInterval)),
  define('INTERVAL_DIVIDE', js('INTERVAL, INT64 -> INTERVAL', divideInterval)),
  define(
    'INTERVAL_NEGATE',
    js('INTERVAL -> INTERVAL', (interval: Interval) => scaleInterval(interval, -1n)),
  ),
];

function shift(value: bigint, by: bigint, operator: '<<' | '>>'): bigint {
  if (by < 0n) throw new ValueError(`Bitwise shift by negative offset: ${value} ${operator} ${by}`);
  if (by > 63n) return 0n;
  return operator === '<<' ? BigInt.asIntN(64, value << by) : BigInt.asIntN(64, BigInt.asUintN(64, value) >> by);
}

function checkedOrdinal(ordinal: bigint, length: bigint, fromZero: boolean): bigint {
  if (ordinal < 1n || ordinal > length)
    throw new ValueError(`Array index ${fromZero ? ordinal - 1n : ordinal} is out of bounds`);
  return ordinal;
}

/** `%` is any number of bytes, `_` is one; a backslash takes their meaning. */
function bytesLike(value: Uint8Array, pattern: Uint8Array): boolean {
  const byte = (code: number): string => `\\x${code.toString(16).padStart(2, '0')}`;
  let source = '';
  for (let at = 0; at < pattern.length; at++) {
    const code = pattern[at]!;
    if (code === 0x25) source += '[^]*';
    else if (code === 0x5f) source += '[^]';
    else if (code !== 0x5c) source += byte(code);
    else {
      at += 1;
      if (at === pattern.length) throw new ValueError('LIKE pattern ends with a backslash');
      source += byte(pattern[at]!);
    }
  }
  return new RegExp(`^${source}$`).test(Buffer.from(value).toString('latin1'));
}
