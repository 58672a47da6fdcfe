/** All queries with their results, by topic. */
import { CASES as basics } from './basics.ts';
import { CASES as datesAndTimes } from './dates-and-times.ts';
import { CASES as documented } from './documented.ts';
import { CASES as everyday } from './everyday.ts';
import { CASES as jsonAndAggregates } from './json-and-aggregates.ts';
import { CASES as mathAndStrings } from './math-and-strings.ts';
import type { QueryCase } from './query-case.ts';
import { CASES as querySyntax } from './query-syntax.ts';

export const TOPICS: Readonly<Record<string, readonly QueryCase[]>> = {
  basics,
  'mathematics and strings': mathAndStrings,
  'dates and times': datesAndTimes,
  'JSON and aggregates': jsonAndAggregates,
  'query syntax': querySyntax,
  'everyday queries': everyday,
  'documented examples': documented,
};
