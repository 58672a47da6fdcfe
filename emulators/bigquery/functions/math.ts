/** Mathematical functions. */
import { exactRound } from '../values/exact-round.ts';
import { NUMERIC_SCALE } from '../types/storage.ts';
import {
  type DecimalType,
  decimalFromDouble,
  divideDecimal,
  doubleFromDecimal,
  multiplyDecimal,
  roundDecimal,
  scaleOf,
} from '../values/decimal.ts';
import { formatFloat } from '../values/float.ts';
import { checkedInt64 } from '../values/integer.ts';
import { ValueError } from '../values/value-error.ts';
import { define, js, native, total } from './definition.ts';
import { checkedFloat, divideFloat } from './operator.ts';

/** A finite result, or an error that shows the call. */
function finite(name: string, compute: (...args: number[]) => number): (...args: number[]) => number {
  return (...args) => {
    const result = compute(...args);
    if (Number.isFinite(result) || args.some((arg) => !Number.isFinite(arg))) return result;
    throw new ValueError(`Floating point error in function: ${name}(${args.map(formatFloat).join(', ')})`);
  };
}

/** Rounds half away from zero at so many decimals, on the double's shortest decimal spelling. */
const roundFloat = (value: number, digits = 0n) => exactRound(value, digits, 'away');
const truncFloat = (value: number, digits = 0n) => exactRound(value, digits, 'truncate');

function rounding(half: 'away' | 'even' | 'truncate', type: DecimalType) {
  return (value: bigint, digits = 0n) =>
    roundDecimal(value, scaleOf(type), Number(digits < -60n ? -60n : digits > 60n ? 60n : digits), half);
}

function roundWithMode(type: DecimalType) {
  return (value: bigint, digits: bigint, mode: string) => {
    if (mode !== 'ROUND_HALF_AWAY_FROM_ZERO' && mode !== 'ROUND_HALF_EVEN')
      throw new ValueError(`Invalid rounding mode: ${mode}`);
    return rounding(mode === 'ROUND_HALF_EVEN' ? 'even' : 'away', type)(value, digits);
  };
}

function toward(direction: 'up' | 'down', type: DecimalType) {
  const unit = 10n ** BigInt(scaleOf(type));
  return (value: bigint) => {
    const whole = (value / unit) * unit;
    if (whole === value) return value;
    if (direction === 'up') return value > 0n ? whole + unit : whole;
    return value < 0n ? whole - unit : whole;
  };
}

function power(base: number, exponent: number): number {
  if (base === 0 && exponent < 0)
    throw new ValueError(`Floating point error in function: POW(${formatFloat(base)}, ${formatFloat(exponent)})`);
  const result = base ** exponent;
  if (base === 1 || exponent === 0) return 1;
  if (Number.isFinite(result) || !Number.isFinite(base) || !Number.isFinite(exponent)) return result;
  throw new ValueError(`Floating point error in function: POW(${formatFloat(base)}, ${formatFloat(exponent)})`);
}

/** Powers of decimals with whole exponents are exact; others go by way of FLOAT64. */
function decimalPower(type: DecimalType) {
  const one = 10n ** BigInt(scaleOf(type));
  return (base: bigint, exponent: bigint) => {
    if (exponent % one !== 0n || exponent < 0n) {
      return decimalFromDouble(
        power(doubleFromDecimal(base, scaleOf(type)), doubleFromDecimal(exponent, scaleOf(type))),
        type,
      );
    }
    let result = one;
    for (let left = exponent / one, square = base; left > 0n; left /= 2n) {
      if (left % 2n === 1n) result = multiplyDecimal(result, square, type);
      if (left > 1n) square = multiplyDecimal(square, square, type);
    }
    return result;
  };
}

function logarithm(value: number, name: string): number {
  if (value <= 0) throw new ValueError(`Floating point error in function: ${name}(${formatFloat(value)})`);
  return Math.log(value);
}

