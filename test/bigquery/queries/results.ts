/** Queries as people run them on a pipeline's results, with what GoogleSQL's reference implementation gives. */
import type { QueryCase } from './query-case.ts';

export const CASES: readonly QueryCase[] = [
  {
    sql: `WITH e AS (SELECT 'u1' u, TIMESTAMP '2020-01-01 00:00:00' t UNION ALL SELECT 'u1', '2020-01-01 00:10:00' UNION ALL SELECT 'u1', '2020-01-01 02:00:00' UNION ALL SELECT 'u2', '2020-01-01 00:05:00') SELECT u, SUM(is_new) OVER (PARTITION BY u ORDER BY t) AS session, t FROM (SELECT u, t, IF(TIMESTAMP_DIFF(t, LAG(t) OVER (PARTITION BY u ORDER BY t), MINUTE) > 30 OR LAG(t) OVER (PARTITION BY u ORDER BY t) IS NULL, 1, 0) AS is_new FROM e) ORDER BY u, t`,
    types: ['STRING', 'INT64', 'TIMESTAMP'],
    rows: [
      ['u1', '1', '1577836800000000'],
      ['u1', '1', '1577837400000000'],
      ['u1', '2', '1577844000000000'],
      ['u2', '1', '1577837100000000'],
    ],
  },
  {
    sql: `WITH e AS (SELECT DATE '2020-01-01' d, 5 v UNION ALL SELECT '2020-01-03', 7) SELECT day, IFNULL(v, 0) v FROM UNNEST(GENERATE_DATE_ARRAY('2020-01-01','2020-01-04')) day LEFT JOIN e ON e.d = day ORDER BY day`,
    types: ['DATE', 'INT64'],
    rows: [
      ['2020-01-01', '5'],
      ['2020-01-02', '0'],
      ['2020-01-03', '7'],
      ['2020-01-04', '0'],
    ],
  },
  {
    sql: `WITH t AS (SELECT 'a' k, 1 v UNION ALL SELECT 'a', 2 UNION ALL SELECT 'b', 3) SELECT k, v, v / SUM(v) OVER (PARTITION BY k) AS share, ROUND(100 * v / SUM(v) OVER (), 1) pct FROM t ORDER BY k, v`,
    types: ['STRING', 'INT64', 'FLOAT64', 'FLOAT64'],
    rows: [
      ['a', '1', '0.3333333333333333', '16.7'],
      ['a', '2', '0.6666666666666666', '33.3'],
      ['b', '3', '1', '50'],
    ],
  },
  {
    sql: `WITH t AS (SELECT 'a' k, 1 v UNION ALL SELECT 'a', 2 UNION ALL SELECT 'b', 3) SELECT k, (SELECT COUNT(*) FROM t t2 WHERE t2.k = t1.k AND t2.v >= t1.v) rnk, v FROM t t1 ORDER BY k, v`,
    types: ['STRING', 'INT64', 'INT64'],
    rows: [
      ['a', '2', '1'],
      ['a', '1', '2'],
      ['b', '1', '3'],
    ],
  },
  {
    sql: `WITH t AS (SELECT 'a' k, 1 v UNION ALL SELECT 'b', 3) SELECT * FROM t WHERE EXISTS (SELECT 1 FROM t t2 WHERE t2.v > t.v)`,
    types: ['STRING', 'INT64'],
    rows: [['a', '1']],
  },
  {
    sql: `WITH t AS (SELECT 'a' k, 1 v UNION ALL SELECT 'b', 3) SELECT k FROM t WHERE v = (SELECT MAX(v) FROM t)`,
    types: ['STRING'],
    rows: [['b']],
  },
  {
    sql: `WITH t AS (SELECT 'a' k, 1 v UNION ALL SELECT 'b', 3) SELECT k FROM t WHERE v NOT IN (SELECT v FROM t WHERE k = 'a') AND (k, v) IN (SELECT AS STRUCT k, v FROM t)`,
    types: ['STRING'],
    rows: [['b']],
  },
  {
    sql: `SELECT ARRAY(SELECT DISTINCT x FROM UNNEST([1,1,2]) x ORDER BY x), (SELECT AS STRUCT 1 a, 'b' c).c`,
    types: ['ARRAY<INT64>', 'STRING'],
    rows: [[['1', '2'], 'b']],
  },
  {
    sql: `SELECT k, ARRAY_AGG(v IGNORE NULLS ORDER BY v) vs FROM UNNEST([STRUCT('a' AS k, 2 AS v), ('a', NULL), ('b', 1)]) GROUP BY k ORDER BY k`,
    types: ['STRING', 'ARRAY<INT64>'],
    rows: [
      ['a', ['2']],
      ['b', ['1']],
    ],
  },
  {
    sql: `SELECT DISTINCT k FROM UNNEST([STRUCT('a' AS k, 2 AS v), ('a', NULL), ('b', 1)]) ORDER BY k DESC`,
    types: ['STRING'],
    rows: [['b'], ['a']],
  },
  {
    sql: `SELECT UPPER(k) AS k2, COUNT(*) FROM UNNEST(['a','b','A']) k GROUP BY k2 ORDER BY COUNT(*) DESC, k2`,
    types: ['STRING', 'INT64'],
    rows: [
      ['A', '2'],
      ['B', '1'],
    ],
  },
  {
    sql: `SELECT UPPER(k), COUNT(*) FROM UNNEST(['a','b','A']) k GROUP BY 1 HAVING COUNT(*) >= 1 ORDER BY 2 DESC, 1`,
    types: ['STRING', 'INT64'],
    rows: [
      ['A', '2'],
      ['B', '1'],
    ],
  },
  {
    sql: `SELECT MAX(x) - MIN(x) AS r, COUNT(*) FILTER_ FROM UNNEST([1,5]) x`,
    types: ['INT64', 'INT64'],
    rows: [['4', '2']],
  },
  {
    sql: `SELECT x, CASE WHEN x < 2 THEN 'low' WHEN x < 4 THEN 'mid' ELSE 'high' END bucket FROM UNNEST([1,3,5]) x ORDER BY x`,
    types: ['INT64', 'STRING'],
    rows: [
      ['1', 'low'],
      ['3', 'mid'],
      ['5', 'high'],
    ],
  },
  {
    sql: `SELECT bucket, COUNT(*) n, AVG(x) a FROM (SELECT x, DIV(x, 10) * 10 bucket FROM UNNEST([1,5,12,19,23]) x) GROUP BY bucket ORDER BY bucket`,
    types: ['INT64', 'INT64', 'FLOAT64'],
    rows: [
      ['0', '2', '3'],
      ['10', '2', '15.5'],
      ['20', '1', '23'],
    ],
  },
  {
    sql: `SELECT * FROM (SELECT k, q, v FROM UNNEST([STRUCT('a' AS k, 'x' AS q, 1 AS v), ('a','y',2), ('b','x',3)])) PIVOT(SUM(v) s, MAX(v) m FOR q IN ('x','y')) ORDER BY k`,
    types: ['STRING', 'INT64', 'INT64', 'INT64', 'INT64'],
    rows: [
      ['a', '1', '1', '2', '2'],
      ['b', '3', '3', null, null],
    ],
  },
  {
    sql: `SELECT * FROM (SELECT 1 AS q, 5 AS v UNION ALL SELECT 2, 6) PIVOT(SUM(v) FOR q IN (1, 2 AS two, 3))`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [['5', '6', null]],
  },
  {
    sql: `SELECT * FROM (SELECT DATE '2020-01-01' AS q, 5 AS v) PIVOT(SUM(v) FOR q IN (DATE '2020-01-01', DATE '2020-01-02' AS d2))`,
    types: ['INT64', 'INT64'],
    rows: [['5', null]],
  },
  {
    sql: `SELECT * FROM (SELECT TRUE AS q, 5 AS v) PIVOT(COUNT(*) FOR q IN (TRUE, FALSE))`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [['5', '1', '0']],
  },
  {
    sql: `SELECT k, x_s + 1 FROM (SELECT 'a' k, 'x' q, 1 v) PIVOT(SUM(v) AS s FOR q IN ('x')) AS p WHERE x_s > 0`,
    fails: `Unrecognized name: x_s`,
  },
  {
    sql: `SELECT "it's", 'say "hi"', '''tri'ple''', """a
b""", r'\\d', '\\x41\\u00e9\\U0001F600\\101', 'a\\tb\\\\n', b'\\x00', rb'\\d'`,
    types: ['STRING', 'STRING', 'STRING', 'STRING', 'STRING', 'STRING', 'STRING', 'BYTES', 'BYTES'],
    rows: [["it's", 'say "hi"', "tri'ple", 'a\nb', '\\d', 'Aé😀A', 'a\tb\\n', 'AA==', 'XGQ=']],
  },
  {
    sql: `SELECT 1 -- comment
 , 2 # other
 , /* c */ 3`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [['1', '2', '3']],
  },
  {
    sql: `SELECT 0xFF, .5, 1e3, 1., -0.0, 1E-2, 00012`,
    types: ['INT64', 'FLOAT64', 'FLOAT64', 'FLOAT64', 'FLOAT64', 'FLOAT64', 'INT64'],
    rows: [['255', '0.5', '1000', '1', '0', '0.01', '12']],
  },
  { sql: `SELECT \`x y\` FROM (SELECT 1 AS \`x y\`)`, types: ['INT64'], rows: [['1']] },
  { sql: `SELECT 1 AS \`select\`, 2 AS end_`, types: ['INT64', 'INT64'], rows: [['1', '2']] },
  { sql: `SELECT [1,2,], STRUCT(1,2)`, fails: `Syntax error: Unexpected "]"` },
  { sql: `SELECT x, FROM UNNEST([1]) AS x`, types: ['INT64'], rows: [['1']] },
  {
    sql: `SELECT NUMERIC '10' / NUMERIC '3', NUMERIC '1.5' * 2, CAST(1 AS NUMERIC) + 0.5, 1 + NUMERIC '1', 2.5 * NUMERIC '2', ROUND(NUMERIC '10' / 3, 2)`,
    types: ['NUMERIC', 'NUMERIC', 'NUMERIC', 'NUMERIC', 'NUMERIC', 'NUMERIC'],
    rows: [['3.333333333', '3', '1.5', '2', '5', '3.33']],
  },
  {
    sql: `SELECT 7/2, DIV(7,2), MOD(7,2), 7*1.0, -7/2, 2*3+4*5, (1+2)*3, 10-3-2, 2||''`,
    types: ['FLOAT64', 'INT64', 'INT64', 'FLOAT64', 'FLOAT64', 'INT64', 'INT64', 'INT64', 'STRING'],
    rows: [['3.5', '3', '1', '7', '-3.5', '26', '9', '5', '2']],
  },
  {
    sql: `SELECT TIMESTAMP '2020-01-01 00:00:00' < TIMESTAMP '2020-01-01 00:00:01', DATE '2020-01-01' = '2020-01-01', DATETIME '2020-01-01 00:00:00' > DATE '2019-01-01'`,
    types: ['BOOL', 'BOOL', 'BOOL'],
    rows: [['true', 'true', 'true']],
  },
  {
    sql: `SELECT t FROM (SELECT TIMESTAMP '2020-01-01 12:00:00' t) WHERE t >= '2020-01-01' AND t < TIMESTAMP('2020-01-02') AND DATE(t) = '2020-01-01'`,
    types: ['TIMESTAMP'],
    rows: [['1577880000000000']],
  },
  {
    sql: `SELECT DATE(t) d, EXTRACT(HOUR FROM t) h, COUNT(*) FROM UNNEST([TIMESTAMP '2020-01-01 12:00:00', '2020-01-01 12:30:00']) t GROUP BY d, h`,
    types: ['DATE', 'INT64', 'INT64'],
    rows: [['2020-01-01', '12', '2']],
  },
  {
    sql: `SELECT FORMAT_TIMESTAMP('%FT%TZ', TIMESTAMP_SECONDS(DIV(UNIX_SECONDS(TIMESTAMP '2020-01-01 12:34:56'), 900) * 900))`,
    types: ['STRING'],
    rows: [['2020-01-01T12:30:00Z']],
  },
  {
    sql: `SELECT airport, ANY_VALUE(n HAVING MAX v), MAX(v) FROM UNNEST([STRUCT('a' AS airport, 1 AS n, 1 AS v), ('a', 2, 5), ('b', 3, 2)]) GROUP BY airport ORDER BY 1`,
    types: ['STRING', 'INT64', 'INT64'],
    rows: [
      ['a', '2', '5'],
      ['b', '3', '2'],
    ],
  },
  {
    sql: `SELECT x, y FROM UNNEST([1,2]) x, UNNEST(['a','b']) y WHERE NOT (x = 1 AND y = 'b') ORDER BY x, y`,
    types: ['INT64', 'STRING'],
    rows: [
      ['1', 'a'],
      ['2', 'a'],
      ['2', 'b'],
    ],
  },
  {
    sql: `SELECT x FROM UNNEST([1,2,3]) x TABLESAMPLE SYSTEM (10 PERCENT)`,
    fails: `TABLESAMPLE cannot be used with arrays`,
  },
  { sql: `SELECT a.x, b.x FROM UNNEST([1,2,3]) AS a_x, (SELECT 1) b`, fails: `Unrecognized name: a` },
  {
    sql: `SELECT l.x, r.x FROM (SELECT x FROM UNNEST([1,2]) x) l JOIN (SELECT x FROM UNNEST([2,3]) x) r ON l.x = r.x`,
    types: ['INT64', 'INT64'],
    rows: [['2', '2']],
  },
  {
    sql: `SELECT * FROM (SELECT 1 a) JOIN (SELECT 1 a, 2 b) USING (a) JOIN (SELECT 1 a, 3 c) USING (a)`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [['1', '2', '3']],
  },
  {
    sql: `SELECT COALESCE(a.k, b.k) k, a.v, b.v FROM (SELECT 1 k, 10 v) a FULL OUTER JOIN (SELECT 2 k, 20 v) b ON a.k = b.k ORDER BY k`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [
      ['1', '10', null],
      ['2', null, '20'],
    ],
  },
  {
    sql: `SELECT COUNT(*) FROM (SELECT 1 a) a LEFT JOIN (SELECT 2 a) b ON a.a = b.a WHERE b.a IS NULL`,
    types: ['INT64'],
    rows: [['1']],
  },
  {
    sql: `SELECT o.id, SUM(i.price * i.qty) total FROM (SELECT 1 id, [STRUCT(NUMERIC '9.99' AS price, 2 AS qty), (NUMERIC '1.01', 1)] items) o, o.items i GROUP BY o.id`,
    types: ['INT64', 'NUMERIC'],
    rows: [['1', '20.99']],
  },
  {
    sql: `SELECT id, ARRAY(SELECT AS STRUCT i.*, i.qty * 2 AS dbl FROM UNNEST(items) i WHERE qty > 1) FROM (SELECT 1 id, [STRUCT('a' AS n, 2 AS qty), ('b', 1)] items)`,
    types: ['INT64', 'ARRAY<STRUCT<n STRING, qty INT64, dbl INT64>>'],
    rows: [['1', [['a', '2', '4']]]],
  },
  {
    sql: `SELECT id, (SELECT i.n FROM UNNEST(items) i ORDER BY qty DESC LIMIT 1) top FROM (SELECT 1 id, [STRUCT('a' AS n, 2 AS qty), ('b', 5)] items)`,
    types: ['INT64', 'STRING'],
    rows: [['1', 'b']],
  },
  { sql: `SELECT STRUCT(1 AS a, [STRUCT(2 AS b)] AS c).c[OFFSET(0)].b`, types: ['INT64'], rows: [['2']] },
  {
    sql: `SELECT ARRAY_LENGTH(ARRAY<INT64>[]), ARRAY<STRING>['a'], ARRAY<STRUCT<a INT64, b STRING>>[(1,'x')]`,
    types: ['INT64', 'ARRAY<STRING>', 'ARRAY<STRUCT<a INT64, b STRING>>'],
    rows: [['0', ['a'], [['1', 'x']]]],
  },
  { sql: `SELECT [1,2][0], [1,2][SAFE_ORDINAL(3)]`, types: ['INT64', 'INT64'], rows: [['1', null]] },
  { sql: `SELECT (SELECT x FROM UNNEST([1,2]) x)`, fails: `More than one element` },
  {
    sql: `SELECT SUM(x) OVER (ORDER BY y) FROM (SELECT 1 x, 'a' y UNION ALL SELECT 2, 'b') ORDER BY 1`,
    types: ['INT64'],
    rows: [['1'], ['3']],
  },
  {
    sql: `SELECT SUM(SUM(x)) OVER (ORDER BY k) FROM (SELECT 1 x, 'a' k UNION ALL SELECT 2, 'b' UNION ALL SELECT 3, 'b') GROUP BY k ORDER BY 1`,
    types: ['INT64'],
    rows: [['1'], ['6']],
  },
  {
    sql: `SELECT k, x, RANK() OVER (ORDER BY SUM(x) DESC) FROM (SELECT 1 x, 'a' k) GROUP BY k, x`,
    types: ['STRING', 'INT64', 'INT64'],
    rows: [['a', '1', '1']],
  },
  {
    sql: `SELECT PERCENTILE_CONT(x, 0.5) OVER (PARTITION BY k) FROM (SELECT 'a' k, 1.0 x UNION ALL SELECT 'a', 2.0) LIMIT 1`,
    types: ['FLOAT64'],
    rows: [['1.5']],
  },
  {
    sql: `SELECT x, x - LAG(x, 1, 0) OVER (ORDER BY x) d, LEAD(x, 2) OVER (ORDER BY x) l2 FROM UNNEST([1,4,9]) x ORDER BY x`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [
      ['1', '1', '9'],
      ['4', '3', null],
      ['9', '5', null],
    ],
  },
  {
    sql: `SELECT AVG(x) OVER (ORDER BY UNIX_SECONDS(t) RANGE BETWEEN 3600 PRECEDING AND CURRENT ROW) a FROM (SELECT TIMESTAMP '2020-01-01 00:00:00' t, 1 x UNION ALL SELECT '2020-01-01 00:30:00', 3 UNION ALL SELECT '2020-01-01 02:00:00', 5) ORDER BY t`,
    types: ['FLOAT64'],
    rows: [['1'], ['2'], ['5']],
  },
  {
    sql: `SELECT t, ROW_NUMBER() OVER (PARTITION BY TIMESTAMP_TRUNC(t, HOUR) ORDER BY t) rn FROM UNNEST([TIMESTAMP '2020-01-01 00:00:00', '2020-01-01 00:30:00', '2020-01-01 01:00:00']) t ORDER BY t`,
    types: ['TIMESTAMP', 'INT64'],
    rows: [
      ['1577836800000000', '1'],
      ['1577838600000000', '2'],
      ['1577840400000000', '1'],
    ],
  },
  {
    sql: `SELECT x FROM UNNEST([1,2,3,4]) x WHERE MOD(x, 2) = 0 QUALIFY x = MAX(x) OVER ()`,
    types: ['INT64'],
    rows: [['4']],
  },
  { sql: `SELECT MIN(x), MAX(x) FROM UNNEST(['b','a']) x`, types: ['STRING', 'STRING'], rows: [['a', 'b']] },
  {
    sql: `SELECT SUM(x), AVG(x), MIN(x), COUNT(x), ARRAY_AGG(x), STRING_AGG(CAST(x AS STRING)) FROM UNNEST(CAST([] AS ARRAY<INT64>)) x`,
    types: ['INT64', 'FLOAT64', 'INT64', 'INT64', 'ARRAY<INT64>', 'STRING'],
    rows: [[null, null, null, '0', [], null]],
  },
  { sql: `SELECT SUM(x) FROM UNNEST([9223372036854775807, 1]) x`, fails: `int64 overflow` },
  { sql: `SELECT SUM(x) FROM UNNEST([0.1,0.2,0.3]) x`, types: ['FLOAT64'], rows: [['0.6']] },
  { sql: `SELECT CAST(x AS INT64) FROM UNNEST(['1','x']) x`, fails: `Bad int64 value: x` },
  {
    sql: `SELECT CAST('nan' AS FLOAT64), IS_NAN(CAST('nan' AS FLOAT64)), CAST('-inf' AS FLOAT64), IEEE_DIVIDE(0,0)`,
    types: ['FLOAT64', 'BOOL', 'FLOAT64', 'FLOAT64'],
    rows: [['NaN', 'true', '-Infinity', 'NaN']],
  },
  {
    sql: `SELECT LENGTH('😀'), SUBSTR('😀a', 2), REVERSE('😀a'), UPPER('é'), STRPOS('aé','é'), LPAD('é', 3, 'ab')`,
    types: ['INT64', 'STRING', 'STRING', 'STRING', 'INT64', 'STRING'],
    rows: [['1', 'a', 'a😀', 'É', '2', 'abé']],
  },
  {
    sql: `SELECT TO_JSON_STRING(1.0), TO_JSON_STRING(CAST('inf' AS FLOAT64)), TO_JSON_STRING(TIMESTAMP '2020-01-01 00:00:00.5'), TO_JSON_STRING(b'ab'), TO_JSON_STRING(9007199254740993), TO_JSON_STRING(NULL), TO_JSON_STRING([1,NULL]), TO_JSON_STRING(INTERVAL 1 DAY), TO_JSON_STRING(NUMERIC '12345678901234567890')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING', 'STRING', 'STRING', 'STRING', 'STRING', 'STRING'],
    rows: [
      [
        '1',
        '"Infinity"',
        '"2020-01-01T00:00:00.500Z"',
        '"YWI="',
        '"9007199254740993"',
        'null',
        '[1,null]',
        '"P1D"',
        '"12345678901234567890"',
      ],
    ],
  },
  {
    sql: `SELECT JSON_VALUE(j, '$.user.name'), CAST(JSON_VALUE(j, '$.n') AS INT64) + 1, JSON_QUERY(j, '$.tags'), ARRAY(SELECT JSON_VALUE(t) FROM UNNEST(JSON_QUERY_ARRAY(j, '$.tags')) t) FROM (SELECT '{"user":{"name":"x"},"n":5,"tags":["a","b"]}' j)`,
    types: ['STRING', 'INT64', 'STRING', 'ARRAY<STRING>'],
    rows: [['x', '6', '["a","b"]', ['a', 'b']]],
  },
  {
    sql: `SELECT ARRAY(SELECT x FROM UNNEST([3,1,2]) AS x WITH OFFSET o ORDER BY o DESC), ARRAY(SELECT x FROM UNNEST([3,1,2]) x ORDER BY x LIMIT 1 OFFSET 1)`,
    types: ['ARRAY<INT64>', 'ARRAY<INT64>'],
    rows: [[['2', '1', '3'], ['2']]],
  },
  {
    sql: `SELECT (SELECT ARRAY_AGG(x) FROM UNNEST(a) x WHERE x > 1) FROM (SELECT [1,2,3] a)`,
    types: ['ARRAY<INT64>'],
    rows: [[['2', '3']]],
  },
  {
    sql: `SELECT SAFE_DIVIDE(SUM(IF(x > 1, 1, 0)), COUNT(*)), COUNTIF(x > 1) / COUNT(*) FROM UNNEST([1,2,3,4]) x`,
    types: ['FLOAT64', 'FLOAT64'],
    rows: [['0.75', '0.75']],
  },
  {
    sql: `SELECT k, MAX(IF(q = 'x', v, NULL)) x, MAX(IF(q = 'y', v, NULL)) y FROM UNNEST([STRUCT('a' AS k, 'x' AS q, 1 AS v), ('a','y',2)]) GROUP BY k`,
    types: ['STRING', 'INT64', 'INT64'],
    rows: [['a', '1', '2']],
  },
  {
    sql: `SELECT GENERATE_ARRAY(0, 10, 5), (SELECT SUM(x) FROM UNNEST(GENERATE_ARRAY(1, 100)) x)`,
    types: ['ARRAY<INT64>', 'INT64'],
    rows: [[['0', '5', '10'], '5050']],
  },
  {
    sql: `SELECT IF(TRUE, 1, 2.5), CASE WHEN FALSE THEN 1 ELSE NUMERIC '2.5' END, COALESCE(NULL, 1, 2.0), [1, 2.5], IFNULL(NULL, DATE '2020-01-01')`,
    types: ['FLOAT64', 'NUMERIC', 'FLOAT64', 'ARRAY<FLOAT64>', 'DATE'],
    rows: [['1', '2.5', '1', ['1', '2.5'], '2020-01-01']],
  },
  {
    sql: `SELECT x.a, x.b.c FROM UNNEST([STRUCT(1 AS a, STRUCT('z' AS c) AS b)]) x`,
    types: ['INT64', 'STRING'],
    rows: [['1', 'z']],
  },
  {
    sql: `SELECT a, c FROM (SELECT 1 a, STRUCT('z' AS c) b), UNNEST([b.c]) c`,
    types: ['INT64', 'STRING'],
    rows: [['1', 'z']],
  },
  { sql: `SELECT * FROM (VALUES (1,2))`, fails: `Syntax error: Expected keyword JOIN but got ")"` },
];
