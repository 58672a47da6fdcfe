/** Names in their scopes, and what is no query, with what GoogleSQL's reference implementation gives. */
import type { QueryCase } from './query-case.ts';

export const CASES: readonly QueryCase[] = [
  {
    sql: `SELECT a.id, b.v FROM (SELECT 1 id UNION ALL SELECT 2) a LEFT JOIN (SELECT 1 id, 'x' v) b USING (id) ORDER BY id`,
    types: ['INT64', 'STRING'],
    rows: [
      ['1', 'x'],
      ['2', null],
    ],
  },
  {
    sql: `SELECT id, v FROM (SELECT 1 id UNION ALL SELECT 2) LEFT JOIN (SELECT 1 id, 'x' v) USING (id) ORDER BY id`,
    types: ['INT64', 'STRING'],
    rows: [
      ['1', 'x'],
      ['2', null],
    ],
  },
  {
    sql: `SELECT * FROM (SELECT 1 id) a INNER JOIN (SELECT 1 id) b ON a.id = b.id AND a.id > 0`,
    types: ['INT64', 'INT64'],
    rows: [['1', '1']],
  },
  { sql: `SELECT COALESCE(x, y, 'z') FROM (SELECT CAST(NULL AS STRING) x, 'y' y)`, types: ['STRING'], rows: [['y']] },
  {
    sql: `SELECT CURRENT_DATE() = CURRENT_DATE('UTC'), CURRENT_TIMESTAMP() > TIMESTAMP '2020-01-01', DATE(CURRENT_TIMESTAMP()) = CURRENT_DATE`,
    types: ['BOOL', 'BOOL', 'BOOL'],
    rows: [['true', 'true', 'true']],
  },
  { sql: `SELECT ERROR('boom')`, fails: `boom` },
  { sql: `SELECT IF(FALSE, ERROR('boom'), 1)`, types: ['INT64'], rows: [['1']] },
  {
    sql: `SELECT x, ANY_VALUE(y) FROM UNNEST([STRUCT(1 AS x, 2 AS y)]) GROUP BY x HAVING COUNT(*) = 1 AND MAX(y) > 1`,
    types: ['INT64', 'INT64'],
    rows: [['1', '2']],
  },
  { sql: `SELECT x AS y FROM UNNEST([1,2]) x WHERE y > 1`, fails: `Unrecognized name: y` },
  {
    sql: `SELECT x AS y, COUNT(*) FROM UNNEST([1,2,2]) x GROUP BY y HAVING y > 1`,
    types: ['INT64', 'INT64'],
    rows: [['2', '2']],
  },
  {
    sql: `SELECT x, x * 2 AS d FROM UNNEST([1,2]) x ORDER BY d DESC LIMIT 1`,
    types: ['INT64', 'INT64'],
    rows: [['2', '4']],
  },
  { sql: `SELECT SUM(x) s FROM UNNEST([1,2]) x HAVING s > 2`, types: ['INT64'], rows: [['3']] },
  { sql: `SELECT * EXCEPT (x) FROM (SELECT 1 x)`, fails: `SELECT * expands to zero columns after applying EXCEPT` },
  { sql: `SELECT * EXCEPT (nope) FROM (SELECT 1 x)`, fails: `Column nope in SELECT * EXCEPT list does not exist` },
  { sql: `SELECT nope.* FROM (SELECT 1 x) t`, fails: `Unrecognized name: nope` },
  {
    sql: `SELECT SUM(x) FROM UNNEST([1]) x WHERE SUM(x) > 0`,
    fails: `Aggregate function SUM not allowed in WHERE clause`,
  },
  { sql: `SELECT x FROM (SELECT 1 x), (SELECT 2 x)`, fails: `Column name x is ambiguous` },
  {
    sql: `SELECT LOWER(1)`,
    fails: `No matching signature for function LOWER for argument types: INT64. Supported signatures: LOWER(STRING); LOWER(BYTES)`,
  },
  { sql: `SELECT DATE_ADD('2020-01-01', INTERVAL 1 DAY)`, types: ['DATE'], rows: [['2020-01-02']] },
  {
    sql: `SELECT TIMESTAMP_TRUNC(TIMESTAMP '2020-01-01', FORTNIGHT)`,
    fails: `A valid date part name is required but found FORTNIGHT`,
  },
  { sql: `SELECT [1, 'a']`, fails: `Array elements of types {INT64, STRING} do not have a common supertype` },
  { sql: `SELECT 1 UNION ALL SELECT 'a'`, fails: `Column 1 in UNION ALL has incompatible types: INT64, STRING` },
  {
    sql: `SELECT 1, 2 UNION ALL SELECT 1`,
    fails: `Queries in UNION ALL have mismatched column count; query 1 has 2 columns, query 2 has 1 column`,
  },
  {
    sql: `SELECT (SELECT 1, 2)`,
    fails: `Scalar subquery cannot have more than one column unless using SELECT AS STRUCT to build STRUCT values`,
  },
  {
    sql: `SELECT ARRAY(SELECT 1, 2)`,
    fails: `ARRAY subquery cannot have more than one column unless using SELECT AS STRUCT to build STRUCT values`,
  },
  {
    sql: `SELECT CAST(123456789.123 AS NUMERIC), CAST(-0.1 AS NUMERIC), CAST(x AS NUMERIC), SAFE_CAST(1e40 AS NUMERIC), CAST(0.1 AS BIGNUMERIC) FROM (SELECT 123456789.123 x)`,
    types: ['NUMERIC', 'NUMERIC', 'NUMERIC', 'NUMERIC', 'BIGNUMERIC'],
    rows: [['123456789.123', '-0.1', '123456789.122999996', null, '0.1']],
  },
  {
    sql: `SELECT LAST_DAY(DATE '9999-12-31', MONTH), LAST_DAY(DATE '9999-12-31', QUARTER), LAST_DAY(DATE '2020-02-01', MONTH), LAST_DAY(DATE '2020-11-01', QUARTER)`,
    types: ['DATE', 'DATE', 'DATE', 'DATE'],
    rows: [['9999-12-31', '9999-12-31', '2020-02-29', '2020-12-31']],
  },
];
