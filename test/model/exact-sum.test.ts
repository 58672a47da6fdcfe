import { describe, expect, it } from 'vitest';
import { addExactly, type ExactSum, mergeExactly, valueOfSum } from '../../functions/model/exact-sum.ts';

const sumOf = (...values: readonly number[]): ExactSum => values.reduce<ExactSum>(addExactly, 0);

describe('an exact sum', () => {
  it.each([
    ['whole numbers', [1, 2, 3], 6],
    ['what floating point loses', [1e16, 1, -1e16], 1],
    ['ten tenths', Array(10).fill(0.1), 1],
    ['large and small', [1e100, 1, -1e100, 1e-100], 1],
    ['halves to even', [1, 2 ** -53], 1],
    ['just above a half', [1, 2 ** -53, 2 ** -100], 1 + 2 ** -52],
    ['just below a half', [1, 2 ** -53, -(2 ** -100)], 1],
    ['negative, just above a half', [-1, -(2 ** -53), -(2 ** -100)], -1 - 2 ** -52],
    ['beyond the safe integers', [Number.MAX_SAFE_INTEGER, 1, 1, 1], 9_007_199_254_740_994],
    ['nothing', [], 0],
  ])('of %s', (_title, values, expected) => {
    expect(valueOfSum(sumOf(...values))).toBe(expected);
    expect(valueOfSum(sumOf(...[...values].reverse()))).toBe(expected);
  });

  it('of whole numbers stays one number', () => expect(sumOf(1, 2, 3)).toBe(6));
  it('is plain JSON', () => {
    const sum = sumOf(0.1, 0.2, 1e20);
    expect(JSON.parse(JSON.stringify(sum))).toEqual(sum);
  });
  it('merges exactly', () => {
    expect(valueOfSum(mergeExactly(sumOf(1e16, 1), sumOf(-1e16, 0.5)))).toBe(1.5);
    expect(mergeExactly(2, 3)).toBe(5);
  });
});
