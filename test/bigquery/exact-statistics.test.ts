/** The expected values were computed by fractions, with square roots of 80 digits, and rounded once. */
import { describe, expect, it } from 'vitest';
import { exactCorrelation, exactCovariance } from '../../emulators/bigquery/values/exact-statistics.ts';

describe('covariance and correlation of doubles', () => {
  it.each([
    { xs: [0.1, 0.2, 0.4], ys: [1, 3, 2], pop: 0.03333333333333333, samp: 0.05, corr: 0.3273268353539886 },
    {
      xs: [1e-300, 2e-300, 5e-324],
      ys: [1e300, -3e300, 2.5],
      pop: -1,
      samp: -1.5000000000000002,
      corr: -0.7205766921228921,
    },
    {
      xs: [0, 0, 1e-9, 3],
      ys: [1, 1, 1, 1.0000000000000002],
      pop: 1.2490009025645232e-16,
      samp: 1.6653345367526976e-16,
      corr: 1,
    },
    {
      xs: [100000000.1, 100000000.2, 100000000.7],
      ys: [-0.3, 0.1, 0.2],
      pop: 0.04333333422740301,
      samp: 0.06500000134110451,
      corr: 0.7642652646817393,
    },
  ])('are exact to the last digit: $xs, $ys', ({ xs, ys, pop, samp, corr }) => {
    expect([exactCovariance(xs, ys, 0), exactCovariance(xs, ys, 1), exactCorrelation(xs, ys)]).toEqual([
      pop,
      samp,
      corr,
    ]);
    expect(exactCorrelation(ys, xs)).toBe(corr);
  });

  it('of one pair, of equal values, and of what is no number', () => {
    expect([exactCovariance([3], [4], 0), exactCovariance([3], [4], 1), exactCorrelation([3], [4])]).toEqual([
      0,
      null,
      null,
    ]);
    expect(exactCorrelation([1, 2], [5, 5])).toBeNaN();
    expect(exactCorrelation([1, Number.POSITIVE_INFINITY], [5, 6])).toBeNaN();
    expect(exactCovariance([1, 2], [Number.NaN, 5], 1)).toBeNaN();
  });
});
