/** Examples out of BigQuery's documentation that its reference implementation does not evaluate. */
import type { QueryCase } from './query-case.ts';

export const CASES: readonly QueryCase[] = [
  {
    sql: 'SELECT APPROX_QUANTILES(x, 2) AS approx_quantiles FROM UNNEST([1, 1, 1, 4, 5, 6, 7, 8, 9, 10]) AS x',
    types: ['ARRAY<INT64>'],
    rows: [[['1', '5', '10']]],
  },
  {
    sql: 'SELECT APPROX_QUANTILES(x, 100)[OFFSET(90)] AS percentile_90 FROM UNNEST([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) AS x',
    types: ['INT64'],
    rows: [['9']],
  },
  {
    sql: 'SELECT APPROX_QUANTILES(DISTINCT x, 2) AS approx_quantiles FROM UNNEST([1, 1, 1, 4, 5, 6, 7, 8, 9, 10]) AS x',
    types: ['ARRAY<INT64>'],
    rows: [[['1', '6', '10']]],
  },
  {
    sql: "SELECT FORMAT('%T', APPROX_QUANTILES(x, 2 RESPECT NULLS)) AS approx_quantiles FROM UNNEST([NULL, NULL, 1, 1, 1, 4, 5, 6, 7, 8, 9, 10]) AS x",
    types: ['STRING'],
    rows: [['[NULL, 4, 10]']],
  },
  {
    sql: "SELECT FORMAT('%T', APPROX_QUANTILES(DISTINCT x, 2 RESPECT NULLS)) AS approx_quantiles FROM UNNEST([NULL, NULL, 1, 1, 1, 4, 5, 6, 7, 8, 9, 10]) AS x",
    types: ['STRING'],
    rows: [['[NULL, 6, 10]']],
  },
  {
    sql: 'SELECT APPROX_COUNT_DISTINCT(x) AS approx_distinct FROM UNNEST([0, 1, 1, 2, 3, 5]) AS x',
    types: ['INT64'],
    rows: [['5']],
  },
  {
    sql: 'SELECT APPROX_TOP_COUNT(x, 2) AS approx_top_count FROM UNNEST(["apple", "apple", "pear", "pear", "pear", "banana"]) AS x',
    types: ['ARRAY<STRUCT<value STRING, count INT64>>'],
    rows: [
      [
        [
          ['pear', '3'],
          ['apple', '2'],
        ],
      ],
    ],
  },
  {
    sql: 'SELECT APPROX_TOP_COUNT(x, 2) AS approx_top_count FROM UNNEST([NULL, "pear", "pear", "pear", "apple", NULL]) AS x',
    types: ['ARRAY<STRUCT<value STRING, count INT64>>'],
    rows: [
      [
        [
          ['pear', '3'],
          [null, '2'],
        ],
      ],
    ],
  },
  { sql: "SELECT CONTAINS_SUBSTR('the blue house', 'Blue house') AS result", types: ['BOOL'], rows: [['true']] },
  { sql: "SELECT CONTAINS_SUBSTR('the red house', 'blue') AS result", types: ['BOOL'], rows: [['false']] },
  {
    sql: "SELECT '\\u2168 day' AS a, 'IX' AS b, CONTAINS_SUBSTR('\\u2168', 'IX') AS result",
    types: ['STRING', 'STRING', 'BOOL'],
    rows: [['Ⅸ day', 'IX', 'true']],
  },
  { sql: "SELECT CONTAINS_SUBSTR((23, 35, 41), '35') AS result", types: ['BOOL'], rows: [['true']] },
  {
    sql: `WITH Products AS (
      SELECT 'shirt' AS product_type, 't-shirt' AS product_name, 3 AS product_count UNION ALL
      SELECT 'shirt', 't-shirt', 8 UNION ALL
      SELECT 'shirt', 'polo', 25 UNION ALL
      SELECT 'pants', 'jeans', 6)
    SELECT product_type, product_name, SUM(product_count) AS product_sum, GROUPING(product_type) AS product_type_agg, GROUPING(product_name) AS product_name_agg
    FROM Products GROUP BY ROLLUP (product_type, product_name) ORDER BY product_type, product_name`,
    types: ['STRING', 'STRING', 'INT64', 'INT64', 'INT64'],
    rows: [
      [null, null, '42', '1', '1'],
      ['pants', null, '6', '0', '1'],
      ['pants', 'jeans', '6', '0', '0'],
      ['shirt', null, '36', '0', '1'],
      ['shirt', 'polo', '25', '0', '0'],
      ['shirt', 't-shirt', '11', '0', '0'],
    ],
  },
  {
    sql: `WITH Products AS (
      SELECT 'shirt' AS product_type, 't-shirt' AS product_name, 3 AS product_count UNION ALL
      SELECT 'shirt', 't-shirt', 8 UNION ALL
      SELECT 'pants', 'jeans', 6)
    SELECT product_type, product_name, SUM(product_count) AS product_sum
    FROM Products GROUP BY GROUPING SETS (product_type, product_name, ()) ORDER BY product_type, product_name`,
    types: ['STRING', 'STRING', 'INT64'],
    rows: [
      [null, null, '17'],
      [null, 'jeans', '6'],
      [null, 't-shirt', '11'],
      ['pants', null, '6'],
      ['shirt', null, '11'],
    ],
  },
  {
    sql: "WITH p AS (SELECT 'a' AS x, 'b' AS y, 1 AS n UNION ALL SELECT 'a', 'c', 2) SELECT x, y, SUM(n) FROM p GROUP BY CUBE (x, y) ORDER BY x, y",
    types: ['STRING', 'STRING', 'INT64'],
    rows: [
      [null, null, '3'],
      [null, 'b', '1'],
      [null, 'c', '2'],
      ['a', null, '3'],
      ['a', 'b', '1'],
      ['a', 'c', '2'],
    ],
  },
  {
    sql: "SELECT x, COUNT(*) AS n FROM UNNEST(['a', 'b', 'a']) AS x GROUP BY ALL ORDER BY x",
    types: ['STRING', 'INT64'],
    rows: [
      ['a', '2'],
      ['b', '1'],
    ],
  },
  {
    sql: `WITH Produce AS (
      SELECT 'Kale' AS product, 51 AS sales, 'Q1' AS quarter, 2020 AS year UNION ALL
      SELECT 'Kale', 23, 'Q2', 2020 UNION ALL
      SELECT 'Kale', 45, 'Q3', 2020 UNION ALL
      SELECT 'Kale', 3, 'Q4', 2020 UNION ALL
      SELECT 'Kale', 70, 'Q1', 2021 UNION ALL
      SELECT 'Kale', 85, 'Q2', 2021 UNION ALL
      SELECT 'Apple', 77, 'Q1', 2020 UNION ALL
      SELECT 'Apple', 0, 'Q2', 2020 UNION ALL
      SELECT 'Apple', 1, 'Q1', 2021)
    SELECT * FROM Produce PIVOT(SUM(sales) FOR quarter IN ('Q1', 'Q2', 'Q3', 'Q4')) ORDER BY product, year`,
    types: ['STRING', 'INT64', 'INT64', 'INT64', 'INT64', 'INT64'],
    rows: [
      ['Apple', '2020', '77', '0', null, null],
      ['Apple', '2021', '1', null, null, null],
      ['Kale', '2020', '51', '23', '45', '3'],
      ['Kale', '2021', '70', '85', null, null],
    ],
  },
  { sql: 'SELECT TO_BASE32(b"abcde\\xFF") AS base32_string', types: ['STRING'], rows: [['MFRGGZDF74======']] },
  { sql: 'SELECT FROM_BASE32("MFRGGZDF74======") AS byte_data', types: ['BYTES'], rows: [['YWJjZGX/']] },
  { sql: "SELECT EDIT_DISTANCE('a', 'b') AS results", types: ['INT64'], rows: [['1']] },
  { sql: "SELECT EDIT_DISTANCE('abcdefg', 'a', max_distance => 2) AS results", types: ['INT64'], rows: [['2']] },
  {
    sql: `WITH some_datetimes AS (
      SELECT DATETIME '1949-12-30 13:00:00' AS my_datetime UNION ALL
      SELECT DATETIME '1949-12-31 00:00:00' UNION ALL
      SELECT DATETIME '1949-12-31 13:00:00' UNION ALL
      SELECT DATETIME '1950-01-01 00:00:00' UNION ALL
      SELECT DATETIME '1950-01-01 13:00:00' UNION ALL
      SELECT DATETIME '1950-01-02 00:00:00')
    SELECT DATETIME_BUCKET(my_datetime, INTERVAL 12 HOUR) AS bucket_lower_bound FROM some_datetimes`,
    types: ['DATETIME'],
    rows: [
      ['1949-12-30T12:00:00'],
      ['1949-12-31T00:00:00'],
      ['1949-12-31T12:00:00'],
      ['1950-01-01T00:00:00'],
      ['1950-01-01T12:00:00'],
      ['1950-01-02T00:00:00'],
    ],
  },
  {
    sql: `WITH some_dates AS (
      SELECT DATE '1949-12-29' AS my_date UNION ALL SELECT DATE '1949-12-30' UNION ALL SELECT DATE '1949-12-31' UNION ALL
      SELECT DATE '1950-01-01' UNION ALL SELECT DATE '1950-01-02' UNION ALL SELECT DATE '1950-01-03')
    SELECT DATE_BUCKET(my_date, INTERVAL 2 DAY) AS bucket_lower_bound FROM some_dates`,
    types: ['DATE'],
    rows: [['1949-12-28'], ['1949-12-30'], ['1949-12-30'], ['1950-01-01'], ['1950-01-01'], ['1950-01-03']],
  },
  { sql: 'SELECT JSON_KEYS(JSON \'{"a": {"b": 1}}\') AS json_keys', types: ['ARRAY<STRING>'], rows: [[['a', 'a.b']]] },
  { sql: 'SELECT JSON_KEYS(JSON \'{"a": {"b": 1}}\', 1) AS json_keys', types: ['ARRAY<STRING>'], rows: [[['a']]] },
  {
    sql: "SELECT CAST('18-12-03' AS DATE FORMAT 'RR-MM-DD') AS string_to_date",
    types: ['DATE'],
    rows: [['2018-12-03']],
  },
  { sql: 'SELECT AS STRUCT 1 AS a, 2 AS b', types: ['INT64', 'INT64'], rows: [['1', '2']] },
  { sql: "SELECT AS VALUE STRUCT(1 AS a, 'x' AS b)", types: ['INT64', 'STRING'], rows: [['1', 'x']] },
];