function log(value: number, base?: number): number {
  if (base === undefined) return logarithm(value, 'LOG');
  if (base <= 0 || base === 1)
    throw new ValueError(`Floating point error in function: LOG(${formatFloat(value)}, ${formatFloat(base)})`);
  if (base === 10) return Math.log10(positive(value));
  if (base === 2) return Math.log2(positive(value));
  return logarithm(value, 'LOG') / Math.log(base);
}

function positive(value: number): number {
  logarithm(value, 'LOG');
  return value;
}

function div(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new ValueError(`division by zero: ${a} / ${b}`);
  return checkedInt64(a / b, `${a} / ${b}`);
}

function mod(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new ValueError(`division by zero: MOD(${a}, ${b})`);
  return a % b;
}

function divDecimal(type: DecimalType) {
  const unit = 10n ** BigInt(scaleOf(type));
  return (a: bigint, b: bigint) => {
    if (b === 0n) throw new ValueError('division by zero: DIV(x, 0)');
    return (a / b) * unit;
  };
}

function rangeBucket(point: unknown, boundaries: readonly unknown[]): bigint {
  const low = boundaries.findIndex((boundary) => (boundary as number) > (point as number));
  return BigInt(low < 0 ? boundaries.length : low);
}

const orNull =
  <A extends unknown[], R>(compute: (...args: A) => R) =>
  (...args: A): R | null => {
    try {
      return compute(...args);
    } catch {
      return null;
    }
  };

const int64 = (operator: string, compute: (a: bigint, b: bigint) => bigint) => (a: bigint, b: bigint) =>
  checkedInt64(compute(a, b), `${a} ${operator} ${b}`);

const trigonometric = (name: string, compute: (value: number) => number) =>
  define(name, js('FLOAT64 -> FLOAT64', finite(name, compute)));

