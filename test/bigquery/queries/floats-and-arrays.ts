/** Sums of floats, concatenation, positions in arrays, with what GoogleSQL's reference implementation gives. */
import type { QueryCase } from './query-case.ts';

export const CASES: readonly QueryCase[] = [
  {
    sql: `SELECT 'a'||b'b'`,
    fails: `No matching signature for operator || for argument types: STRING, BYTES. Supported signatures: STRING || STRING; BYTES || BYTES; ARRAY || ARRAY`,
  },
  {
    sql: `SELECT 'a'||[1]`,
    fails: `No matching signature for operator || for argument types: STRING, ARRAY<INT64>. Supported signatures: STRING || STRING; BYTES || BYTES; ARRAY || ARRAY`,
  },
  {
    sql: `SELECT 'a'||STRUCT(1)`,
    fails: `No matching signature for operator || for argument types: STRING, STRUCT<INT64>. Supported signatures: STRING || STRING; BYTES || BYTES; ARRAY || ARRAY`,
  },
  {
    sql: `SELECT CONCAT('a', b'b')`,
    fails: `No matching signature for function CONCAT for argument types: STRING, BYTES. Supported signatures: CONCAT(STRING, [STRING, ...]); CONCAT(BYTES, [BYTES, ...])`,
  },
  {
    sql: `SELECT [1,2][0], [[STRUCT(1 AS a)][0].a, 2][1], SPLIT('a b',' ')[0]`,
    types: ['INT64', 'INT64', 'STRING'],
    rows: [['1', '2', 'a']],
  },
  {
    sql: `SELECT b'ab' LIKE b'a%', b'a%b' LIKE b'a\\\\%b', b'\\xff\\x00' LIKE b'\\xff_', b'ab' LIKE b'_'`,
    types: ['BOOL', 'BOOL', 'BOOL', 'BOOL'],
    rows: [['true', 'true', 'true', 'false']],
  },
  { sql: `SELECT ARRAY_FIRST([1,2]), ARRAY_LAST(['a'])`, types: ['INT64', 'STRING'], rows: [['1', 'a']] },
  {
    sql: `SELECT ARRAY_FIRST(CAST([] AS ARRAY<INT64>))`,
    fails: `ARRAY_FIRST cannot get the first element of an empty array`,
  },
  {
    sql: `SELECT TIMESTAMP_TRUNC(DATETIME '2020-05-06 07:08:09', MONTH), DATETIME_TRUNC(TIMESTAMP '2020-05-06 07:08:09', MONTH), DATETIME_TRUNC(TIMESTAMP '2020-05-06 07:08:09', DAY, 'Asia/Tokyo')`,
    types: ['DATETIME', 'TIMESTAMP', 'TIMESTAMP'],
    rows: [['2020-05-01T00:00:00', '1588291200000000', '1588690800000000']],
  },
  { sql: `SELECT SUM(x), AVG(x) FROM UNNEST([0.1,0.2,0.3]) x`, types: ['FLOAT64', 'FLOAT64'], rows: [['0.6', '0.2']] },
  {
    sql: `SELECT SUM(x), AVG(x) FROM UNNEST([1.0, CAST('inf' AS FLOAT64)]) x`,
    types: ['FLOAT64', 'FLOAT64'],
    rows: [['Infinity', 'Infinity']],
  },
  {
    sql: `SELECT SUM(x), AVG(x) FROM UNNEST([1.0, CAST('nan' AS FLOAT64)]) x`,
    types: ['FLOAT64', 'FLOAT64'],
    rows: [['NaN', 'NaN']],
  },
  { sql: `SELECT SUM(x) FROM UNNEST([1e308, 1e308]) x`, fails: `double overflow` },
  {
    sql: `SELECT x, SUM(x) OVER (ORDER BY x) FROM UNNEST([0.1,0.2,0.3]) x ORDER BY x`,
    types: ['FLOAT64', 'FLOAT64'],
    rows: [
      ['0.1', '0.1'],
      ['0.2', '0.30000000000000004'],
      ['0.3', '0.6'],
    ],
  },
  {
    sql: `SELECT x, AVG(x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM UNNEST([0.1,0.2,0.3]) x ORDER BY x`,
    types: ['FLOAT64', 'FLOAT64'],
    rows: [
      ['0.1', '0.1'],
      ['0.2', '0.15000000000000002'],
      ['0.3', '0.25'],
    ],
  },
  {
    sql: `SELECT * FROM (SELECT TRUE AS q, 5 AS v) PIVOT(COUNT(*) FOR q IN (TRUE, FALSE))`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [['5', '1', '0']],
  },
  { sql: `SELECT SUM(DISTINCT x) FROM UNNEST([0.1,0.2,0.1]) x`, types: ['FLOAT64'], rows: [['0.30000000000000004']] },
  {
    sql: `SELECT STDDEV(x), VARIANCE(x), STDDEV_POP(x), VAR_POP(x) FROM UNNEST([10,14,NULL,18.5]) x`,
    types: ['FLOAT64', 'FLOAT64', 'FLOAT64', 'FLOAT64'],
    rows: [['4.252450274057691', '18.083333333333332', '3.4721111093332766', '12.055555555555555']],
  },
  {
    sql: `SELECT STDDEV(x), VARIANCE(x), STDDEV_POP(x), VAR_POP(x) FROM UNNEST([10]) x`,
    types: ['FLOAT64', 'FLOAT64', 'FLOAT64', 'FLOAT64'],
    rows: [[null, null, '0', '0']],
  },
  {
    sql: `SELECT STDDEV(x), VAR_POP(x), AVG(x) FROM UNNEST([1.5, CAST('nan' AS FLOAT64)]) x`,
    types: ['FLOAT64', 'FLOAT64', 'FLOAT64'],
    rows: [['NaN', 'NaN', 'NaN']],
  },
  {
    sql: `SELECT AVG(x), VAR_POP(x) FROM UNNEST([1e-300, 1e300, -5e-324]) x`,
    types: ['FLOAT64', 'FLOAT64'],
    rows: [['3.3333333333333335e+299', 'Infinity']],
  },
  {
    sql: `SELECT AVG(x), VAR_POP(x), AVG(DISTINCT x) FROM UNNEST(CAST([] AS ARRAY<FLOAT64>)) x`,
    types: ['FLOAT64', 'FLOAT64', 'FLOAT64'],
    rows: [[null, null, null]],
  },
  { sql: `SELECT VAR_POP(DISTINCT x) FROM UNNEST([1,1,2]) x`, types: ['FLOAT64'], rows: [['0.25']] },
  {
    sql: `SELECT x, STDDEV(x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM UNNEST([1,2,4]) x ORDER BY x`,
    types: ['INT64', 'FLOAT64'],
    rows: [
      ['1', null],
      ['2', '0.7071067811865476'],
      ['4', '1.4142135623730951'],
    ],
  },
];
