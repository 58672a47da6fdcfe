/** Queries and their results, as GoogleSQL's reference implementation (ZetaSQL's evaluator) gives them. */
import type { QueryCase } from './query-case.ts';

export const CASES: readonly QueryCase[] = [
  {
    sql: `select 1 a, 1.5 b, 'x' c, date '2020-01-01' d, timestamp '2020-01-01 00:00:00.123456' e`,
    types: ['INT64', 'FLOAT64', 'STRING', 'DATE', 'TIMESTAMP'],
    rows: [['1', '1.5', 'x', '2020-01-01', '1577836800123456']],
  },
  {
    sql: `select 1/2, 7/2, 1.5*2, 1+2, 5-7, numeric '1.5'*numeric '2.5', numeric '1'/3`,
    types: ['FLOAT64', 'FLOAT64', 'FLOAT64', 'INT64', 'INT64', 'NUMERIC', 'NUMERIC'],
    rows: [['0.5', '3.5', '3', '3', '-2', '3.75', '0.333333333']],
  },
  { sql: `select x from unnest([1,2,3]) x where x > 1 order by x desc`, types: ['INT64'], rows: [['3'], ['2']] },
  {
    sql: `select count(*), sum(x), avg(x), min(x), max(x) from unnest([1,2,3]) x`,
    types: ['INT64', 'INT64', 'FLOAT64', 'INT64', 'INT64'],
    rows: [['3', '6', '2', '1', '3']],
  },
  {
    sql: `select x, count(*) c from unnest([1,1,2]) x group by x order by x`,
    types: ['INT64', 'INT64'],
    rows: [
      ['1', '2'],
      ['2', '1'],
    ],
  },
  {
    sql: `select a.x, b.y from unnest([1,2]) a_x, unnest([struct(1 as x)]) a join unnest([struct(1 as x, 'k' as y)]) b on a.x=b.x`,
    types: ['INT64', 'STRING'],
    rows: [
      ['1', 'k'],
      ['1', 'k'],
    ],
  },
  {
    sql: `with t as (select 1 id, 'a' name union all select 2, 'b') select * from t where id in (select id from t where name='b')`,
    types: ['INT64', 'STRING'],
    rows: [['2', 'b']],
  },
  {
    sql: `select x, row_number() over (order by x desc) rn from unnest([1,2,3]) x qualify rn = 1`,
    types: ['INT64', 'INT64'],
    rows: [['3', '1']],
  },
  {
    sql: `select array_agg(x order by x desc limit 2) from unnest([1,2,3]) x`,
    types: ['ARRAY<INT64>'],
    rows: [[['3', '2']]],
  },
  {
    sql: `select array(select x*2 from unnest([1,2,3]) x where x>1 order by x desc)`,
    types: ['ARRAY<INT64>'],
    rows: [[['6', '4']]],
  },
  {
    sql: `select struct(1 as a, 'x' as b).b, (select as struct 1 a, 2 b).a`,
    types: ['STRING', 'INT64'],
    rows: [['x', '1']],
  },
  {
    sql: `select * from (select 1 a, 'x' k union all select 2, 'y') pivot (sum(a) for k in ('x','y'))`,
    types: ['INT64', 'INT64'],
    rows: [['1', '2']],
  },
  {
    sql: `select s.*, o from unnest([struct(1 as a, 2 as b),(3,4)]) s with offset o order by o`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [
      ['1', '2', '0'],
      ['3', '4', '1'],
    ],
  },
  {
    sql: `with recursive r as (select 1 n union all select n+1 from r where n<5) select sum(n) from r`,
    types: ['INT64'],
    rows: [['15']],
  },
  {
    sql: `select if(true,1,2.5), ifnull(null,'a'), coalesce(null,1,2), nullif(1,1), case 1 when 1 then 'a' else 'b' end`,
    types: ['FLOAT64', 'STRING', 'INT64', 'INT64', 'STRING'],
    rows: [['1', 'a', '1', null, 'a']],
  },
  {
    sql: `select extract(year from date '2020-05-06'), extract(dayofweek from date '2020-05-06'), extract(hour from timestamp '2020-05-06 10:11:12'), extract(isoweek from date '2021-01-01')`,
    types: ['INT64', 'INT64', 'INT64', 'INT64'],
    rows: [['2020', '4', '10', '53']],
  },
  {
    sql: `select timestamp_trunc(timestamp '2020-05-06 10:11:12', hour), date_trunc(date '2020-05-06', month), timestamp_diff(timestamp '2020-05-06', timestamp '2020-05-05', hour), date_add(date '2020-01-31', interval 1 month)`,
    types: ['TIMESTAMP', 'DATE', 'INT64', 'DATE'],
    rows: [['1588759200000000', '2020-05-01', '24', '2020-02-29']],
  },
  {
    sql: `select countif(x>1), logical_or(x>2), string_agg(cast(x as string), '-'), any_value(x) from unnest([1,2,3]) x`,
    types: ['INT64', 'BOOL', 'STRING', 'INT64'],
    rows: [['2', 'true', '1-2-3', '1']],
  },
  {
    sql: `select name, sum(v) over (partition by name order by v rows between unbounded preceding and current row) s from (select 'a' name, 1 v union all select 'a',2 union all select 'b', 5) order by 1,2`,
    types: ['STRING', 'INT64'],
    rows: [
      ['a', '1'],
      ['a', '3'],
      ['b', '5'],
    ],
  },
  {
    sql: `select json_value('{"a":{"b":"c"}}','$.a.b'), json_query('{"a":[1,2]}','$.a'), to_json_string(struct(1 as a)), parse_json('{"b":1,"a":2}')`,
    types: ['STRING', 'STRING', 'STRING', 'JSON'],
    rows: [['c', '[1,2]', '{"a":1}', '{"a":2,"b":1}']],
  },
  {
    sql: `select format('%d-%s-%t', 1, 'a', date '2020-01-01'), concat('a','b'), substr('hello',2,3), upper('a'), split('a,b'), regexp_extract('foo123','[0-9]+')`,
    types: ['STRING', 'STRING', 'STRING', 'STRING', 'ARRAY<STRING>', 'STRING'],
    rows: [['1-a-2020-01-01', 'ab', 'ell', 'A', ['a', 'b'], '123']],
  },
  {
    sql: `select safe_cast('x' as int64), safe_divide(1,0), safe.substr('a',0,-1), cast('12' as int64)`,
    types: ['INT64', 'FLOAT64', 'STRING', 'INT64'],
    rows: [[null, null, null, '12']],
  },
  {
    sql: `select * from unnest(generate_date_array('2020-01-01','2020-01-03')) d order by d`,
    types: ['DATE'],
    rows: [['2020-01-01'], ['2020-01-02'], ['2020-01-03']],
  },
  {
    sql: `select [1,2,3][offset(0)], [1,2,3][safe_offset(5)], array_length([1,2]), array_to_string(['a','b'],'-'), array_concat([1],[2,3])`,
    types: ['INT64', 'INT64', 'INT64', 'STRING', 'ARRAY<INT64>'],
    rows: [['1', null, '2', 'a-b', ['1', '2', '3']]],
  },
  { sql: `select [1,2,3][offset(3)]`, fails: 'Array index 3 is out of bounds' },
  { sql: `select 1/0`, fails: 'division by zero: 1 / 0' },
  { sql: `select 9223372036854775807+1`, fails: 'int64 overflow: 9223372036854775807 + 1' },
  { sql: `select * except(a) from (select 1 a, 2 b)`, types: ['INT64'], rows: [['2']] },
  { sql: `select * replace(b+1 as b) from (select 1 a, 2 b)`, types: ['INT64', 'INT64'], rows: [['1', '3']] },
  { sql: `select a from (select 1 a) union all select 2.5`, types: ['FLOAT64'], rows: [['1'], ['2.5']] },
  {
    sql: `select exists(select 1 from unnest([1]) x where x=2), 2 in unnest([1,2]), 'abc' like 'a%', 5 between 1 and 10, null is null`,
    types: ['BOOL', 'BOOL', 'BOOL', 'BOOL', 'BOOL'],
    rows: [['false', 'true', 'true', 'true', 'true']],
  },
  {
    sql: `select t, t.a from (select 1 a, 'x' b) t`,
    types: ['STRUCT<a INT64, b STRING>', 'INT64'],
    rows: [[['1', 'x'], '1']],
  },
  { sql: `select current_date() is not null`, types: ['BOOL'], rows: [['true']] },
];
