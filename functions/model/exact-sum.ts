/**
 * Sums that do not depend on order. Invariant: the value of a sum is the true sum of all numbers added, rounded once, so
 * that bundles split or ordered otherwise give the same pane to the last bit. Floating point's own `+` does not.
 *
 * Whole numbers (the common case) are added as they are while they are exact. Everything else is kept as a list of
 * numbers that do not overlap, whose sum is exact (Shewchuk, "Adaptive precision floating-point arithmetic", 1997).
 */
import { PoisonError } from './errors.ts';

/** A safe integer, or parts in ascending order of magnitude. Plain JSON. */
export type ExactSum = number | number[];

/** @throws {PoisonError} when `value` is no finite number, or the sum leaves the range of numbers */
export function addExactly(sum: ExactSum, value: number): ExactSum {
  if (typeof sum === 'number') {
    const next = sum + value;
    if (Number.isSafeInteger(value) && Number.isSafeInteger(next)) return next;
    return grow([sum], value);
  }
  return grow(sum, value);
}

/** Adds one sum to another; may change `into`. */
export function mergeExactly(into: ExactSum, from: ExactSum): ExactSum {
  if (typeof from === 'number') return addExactly(into, from);
  let sum = into;
  for (const part of from) sum = addExactly(sum, part);
  return sum;
}

function grow(parts: number[], value: number): number[] {
  if (!Number.isFinite(value))
    throw new PoisonError(`cannot add ${String(value)} (${typeof value}): expected a finite number`);
  let carry = value;
  let kept = 0;
  for (let part of parts) {
    if (Math.abs(carry) < Math.abs(part)) [carry, part] = [part, carry];
    const high = carry + part;
    const low = part - (high - carry);
    if (low !== 0) parts[kept++] = low;
    carry = high;
  }
  if (!Number.isFinite(carry)) throw new PoisonError(`adding ${value} takes the sum out of the range of numbers`);
  parts.length = kept;
  parts.push(carry);
  return parts;
}

/** The sum as a number, rounded half to even. */
export function valueOfSum(sum: ExactSum): number {
  if (typeof sum === 'number') return sum;
  let i = sum.length - 1;
  let high = sum[i] ?? 0;
  let low = 0;
  while (i > 0 && low === 0) {
    const total = high + sum[--i]!;
    low = sum[i]! - (total - high);
    high = total;
  }
  // Rounded to even just now, but the rest says that it lies beyond the middle: the other neighbour is nearer.
  if (i > 0 && low !== 0 && low < 0 === sum[i - 1]! < 0) {
    const twice = low * 2;
    const next = high + twice;
    if (twice === next - high) high = next;
  }
  return high;
}
