/** Joins, windows, arrays and structs, with what GoogleSQL's reference implementation gives. */
import type { QueryCase } from './query-case.ts';

export const CASES: readonly QueryCase[] = [
  {
    sql: `SELECT x, COUNT(*) FROM UNNEST([STRUCT('a' AS k, 1 AS v),('a',1)]) x GROUP BY x`,
    types: ['STRUCT<k STRING, v INT64>', 'INT64'],
    rows: [[['a', '1'], '2']],
  },
  {
    sql: `SELECT k, v FROM UNNEST([STRUCT('a' AS k, [1,2] AS v)]) GROUP BY k, v`,
    types: ['STRING', 'ARRAY<INT64>'],
    rows: [['a', ['1', '2']]],
  },
  { sql: `SELECT a.x FROM UNNEST([1,2]) AS a`, fails: `Cannot access field x on a value with type INT64` },
  { sql: `SELECT a FROM UNNEST([STRUCT(1 AS x)]) AS a`, types: ['STRUCT<x INT64>'], rows: [[['1']]] },
  {
    sql: `SELECT a.x, b FROM UNNEST([STRUCT(1 AS x, [10,20] AS ys)]) AS a CROSS JOIN UNNEST(a.ys) AS b ORDER BY b`,
    types: ['INT64', 'INT64'],
    rows: [
      ['1', '10'],
      ['1', '20'],
    ],
  },
  {
    sql: `SELECT * FROM UNNEST([1,2]) WITH OFFSET`,
    types: ['INT64', 'INT64'],
    rows: [
      ['1', '0'],
      ['2', '1'],
    ],
  },
  {
    sql: `SELECT offset, x FROM UNNEST(['p','q']) x WITH OFFSET ORDER BY offset`,
    types: ['INT64', 'STRING'],
    rows: [
      ['0', 'p'],
      ['1', 'q'],
    ],
  },
  {
    sql: `SELECT (SELECT MAX(v) FROM UNNEST([1,5,3]) v) - (SELECT MIN(v) FROM UNNEST([1,5,3]) v)`,
    types: ['INT64'],
    rows: [['4']],
  },
  {
    sql: `SELECT ARRAY(SELECT AS STRUCT k, COUNT(*) n FROM UNNEST(['a','b','a']) k GROUP BY k ORDER BY k)`,
    types: ['ARRAY<STRUCT<k STRING, n INT64>>'],
    rows: [
      [
        [
          ['a', '2'],
          ['b', '1'],
        ],
      ],
    ],
  },
  {
    sql: `WITH t AS (SELECT 1 AS id, 'x' AS tag UNION ALL SELECT 1, 'y' UNION ALL SELECT 2, 'z') SELECT id, STRING_AGG(tag, ',' ORDER BY tag) tags, COUNT(DISTINCT tag) n, ARRAY_AGG(STRUCT(tag) ORDER BY tag)[SAFE_OFFSET(1)].tag second FROM t GROUP BY id ORDER BY id`,
    types: ['INT64', 'STRING', 'INT64', 'STRING'],
    rows: [
      ['1', 'x,y', '2', 'y'],
      ['2', 'z', '1', null],
    ],
  },
  {
    sql: `WITH t AS (SELECT DATE '2020-01-01' d, 3 v UNION ALL SELECT '2020-01-02', 5 UNION ALL SELECT '2020-01-08', 7) SELECT d, SUM(v) OVER (ORDER BY UNIX_DATE(d) RANGE BETWEEN 6 PRECEDING AND CURRENT ROW) w FROM t ORDER BY d`,
    types: ['DATE', 'INT64'],
    rows: [
      ['2020-01-01', '3'],
      ['2020-01-02', '8'],
      ['2020-01-08', '12'],
    ],
  },
  {
    sql: `WITH t AS (SELECT 'a' k, 1 v UNION ALL SELECT 'a', 3 UNION ALL SELECT 'b', 2) SELECT k, v, v - AVG(v) OVER (PARTITION BY k) diff, IF(v = MAX(v) OVER (PARTITION BY k), 'top', NULL) top FROM t ORDER BY k, v`,
    types: ['STRING', 'INT64', 'FLOAT64', 'STRING'],
    rows: [
      ['a', '1', '-1', null],
      ['a', '3', '1', 'top'],
      ['b', '2', '0', 'top'],
    ],
  },
  {
    sql: `WITH t AS (SELECT 1 id, NULL parent UNION ALL SELECT 2, 1 UNION ALL SELECT 3, 2), r AS (SELECT id, parent, 0 depth FROM t WHERE parent IS NULL) SELECT * FROM r`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [['1', null, '0']],
  },
  {
    sql: `WITH RECURSIVE t AS (SELECT 1 id, CAST(NULL AS INT64) parent UNION ALL SELECT 2, 1 UNION ALL SELECT 3, 2), r AS (SELECT id, 0 depth FROM t WHERE parent IS NULL UNION ALL SELECT t.id, r.depth + 1 FROM t JOIN r ON t.parent = r.id) SELECT * FROM r ORDER BY id`,
    types: ['INT64', 'INT64'],
    rows: [
      ['1', '0'],
      ['2', '1'],
      ['3', '2'],
    ],
  },
  {
    sql: `SELECT * FROM (SELECT 1 a, 'x' b) WHERE b IN ('x','y') AND a BETWEEN 0 AND 5 AND NOT b LIKE 'z%' AND (a = 1 OR b IS NULL)`,
    types: ['INT64', 'STRING'],
    rows: [['1', 'x']],
  },
  {
    sql: `SELECT CASE WHEN x IS NULL THEN 'none' WHEN x > 1 THEN 'many' ELSE 'one' END c, COUNT(*) n FROM UNNEST([NULL,1,2,3]) x GROUP BY c ORDER BY n DESC, c`,
    types: ['STRING', 'INT64'],
    rows: [
      ['many', '2'],
      ['none', '1'],
      ['one', '1'],
    ],
  },
  {
    sql: `SELECT FORMAT('%s has %d (%.1f%%)', k, n, 100 * n / SUM(n) OVER ()) FROM (SELECT 'a' k, 1 n UNION ALL SELECT 'b', 3) ORDER BY k`,
    types: ['STRING'],
    rows: [['a has 1 (25.0%)'], ['b has 3 (75.0%)']],
  },
  {
    sql: `SELECT SPLIT(p, '=')[OFFSET(0)] k, SPLIT(p, '=')[SAFE_OFFSET(1)] v FROM UNNEST(SPLIT('a=1&b=2&c', '&')) p ORDER BY k`,
    types: ['STRING', 'STRING'],
    rows: [
      ['a', '1'],
      ['b', '2'],
      ['c', null],
    ],
  },
  {
    sql: `SELECT REGEXP_EXTRACT(p, r'utm_source=([^&]+)') FROM UNNEST(['x?utm_source=g&y=1','x']) p ORDER BY 1`,
    types: ['STRING'],
    rows: [[null], ['g']],
  },
  {
    sql: `SELECT DATE_TRUNC(d, WEEK(MONDAY)) w, COUNT(*) FROM UNNEST(GENERATE_DATE_ARRAY('2020-01-01','2020-01-15')) d GROUP BY w ORDER BY w`,
    types: ['DATE', 'INT64'],
    rows: [
      ['2019-12-30', '5'],
      ['2020-01-06', '7'],
      ['2020-01-13', '3'],
    ],
  },
  {
    sql: `SELECT FORMAT_DATE('%Y-W%V', d), FORMAT_DATE('%b %Y', d), FORMAT_DATE('%E4Y', d), FORMAT_DATE('%k', d) FROM UNNEST([DATE '2020-12-31']) d`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['2020-W53', 'Dec 2020', '2020', '%k']],
  },
  {
    sql: `SELECT TIMESTAMP_SECONDS(1577836800) AT TIME ZONE 'UTC'`,
    fails: `Syntax error: Expected end of input but got keyword AT`,
  },
  {
    sql: `SELECT EXTRACT(EPOCH FROM TIMESTAMP '2020-01-01')`,
    fails: `A valid date part name is required but found EPOCH`,
  },
  {
    sql: `SELECT DATETIME_DIFF(DATETIME '2020-03-01 00:00:00', DATETIME '2020-02-01 00:00:00', DAY), DATETIME_ADD(DATETIME '2020-01-31 10:00:00', INTERVAL 1 MONTH), DATETIME_SUB(DATETIME '2020-03-31 10:00:00', INTERVAL 1 MONTH), TIME_ADD(TIME '23:30:00', INTERVAL 1 HOUR), TIME_SUB(TIME '00:30:00', INTERVAL 1 HOUR)`,
    types: ['INT64', 'DATETIME', 'DATETIME', 'TIME', 'TIME'],
    rows: [['29', '2020-02-29T10:00:00', '2020-02-29T10:00:00', '00:30:00', '23:30:00']],
  },
  {
    sql: `SELECT TIMESTAMP_DIFF(TIMESTAMP '2020-01-02', TIMESTAMP '2020-01-01', SECOND) / 3600, TIMESTAMP_DIFF(TIMESTAMP '2020-01-01 00:00:00.5', TIMESTAMP '2020-01-01', MILLISECOND)`,
    types: ['FLOAT64', 'INT64'],
    rows: [['24', '500']],
  },
  {
    sql: `SELECT PERCENTILE_CONT(x, 0.5) OVER () m, PERCENTILE_DISC(x, 0.9) OVER () p FROM UNNEST([1.0,2.0,3.0,10.0]) x LIMIT 1`,
    types: ['FLOAT64', 'FLOAT64'],
    rows: [['2.5', '10']],
  },
  {
    sql: `SELECT NTILE(3) OVER (ORDER BY x), x FROM UNNEST([1,2,3,4,5]) x ORDER BY x`,
    types: ['INT64', 'INT64'],
    rows: [
      ['1', '1'],
      ['1', '2'],
      ['2', '3'],
      ['2', '4'],
      ['3', '5'],
    ],
  },
  {
    sql: `SELECT k, ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, k) rn, COUNT(*) c FROM UNNEST(['a','b','b']) k GROUP BY k ORDER BY rn`,
    types: ['STRING', 'INT64', 'INT64'],
    rows: [
      ['b', '1', '2'],
      ['a', '2', '1'],
    ],
  },
  {
    sql: `SELECT LAST_VALUE(x) OVER (ORDER BY x), FIRST_VALUE(x) OVER (ORDER BY x DESC), x FROM UNNEST([1,2,3]) x ORDER BY x`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [
      ['1', '3', '1'],
      ['2', '3', '2'],
      ['3', '3', '3'],
    ],
  },
  {
    sql: `SELECT LAG(x, 2, 'none') OVER (ORDER BY x) FROM UNNEST(['a','b','c']) x ORDER BY x`,
    types: ['STRING'],
    rows: [['none'], ['none'], ['a']],
  },
  {
    sql: `SELECT SUM(IF(x > 2, 1, 0)) OVER (ORDER BY x ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) FROM UNNEST([1,2,3]) x ORDER BY x`,
    types: ['INT64'],
    rows: [['1'], ['1'], [null]],
  },
  {
    sql: `SELECT AVG(x) OVER w, SUM(x) OVER (w ROWS 1 PRECEDING) FROM UNNEST([1,2,3]) x WINDOW w AS (ORDER BY x) ORDER BY x`,
    types: ['FLOAT64', 'INT64'],
    rows: [
      ['1', '1'],
      ['1.5', '3'],
      ['2', '5'],
    ],
  },
  { sql: `SELECT x FROM UNNEST([5,3,8]) x QUALIFY x > AVG(x) OVER ()`, types: ['INT64'], rows: [['8']] },
  {
    sql: `SELECT DISTINCT x, SUM(y) OVER (PARTITION BY x) s FROM UNNEST([STRUCT(1 AS x, 2 AS y),(1,3),(2,4)]) ORDER BY x`,
    types: ['INT64', 'INT64'],
    rows: [
      ['1', '5'],
      ['2', '4'],
    ],
  },
  {
    sql: `SELECT (SELECT COUNT(*) FROM UNNEST(a) i JOIN UNNEST(b) j ON i = j) n FROM (SELECT [1,2,3] a, [2,3,4] b)`,
    types: ['INT64'],
    rows: [['2']],
  },
  {
    sql: `SELECT ARRAY(SELECT i FROM UNNEST([1,2,3]) i INTERSECT DISTINCT SELECT j FROM UNNEST([2,3]) j ORDER BY 1)`,
    types: ['ARRAY<INT64>'],
    rows: [[['2', '3']]],
  },
  {
    sql: `SELECT ARRAY_TO_STRING(ARRAY(SELECT CAST(x AS STRING) FROM UNNEST([3,1,2]) x ORDER BY x), '-')`,
    types: ['STRING'],
    rows: [['1-2-3']],
  },
  {
    sql: `SELECT IF(ARRAY_LENGTH([1]) > 0, [1][OFFSET(0)], NULL), IFNULL([1,2][SAFE_OFFSET(5)], -1)`,
    types: ['INT64', 'INT64'],
    rows: [['1', '-1']],
  },
  {
    sql: `SELECT s.*, s.a + 1 FROM (SELECT STRUCT(1 AS a, 2 AS b) s)`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [['1', '2', '2']],
  },
  {
    sql: `SELECT t.s.b.c FROM (SELECT STRUCT(STRUCT([1,2] AS c) AS b) s) t`,
    types: ['ARRAY<INT64>'],
    rows: [[['1', '2']]],
  },
  {
    sql: `SELECT TO_JSON_STRING(STRUCT([STRUCT(1 AS a)] AS xs)), JSON_VALUE(TO_JSON(STRUCT('v' AS k)), '$.k'), JSON_QUERY('{"a":[{"b":1},{"b":2}]}', '$.a[1].b'), JSON_EXTRACT('{"a":{"b":1}}', '$.a')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING'],
    rows: [['{"xs":[{"a":1}]}', 'v', '2', '{"b":1}']],
  },
  {
    sql: `SELECT LAX_INT64(JSON_QUERY(j, '$.n')), j.n, JSON_VALUE(j.s), INT64(j.n) + 1, STRING(j.s) FROM (SELECT JSON '{"n": 5, "s": "t"}' j)`,
    types: ['INT64', 'JSON', 'STRING', 'INT64', 'STRING'],
    rows: [['5', '5', 't', '6', 't']],
  },
  {
    sql: `SELECT SAFE_CAST(JSON_VALUE('{"x":"abc"}', '$.x') AS INT64), CAST(JSON_VALUE('{"x":"1.5"}', '$.x') AS FLOAT64)`,
    types: ['INT64', 'FLOAT64'],
    rows: [[null, '1.5']],
  },
  {
    sql: `SELECT NUMERIC '1.005' * 100, ROUND(NUMERIC '1.005', 2), CAST(NUMERIC '1.5' AS INT64), CAST('1.239' AS NUMERIC(3,2)), NUMERIC '5' / 2, MOD(NUMERIC '5.5', 2), -NUMERIC '1.5', ABS(NUMERIC '-2'), SAFE_CAST('1e40' AS NUMERIC)`,
    types: ['NUMERIC', 'NUMERIC', 'INT64', 'NUMERIC', 'NUMERIC', 'NUMERIC', 'NUMERIC', 'NUMERIC', 'NUMERIC'],
    rows: [['100.5', '1.01', '2', '1.24', '2.5', '1.5', '-1.5', '2', null]],
  },
  {
    sql: `SELECT SUM(x) / COUNT(x), SUM(x) * 1.0 / 3, DIV(SUM(x), 2), CAST(SUM(x) AS FLOAT64) / 4 FROM UNNEST([1,2,4]) x`,
    types: ['FLOAT64', 'FLOAT64', 'INT64', 'FLOAT64'],
    rows: [['2.3333333333333335', '2.3333333333333335', '3', '1.75']],
  },
  {
    sql: `SELECT MAX(d), MIN(t), COUNT(DISTINCT DATE(t)) FROM UNNEST([STRUCT(DATE '2020-01-01' AS d, TIMESTAMP '2020-01-01 05:00:00' AS t), (DATE '2020-01-02', TIMESTAMP '2020-01-02 05:00:00')])`,
    types: ['DATE', 'TIMESTAMP', 'INT64'],
    rows: [['2020-01-02', '1577854800000000', '2']],
  },
  { sql: `SELECT COUNT(*) FROM UNNEST([1,2]) a LEFT JOIN UNNEST([2,3]) b ON a = b`, types: ['INT64'], rows: [['2']] },
  {
    sql: `SELECT a, b FROM UNNEST([1,2]) a FULL JOIN UNNEST([2,3]) b ON a = b ORDER BY a, b`,
    types: ['INT64', 'INT64'],
    rows: [
      [null, '3'],
      ['1', null],
      ['2', '2'],
    ],
  },
];
