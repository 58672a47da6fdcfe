/** What the statistical aggregates compile to: functions of the list of a group's values, or of both sides of its pairs. */
import { exactCorrelation, exactCovariance, exactMean, exactVariance } from '../values/exact-statistics.ts';
import { define, js } from './definition.ts';

const root = (variance: number | null): number | null => (variance === null ? null : Math.sqrt(variance));

export const STATISTICS_FUNCTIONS = [
  define('FLOAT_MEAN', js('ARRAY<FLOAT64> -> FLOAT64', exactMean)),
  define('FLOAT_CORR', js('ARRAY<FLOAT64>, ARRAY<FLOAT64> -> FLOAT64', exactCorrelation)),
  ...(['SAMP', 'POP'] as const).flatMap((kind) => {
    const less = kind === 'SAMP' ? 1 : 0;
    return [
      define(
        `FLOAT_COVAR_${kind}`,
        js('ARRAY<FLOAT64>, ARRAY<FLOAT64> -> FLOAT64', (xs: readonly number[], ys: readonly number[]) =>
          exactCovariance(xs, ys, less),
        ),
      ),
      define(
        `FLOAT_VAR_${kind}`,
        js('ARRAY<FLOAT64> -> FLOAT64', (values: readonly number[]) => exactVariance(values, less)),
      ),
      define(
        `FLOAT_STDDEV_${kind}`,
        js('ARRAY<FLOAT64> -> FLOAT64', (values: readonly number[]) => root(exactVariance(values, less))),
      ),
    ];
  }),
];
