/** Means, variances and covariances of doubles, computed exactly and rounded once, as BigQuery's reference implementation gives them. */

/** Doubles as integers of one scale: value = integer × 2^exponent. */
interface Scaled {
  readonly integers: readonly bigint[];
  readonly exponent: number;
}

const view = new DataView(new ArrayBuffer(8));

/** A finite double is an integer of at most 53 bits times a power of two. */
export function doubleParts(value: number): { readonly integer: bigint; readonly exponent: number } {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const size = exponent === 0 ? fraction : fraction | (1n << 52n);
  return { integer: value < 0 ? -size : size, exponent: Math.max(exponent, 1) - 1075 };
}

function scaled(values: readonly number[]): Scaled {
  const all = values.map(doubleParts).filter(({ integer }) => integer !== 0n);
  const exponent = all.reduce((least, one) => Math.min(least, one.exponent), all[0]?.exponent ?? 0);
  return { integers: all.map((one) => one.integer << BigInt(one.exponent - exponent)), exponent };
}

/** The double nearest to `numerator / denominator × 2^exponent`. */
export function nearestDouble(numerator: bigint, denominator: bigint, exponent: number): number {
  if (numerator === 0n) return 0;
  const size = numerator < 0n ? -numerator : numerator;
  // A quotient of about 70 bits: more than a double holds, and less than what makes it infinite.
  const shift = 70 + denominator.toString(2).length - size.toString(2).length;
  const dividend = size << BigInt(Math.max(0, shift));
  const divisor = denominator << BigInt(Math.max(0, -shift));
  const quotient = dividend / divisor;
  // What is cut off breaks a tie, and does nothing else.
  const rounded = Number(dividend % divisor === 0n ? quotient : quotient | 1n);
  const power = exponent - shift;
  const half = Math.trunc(power / 2);
  return (numerator < 0n ? -rounded : rounded) * 2 ** half * 2 ** (power - half);
}

const sum = (integers: readonly bigint[]): bigint => integers.reduce((total, integer) => total + integer, 0n);

/** @returns NaN or an infinity where one is among the values */
export function exactMean(values: readonly number[]): number {
  if (!values.every(Number.isFinite)) return values.reduce((total, value) => total + value, 0) / values.length;
  const { integers, exponent } = scaled(values);
  return nearestDouble(sum(integers), BigInt(values.length), exponent);
}

/**
 * The sum of squared distances from the mean, divided by `count - less`.
 * @param less 1 for a sample's variance, 0 for a population's
 * @returns null for fewer than `less + 1` values; NaN where a value is not finite
 */
export function exactVariance(values: readonly number[], less: 0 | 1): number | null {
  const count = BigInt(values.length);
  if (values.length <= less) return null;
  if (!values.every(Number.isFinite)) return Number.NaN;
  const { integers, exponent } = scaled(values);
  const squares = sum(integers.map((integer) => integer * integer));
  return nearestDouble(count * squares - sum(integers) ** 2n, count * (count - BigInt(less)), 2 * exponent);
}

/** Sums of products of distances from the means, times the count. */
function products(x: readonly bigint[], y: readonly bigint[]): bigint {
  return BigInt(x.length) * sum(x.map((each, i) => each * y[i]!)) - sum(x) * sum(y);
}

/** As integers of one scale each, in the order of the values. */
function inOrder(values: readonly number[]): Scaled {
  const all = values.map(doubleParts);
  const exponent = all.reduce((least, one) => (one.integer === 0n ? least : Math.min(least, one.exponent)), 1_000);
  return {
    integers: all.map(({ integer, exponent: own }) => (integer === 0n ? 0n : integer << BigInt(own - exponent))),
    exponent,
  };
}

/**
 * The sum of products of distances from the means, divided by `count - less`.
 * @param xs as many as `ys`: pairs by their places
 * @returns null for fewer than `less + 1` pairs; NaN where a value is not finite
 */
export function exactCovariance(xs: readonly number[], ys: readonly number[], less: 0 | 1): number | null {
  if (xs.length <= less) return null;
  if (![...xs, ...ys].every(Number.isFinite)) return Number.NaN;
  const [x, y] = [inOrder(xs), inOrder(ys)];
  const count = BigInt(xs.length);
  return nearestDouble(products(x.integers, y.integers), count * (count - BigInt(less)), x.exponent + y.exponent);
}

/**
 * Pearson's coefficient of correlation.
 * @returns null for fewer than two pairs; NaN where a value is not finite, or all of one side are equal
 */
export function exactCorrelation(xs: readonly number[], ys: readonly number[]): number | null {
  if (xs.length < 2) return null;
  if (![...xs, ...ys].every(Number.isFinite)) return Number.NaN;
  const [{ integers: x }, { integers: y }] = [inOrder(xs), inOrder(ys)];
  const both = products(x, y);
  const square = products(x, x) * products(y, y);
  if (square === 0n) return Number.NaN;
  // both / sqrt(square) is sqrt(both² / square), at 80 bits behind the point.
  const quotient = (both * both) << 160n;
  const root = squareRoot(quotient / square);
  const isExact = quotient % square === 0n && root * root === quotient / square;
  const size = nearestDouble((root << 1n) | (isExact ? 0n : 1n), 1n << 81n, 0);
  return both < 0n ? -size : size;
}

/** The greatest integer whose square is at most `value`; by Newton's method. */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length >> 1) + 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
