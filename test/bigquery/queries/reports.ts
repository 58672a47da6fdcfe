/** Reports over a few rows and their results, as GoogleSQL's reference implementation (ZetaSQL's evaluator) gives them. */
import type { QueryCase } from './query-case.ts';

export const CASES: readonly QueryCase[] = [
  {
    sql: `with orders as (select 1 id, 'a' customer, numeric '10.50' amount, date '2020-01-01' day union all select 2, 'b', numeric '20', date '2020-01-01' union all select 3, 'a', numeric '5.25', date '2020-01-02') select day, count(*) orders, sum(amount) revenue, max(amount) top from orders group by day having sum(amount) > 1 order by day`,
    types: ['DATE', 'INT64', 'NUMERIC', 'NUMERIC'],
    rows: [
      ['2020-01-01', '2', '30.5', '20'],
      ['2020-01-02', '1', '5.25', '5.25'],
    ],
  },
  {
    sql: `with orders as (select 1 id, 'a' customer, numeric '10.50' amount union all select 2, 'b', numeric '20' union all select 3, 'a', numeric '5.25') select customer, amount, rank() over (partition by customer order by amount desc) r, amount / sum(amount) over (partition by customer) share from orders order by customer, r`,
    types: ['STRING', 'NUMERIC', 'INT64', 'NUMERIC'],
    rows: [
      ['a', '10.5', '1', '0.666666667'],
      ['a', '5.25', '2', '0.333333333'],
      ['b', '20', '1', '1'],
    ],
  },
  {
    sql: `with visits as (select 'u1' user, timestamp '2020-01-01 00:00:00' ts union all select 'u1', timestamp '2020-01-01 00:10:00' union all select 'u1', timestamp '2020-01-01 02:00:00' union all select 'u2', timestamp '2020-01-01 00:00:00') select user, countif(gap is null or gap > 30) sessions from (select user, timestamp_diff(ts, lag(ts) over (partition by user order by ts), minute) gap from visits) group by user order by user`,
    types: ['STRING', 'INT64'],
    rows: [
      ['u1', '2'],
      ['u2', '1'],
    ],
  },
  {
    sql: `with t as (select 'x' k, 1 v union all select 'y', 2), u as (select 'x' k, 10 w union all select 'z', 30) select coalesce(t.k, u.k) k, v, w from t full outer join u on t.k = u.k order by k`,
    types: ['STRING', 'INT64', 'INT64'],
    rows: [
      ['x', '1', '10'],
      ['y', '2', null],
      ['z', null, '30'],
    ],
  },
  {
    sql: `with t as (select 1 id, [struct('a' as k, 1 as v), struct('b' as k, 2 as v)] kvs) select id, (select v from unnest(kvs) where k = 'b') b, (select count(*) from unnest(kvs)) n, exists(select 1 from unnest(kvs) kv where kv.v > 1) big from t`,
    types: ['INT64', 'INT64', 'INT64', 'BOOL'],
    rows: [['1', '2', '2', 'true']],
  },
  {
    sql: `with t as (select 1 id, [struct('a' as k, 1 as v), struct('b' as k, 2 as v)] kvs) select id, array(select as struct k, v * 10 as v from unnest(kvs) order by v desc) as scaled from t`,
    types: ['INT64', 'ARRAY<STRUCT<k STRING, v INT64>>'],
    rows: [
      [
        '1',
        [
          ['b', '20'],
          ['a', '10'],
        ],
      ],
    ],
  },
  {
    sql: `select date_trunc(day, isoweek) week, sum(n) n from (select date '2020-01-05' day, 1 n union all select date '2020-01-06', 2 union all select date '2020-01-12', 4) group by 1 order by 1`,
    types: ['DATE', 'INT64'],
    rows: [
      ['2019-12-30', '1'],
      ['2020-01-06', '6'],
    ],
  },
  {
    sql: `select * from (select 1 a, 2 b union all select 3, 4) where a > 1 or b = 2 order by a desc`,
    types: ['INT64', 'INT64'],
    rows: [
      ['3', '4'],
      ['1', '2'],
    ],
  },
  {
    sql: `select a, b from (select 1 a, 'x' b union all select 1, 'x' union all select 2, 'y') group by a, b order by a`,
    types: ['INT64', 'STRING'],
    rows: [
      ['1', 'x'],
      ['2', 'y'],
    ],
  },
  {
    sql: `select a, count(distinct b) n, string_agg(distinct b, ',' order by b) bs from (select 1 a, 'x' b union all select 1, 'y' union all select 1, 'x') group by a`,
    types: ['INT64', 'INT64', 'STRING'],
    rows: [['1', '2', 'x,y']],
  },
  {
    sql: `select any_value(x) is not null, array_length(array_agg(x)) from unnest([1,2,3]) x`,
    types: ['BOOL', 'INT64'],
    rows: [['true', '3']],
  },
  {
    sql: `select min(d), max(d), max(t), min(s) from (select date '2020-01-01' d, timestamp '2020-01-01' t, 'b' s union all select date '2020-02-01', timestamp '2019-01-01', 'a')`,
    types: ['DATE', 'DATE', 'TIMESTAMP', 'STRING'],
    rows: [['2020-01-01', '2020-02-01', '1577836800000000', 'a']],
  },
  {
    sql: `select sum(x) filter_free, sum(case when x > 1 then x end) big from unnest([1,2,3]) x`,
    types: ['INT64', 'INT64'],
    rows: [['6', '5']],
  },
  {
    sql: `select cast(null as string) is null, ifnull(cast(null as int64), 7), nullif('a', 'b'), coalesce(null, null, 'z')`,
    types: ['BOOL', 'INT64', 'STRING', 'STRING'],
    rows: [['true', '7', 'a', 'z']],
  },
  {
    sql: `select lead(x, 2, 0) over (order by x), lag(x, 1) over (order by x desc), last_value(x) over (order by x) from unnest([1,2,3,4]) x order by x`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [
      ['3', '2', '1'],
      ['4', '3', '2'],
      ['0', '4', '3'],
      ['0', null, '4'],
    ],
  },
  {
    sql: `select x, sum(x) over (order by x rows 1 preceding) a, max(x) over (order by x rows between current row and 1 following) b, count(*) over (order by x range unbounded preceding) c from unnest([1,2,2,5]) x order by x, a`,
    types: ['INT64', 'INT64', 'INT64', 'INT64'],
    rows: [
      ['1', '1', '2', '1'],
      ['2', '3', '2', '3'],
      ['2', '4', '5', '3'],
      ['5', '7', '5', '4'],
    ],
  },
  {
    sql: `select if(x is null, 'none', format('%05.1f', x)) from unnest([1.25, null, 100.0]) x order by 1`,
    types: ['STRING'],
    rows: [['001.2'], ['100.0'], ['none']],
  },
  { sql: `select net from (select 5 as net), unnest([1]) where net > 1`, types: ['INT64'], rows: [['5']] },
  {
    sql: `select k, sum(v) from unnest([struct('a' as k, 1 as v), struct('b', 2), struct('a', 3)]) group by k order by sum(v) desc, k`,
    types: ['STRING', 'INT64'],
    rows: [
      ['a', '4'],
      ['b', '2'],
    ],
  },
  {
    sql: `select extract(year from d) * 100 + extract(month from d) ym, count(*) from unnest([date '2020-01-31', date '2020-02-01', date '2020-02-02']) d group by ym order by ym`,
    types: ['INT64', 'INT64'],
    rows: [
      ['202001', '1'],
      ['202002', '2'],
    ],
  },
  {
    sql: `select array_agg(x order by x desc)[offset(0)] top, array_to_string(array_agg(cast(x as string) order by x), '>') path from unnest([2,1,3]) x`,
    types: ['INT64', 'STRING'],
    rows: [['3', '1>2>3']],
  },
  {
    sql: `select (select sum(y) from unnest(generate_array(1, x)) y) tri from unnest([1,2,3]) x order by tri`,
    types: ['INT64'],
    rows: [['1'], ['3'], ['6']],
  },
  {
    sql: `select replace(regexp_replace(lower(trim('  Hello,  World  ')), r'[^a-z]+', '-'), '--', '-'), regexp_extract('order-0042', r'(\\d+)$'), cast(regexp_extract('order-0042', r'(\\d+)$') as int64)`,
    types: ['STRING', 'STRING', 'INT64'],
    rows: [['hello-world', '0042', '42']],
  },
  {
    sql: `select to_json_string(t) from (select 1 a, 'x' b, [1,2] c, struct(true as e) d) t`,
    types: ['STRING'],
    rows: [['{"a":1,"b":"x","c":[1,2],"d":{"e":true}}']],
  },
  {
    sql: `select to_json_string(struct(timestamp '2020-01-01 10:00:00.5' as ts, date '2020-01-01' as d, numeric '1.50' as n, 1.0 as f, null as z))`,
    types: ['STRING'],
    rows: [['{"ts":"2020-01-01T10:00:00.500Z","d":"2020-01-01","n":"1.5","f":1,"z":null}']],
  },
  {
    sql: `select int64(json_query(j, '$.n')) + 1, string(j.s), json_value(j.o.p), bool(j.t) from (select json '{"n":41,"s":"x","o":{"p":"q"},"t":true}' j)`,
    types: ['INT64', 'STRING', 'STRING', 'BOOL'],
    rows: [['42', 'x', 'q', 'true']],
  },
  { sql: `select x from unnest(['b','a','C']) x order by lower(x)`, types: ['STRING'], rows: [['a'], ['b'], ['C']] },
  { sql: `select x, x is distinct from null, x <=> 1 from unnest([1]) x`, fails: 'Syntax error: Unexpected ">"' },
  {
    sql: `select 1 union all select 2 union all select 3 order by 1 desc limit 2`,
    types: ['INT64'],
    rows: [['3'], ['2']],
  },
  {
    sql: `with a as (select 1 x), b as (select x + 1 y from a), c as (select x, y from a, b) select * from c`,
    types: ['INT64', 'INT64'],
    rows: [['1', '2']],
  },
  {
    sql: `select * from (select 1 x union all select 2) a cross join (select 'p' y union all select 'q') b order by x, y`,
    types: ['INT64', 'STRING'],
    rows: [
      ['1', 'p'],
      ['1', 'q'],
      ['2', 'p'],
      ['2', 'q'],
    ],
  },
  {
    sql: `select t1.x from unnest([1,2,3]) t1_x, unnest([struct(1 as x), struct(2)]) t1 where t1_x = t1.x order by 1`,
    types: ['INT64'],
    rows: [['1'], ['2']],
  },
  {
    sql: `select case x when 1 then 'one' when 2 then 'two' end from unnest([1,2,3]) x order by x`,
    types: ['STRING'],
    rows: [['one'], ['two'], [null]],
  },
  {
    sql: `select sum(a * b) / sum(b) weighted, round(avg(a), 2) from (select 1.0 a, 2 b union all select 2.0, 3 union all select 4.0, 5)`,
    types: ['FLOAT64', 'FLOAT64'],
    rows: [['2.8', '2.33']],
  },
  {
    sql: `select approximate from (select 3.14159 approximate) where approximate between 3 and 4`,
    types: ['FLOAT64'],
    rows: [['3.14159']],
  },
  {
    sql: `select upper(substr(name, 1, 1)) || lower(substr(name, 2)) from unnest(['aNNA', 'bob']) name order by 1`,
    types: ['STRING'],
    rows: [['Anna'], ['Bob']],
  },
  {
    sql: `select timestamp_seconds(div(unix_seconds(ts), 900) * 900) slot, count(*) from unnest([timestamp '2020-01-01 00:14:59', timestamp '2020-01-01 00:15:00']) ts group by slot order by slot`,
    types: ['TIMESTAMP', 'INT64'],
    rows: [
      ['1577836800000000', '1'],
      ['1577837700000000', '1'],
    ],
  },
  {
    sql: `select x, ntile(3) over (order by x) from unnest([10,20,30,40]) x order by x`,
    types: ['INT64', 'INT64'],
    rows: [
      ['10', '1'],
      ['20', '1'],
      ['30', '2'],
      ['40', '3'],
    ],
  },
  {
    sql: `select d, lead(d) over (order by d) - d from unnest([date '2020-01-01', date '2020-01-04']) d order by d`,
    types: ['DATE', 'INTERVAL'],
    rows: [
      ['2020-01-01', '0-0 3 0:0:0'],
      ['2020-01-04', null],
    ],
  },
];
