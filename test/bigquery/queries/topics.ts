/** All queries with their results, by topic. */
import { CASES as assorted } from './assorted.ts';
import { CASES as basics } from './basics.ts';
import { CASES as datesAndTimes } from './dates-and-times.ts';
import { CASES as documented } from './documented.ts';
import { CASES as everyday } from './everyday.ts';
import { CASES as floatsAndArrays } from './floats-and-arrays.ts';
import { CASES as formatElements } from './format-elements.ts';
import { CASES as joinsAndWindows } from './joins-and-windows.ts';
import { CASES as jsonAndAggregates } from './json-and-aggregates.ts';
import { CASES as mathAndStrings } from './math-and-strings.ts';
import { CASES as namesAndRefusals } from './names-and-refusals.ts';
import { CASES as numberFormats } from './number-formats.ts';
import { CASES as operators } from './operators.ts';
import { CASES as parseElements } from './parse-elements.ts';
import type { QueryCase } from './query-case.ts';
import { CASES as querySyntax } from './query-syntax.ts';
import { CASES as reports } from './reports.ts';
import { CASES as results } from './results.ts';
import { CASES as rounding } from './rounding.ts';
import { CASES as statistics } from './statistics.ts';

export const TOPICS: Readonly<Record<string, readonly QueryCase[]>> = {
  basics,
  'mathematics and strings': mathAndStrings,
  'dates and times': datesAndTimes,
  'JSON and aggregates': jsonAndAggregates,
  'query syntax': querySyntax,
  'everyday queries': everyday,
  reports,
  'results of pipelines': results,
  'joins and windows': joinsAndWindows,
  'names and refusals': namesAndRefusals,
  'elements of formats': formatElements,
  'texts read by formats': parseElements,
  operators,
  'floats and arrays': floatsAndArrays,
  statistics,
  rounding,
  assorted,
  'numbers by a format': numberFormats,
  'documented examples': documented,
};
