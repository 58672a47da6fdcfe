/** Every scalar function, by its GoogleSQL name. */
import { ARRAY_FUNCTIONS } from './array.ts';
import { BOUNDS_FUNCTIONS } from './bounds.ts';
import { CAST_FORMAT_FUNCTIONS } from './cast-format.ts';
import { CAST_FUNCTIONS, PARSE_FUNCTIONS } from './cast.ts';
import { CONSTRUCTOR_FUNCTIONS } from './constructor.ts';
import { DATE_FUNCTIONS } from './date.ts';
import type { ScalarFunction } from './definition.ts';
import { ENCODING_FUNCTIONS } from './encoding.ts';
import { HASH_FUNCTIONS } from './hash.ts';
import { JSON_FUNCTIONS } from './json.ts';
import { MATH_FUNCTIONS } from './math.ts';
import { OPERATOR_FUNCTIONS } from './operator.ts';
import { REGEXP_FUNCTIONS } from './regexp.ts';
import { STATISTICS_FUNCTIONS } from './statistics.ts';
import { STRING_FUNCTIONS } from './string.ts';
import { TEXT_FUNCTIONS } from './text.ts';
import { TIMESTAMP_FUNCTIONS } from './timestamp.ts';

/** Functions that GoogleSQL has under these names. */
const PUBLIC: readonly ScalarFunction[] = [
  ...ARRAY_FUNCTIONS,
  ...CONSTRUCTOR_FUNCTIONS,
  ...DATE_FUNCTIONS,
  ...HASH_FUNCTIONS,
  ...JSON_FUNCTIONS,
  ...MATH_FUNCTIONS,
  ...PARSE_FUNCTIONS,
  ...ENCODING_FUNCTIONS,
  ...REGEXP_FUNCTIONS,
  ...STRING_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...TIMESTAMP_FUNCTIONS,
];

/** All that DuckDB must know: what queries may call, and what operators and casts compile to. */
export const ALL_FUNCTIONS: readonly ScalarFunction[] = [
  ...PUBLIC,
  ...CAST_FUNCTIONS,
  ...CAST_FORMAT_FUNCTIONS,
  ...BOUNDS_FUNCTIONS,
  ...OPERATOR_FUNCTIONS,
  ...STATISTICS_FUNCTIONS,
];

/** Helpers of other functions: defined beside them, and no names of GoogleSQL. */
const INTERNAL: ReadonlySet<string> = new Set(
  `DATE_FROM_PARTS DATETIME_FROM_PARTS DATETIME_FROM_DATE_AND_TIME TIME_FROM_PARTS DATE_TRUNC_DATE EXTRACT_DATE
  EXTRACT_DATETIME EXTRACT_TIME EXTRACT_INTERVAL EXTRACT_TIMESTAMP DATE_MINUS_DATE DATE_PLUS_DAYS DATETIME_MINUS_DATETIME
  TIMESTAMP_MINUS_TIMESTAMP INTERVAL_OF INTERVAL_FROM_TEXT JSON_FLATTEN_SCALARS JSON_MEMBER JSON_ELEMENT JSON_TO_STRING
  SLICE_START SLICE_END FIRST_POSITIONS RANK_BY_COUNT REGEXP_GROUPS REGEXP_FROM REGEXP_OCCURRENCE`.split(/\s+/),
);

export const SCALAR_FUNCTIONS: ReadonlyMap<string, ScalarFunction> = new Map(
  PUBLIC.filter((definition) => !INTERNAL.has(definition.name)).map((definition) => [definition.name, definition]),
);

/** Also the internal ones, for the compiler's own use. */
export const FUNCTIONS_BY_NAME: ReadonlyMap<string, ScalarFunction> = new Map(
  ALL_FUNCTIONS.map((definition) => [definition.name, definition]),
);