export const MATH_FUNCTIONS = [
  define(
    'ABS',
    js('INT64 -> INT64', (value: bigint) => checkedInt64(value < 0n ? -value : value, `ABS(${value})`)),
    total('NUMERIC -> NUMERIC', 'abs($1)'),
    total('BIGNUMERIC -> BIGNUMERIC', 'abs($1)'),
    total('FLOAT64 -> FLOAT64', 'abs($1)'),
  ),
  define(
    'SIGN',
    total('INT64 -> INT64', 'CAST(sign($1) AS BIGINT)'),
    total('NUMERIC -> NUMERIC', 'CAST(sign($1) AS DECIMAL(38, 9))'),
    total('BIGNUMERIC -> BIGNUMERIC', 'CAST(sign($1) AS DECIMAL(38, 18))'),
    js('FLOAT64 -> FLOAT64', (value: number) => Math.sign(value)),
  ),
  define('IS_INF', total('FLOAT64 -> BOOL', 'isinf($1)')),
  define('IS_NAN', total('FLOAT64 -> BOOL', 'isnan($1)')),
  define(
    'IEEE_DIVIDE',
    js('FLOAT64, FLOAT64 -> FLOAT64', (a: number, b: number) => a / b),
  ),
  define('RAND', total(' -> FLOAT64', 'random()')),
  define(
    'SQRT',
    js('FLOAT64 -> FLOAT64', sqrt),
    js('NUMERIC -> NUMERIC', (value: bigint) =>
      decimalFromDouble(sqrt(doubleFromDecimal(value, NUMERIC_SCALE)), 'NUMERIC'),
    ),
  ),
  define('CBRT', js('FLOAT64 -> FLOAT64', Math.cbrt)),
  ...['POW', 'POWER'].map((name) =>
    define(
      name,
      js('FLOAT64, FLOAT64 -> FLOAT64', power),
      js('NUMERIC, NUMERIC -> NUMERIC', decimalPower('NUMERIC')),
      js('BIGNUMERIC, BIGNUMERIC -> BIGNUMERIC', decimalPower('BIGNUMERIC')),
    ),
  ),
  define('EXP', js('FLOAT64 -> FLOAT64', finite('EXP', Math.exp))),
  define(
    'LN',
    js('FLOAT64 -> FLOAT64', (value: number) => logarithm(value, 'LN')),
  ),
  define('LOG', js('FLOAT64, FLOAT64? -> FLOAT64', log)),
  define(
    'LOG10',
    js('FLOAT64 -> FLOAT64', (value: number) => log(value, 10)),
  ),
  define(
    'SAFE_DIVIDE',
    js('FLOAT64, FLOAT64 -> FLOAT64', orNull(divideFloat)),
    js(
      'NUMERIC, NUMERIC -> NUMERIC',
      orNull((a: bigint, b: bigint) => divideDecimal(a, b, 'NUMERIC')),
    ),
    js(
      'BIGNUMERIC, BIGNUMERIC -> BIGNUMERIC',
      orNull((a: bigint, b: bigint) => divideDecimal(a, b, 'BIGNUMERIC')),
    ),
  ),
  ...(['ADD', 'SUBTRACT', 'MULTIPLY'] as const).map((name) => {
    const operator = { ADD: '+', SUBTRACT: '-', MULTIPLY: '*' }[name];
    const onIntegers = {
      ADD: (a: bigint, b: bigint) => a + b,
      SUBTRACT: (a: bigint, b: bigint) => a - b,
      MULTIPLY: (a: bigint, b: bigint) => a * b,
    }[name];
    const onDoubles = {
      ADD: (a: number, b: number) => a + b,
      SUBTRACT: (a: number, b: number) => a - b,
      MULTIPLY: (a: number, b: number) => a * b,
    }[name];
    const onDecimals = (type: DecimalType) =>
      name === 'MULTIPLY' ? (a: bigint, b: bigint) => multiplyDecimal(a, b, type) : onIntegers;
    return define(
      `SAFE_${name}`,
      js('INT64, INT64 -> INT64', orNull(int64(operator, onIntegers))),
      js(
        'NUMERIC, NUMERIC -> NUMERIC',
        orNull((a: bigint, b: bigint) => bounded(onDecimals('NUMERIC')(a, b))),
      ),
      js(
        'BIGNUMERIC, BIGNUMERIC -> BIGNUMERIC',
        orNull((a: bigint, b: bigint) => bounded(onDecimals('BIGNUMERIC')(a, b))),
      ),
      js(
        'FLOAT64, FLOAT64 -> FLOAT64',
        orNull((a: number, b: number) => checkedFloat(onDoubles(a, b), a, b, operator)),
      ),
    );
  }),
  define(
    'SAFE_NEGATE',
    js(
      'INT64 -> INT64',
      orNull((value: bigint) => checkedInt64(-value, `-${value}`)),
    ),
    total('NUMERIC -> NUMERIC', '(-$1)'),
    total('BIGNUMERIC -> BIGNUMERIC', '(-$1)'),
    total('FLOAT64 -> FLOAT64', '(-$1)'),
  ),
  define(
    'DIV',
    js('INT64, INT64 -> INT64', div),
    js('NUMERIC, NUMERIC -> NUMERIC', divDecimal('NUMERIC')),
    js('BIGNUMERIC, BIGNUMERIC -> BIGNUMERIC', divDecimal('BIGNUMERIC')),
  ),
  define(
    'MOD',
    js('INT64, INT64 -> INT64', mod),
    js('NUMERIC, NUMERIC -> NUMERIC', mod),
    js('BIGNUMERIC, BIGNUMERIC -> BIGNUMERIC', mod),
  ),
  define(
    'ROUND',
    js('FLOAT64, INT64? -> FLOAT64', roundFloat),
    js('NUMERIC, INT64, STRING -> NUMERIC', roundWithMode('NUMERIC')),
    js('BIGNUMERIC, INT64, STRING -> BIGNUMERIC', roundWithMode('BIGNUMERIC')),
    js('NUMERIC, INT64? -> NUMERIC', rounding('away', 'NUMERIC')),
    js('BIGNUMERIC, INT64? -> BIGNUMERIC', rounding('away', 'BIGNUMERIC')),
  ),
  define(
    'TRUNC',
    js('FLOAT64, INT64? -> FLOAT64', truncFloat),
    js('NUMERIC, INT64? -> NUMERIC', rounding('truncate', 'NUMERIC')),
    js('BIGNUMERIC, INT64? -> BIGNUMERIC', rounding('truncate', 'BIGNUMERIC')),
  ),
  ...(['CEIL', 'CEILING', 'FLOOR'] as const).map((name) => {
    const direction = name === 'FLOOR' ? 'down' : 'up';
    return define(
      name,
      total('FLOAT64 -> FLOAT64', `${name === 'FLOOR' ? 'floor' : 'ceil'}($1)`),
      js('NUMERIC -> NUMERIC', toward(direction, 'NUMERIC')),
      js('BIGNUMERIC -> BIGNUMERIC', toward(direction, 'BIGNUMERIC')),
    );
  }),
  trigonometric('COS', Math.cos),
  trigonometric('COSH', Math.cosh),
  trigonometric('ACOS', Math.acos),
  trigonometric('ACOSH', Math.acosh),
  trigonometric('COT', (value) => 1 / Math.tan(value)),
  trigonometric('COTH', (value) => 1 / Math.tanh(value)),
  trigonometric('CSC', (value) => 1 / Math.sin(value)),
  trigonometric('CSCH', (value) => 1 / Math.sinh(value)),
  trigonometric('SEC', (value) => 1 / Math.cos(value)),
  trigonometric('SECH', (value) => 1 / Math.cosh(value)),
  trigonometric('SIN', Math.sin),
  trigonometric('SINH', Math.sinh),
  trigonometric('ASIN', Math.asin),
  trigonometric('ASINH', Math.asinh),
  trigonometric('TAN', Math.tan),
  trigonometric('TANH', Math.tanh),
  trigonometric('ATAN', Math.atan),
  trigonometric('ATANH', Math.atanh),
  define('ATAN2', js('FLOAT64, FLOAT64 -> FLOAT64', Math.atan2)),
  define(
    'RANGE_BUCKET',
    js('INT64, ARRAY<INT64> -> INT64', rangeBucket),
    js('NUMERIC, ARRAY<NUMERIC> -> INT64', rangeBucket),
    js('FLOAT64, ARRAY<FLOAT64> -> INT64', rangeBucket),
    js('STRING, ARRAY<STRING> -> INT64', rangeBucket),
    js('DATE, ARRAY<DATE> -> INT64', rangeBucket),
    js('TIMESTAMP, ARRAY<TIMESTAMP> -> INT64', rangeBucket),
  ),
  define(
    'BIT_COUNT',
    js('INT64 -> INT64', (value: bigint) => bitCount(BigInt.asUintN(64, value))),
    js('BYTES -> INT64', (bytes: Uint8Array) => bytesBitCount(bytes)),
  ),
  define('COSINE_DISTANCE', native('ARRAY<FLOAT64>, ARRAY<FLOAT64> -> FLOAT64', 'list_cosine_distance($1, $2)')),
  define('EUCLIDEAN_DISTANCE', native('ARRAY<FLOAT64>, ARRAY<FLOAT64> -> FLOAT64', 'list_distance($1, $2)')),
];

function sqrt(value: number): number {
  if (value < 0) throw new ValueError(`Floating point error in function: SQRT(${formatFloat(value)})`);
  return Math.sqrt(value);
}

function bounded(value: bigint): bigint {
  if (value >= 10n ** 38n || value <= -(10n ** 38n)) throw new ValueError('numeric overflow');
  return value;
}

function bitCount(value: bigint): bigint {
  return BigInt(value.toString(2).replaceAll('0', '').length);
}

function bytesBitCount(bytes: Uint8Array): bigint {
  return bytes.reduce((sum, byte) => sum + bitCount(BigInt(byte)), 0n);
}
