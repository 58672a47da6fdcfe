/** Queries and their results, as GoogleSQL's reference implementation (ZetaSQL's evaluator) gives them. */
import type { QueryCase } from './query-case.ts';

export const CASES: readonly QueryCase[] = [
  {
    sql: `with t as (select 'ATL' airport, timestamp '2020-01-01 00:00:00' w, 5 n, 1 v union all select 'ATL', timestamp '2020-01-01 01:00:00', 7, 1 union all select 'LAX', timestamp '2020-01-01 00:00:00', 3, 2) select airport, array_agg(struct(w, n) order by w desc limit 1)[offset(0)].n as latest from t group by airport order by airport`,
    types: ['STRING', 'INT64'],
    rows: [
      ['ATL', '7'],
      ['LAX', '3'],
    ],
  },
  {
    sql: `with t as (select 'ATL' airport, 5 n, 1 v union all select 'ATL', 7, 2 union all select 'LAX', 3, 2) select * except(rn) from (select *, row_number() over (partition by airport order by v desc) rn from t) where rn = 1 order by airport`,
    types: ['STRING', 'INT64', 'INT64'],
    rows: [
      ['ATL', '7', '2'],
      ['LAX', '3', '2'],
    ],
  },
  {
    sql: `with t as (select 'ATL' airport, 5 n, 1 v union all select 'ATL', 7, 2 union all select 'LAX', 3, 2) select airport, n from t where true qualify row_number() over (partition by airport order by v desc) = 1 order by 1`,
    types: ['STRING', 'INT64'],
    rows: [
      ['ATL', '7'],
      ['LAX', '3'],
    ],
  },
  {
    sql: `with t as (select 'ATL' airport, 5 n, 1 v union all select 'ATL', 7, 2 union all select 'LAX', 3, 2) select airport, sum(n) total, safe_divide(sum(n), sum(sum(n)) over ()) share from t group by airport order by share desc`,
    types: ['STRING', 'INT64', 'FLOAT64'],
    rows: [
      ['ATL', '12', '0.8'],
      ['LAX', '3', '0.2'],
    ],
  },
  {
    sql: `with t as (select timestamp '2020-01-01 00:10:00' ts, 1 x union all select timestamp '2020-01-01 00:50:00', 2 union all select timestamp '2020-01-01 01:30:00', 3) select timestamp_trunc(ts, hour) h, count(*) c, sum(x) s from t group by h order by h`,
    types: ['TIMESTAMP', 'INT64', 'INT64'],
    rows: [
      ['1577836800000000', '2', '3'],
      ['1577840400000000', '1', '3'],
    ],
  },
  {
    sql: `with t as (select timestamp '2020-01-01 00:10:00' ts, 1 x union all select timestamp '2020-01-01 00:50:00', 2 union all select timestamp '2020-01-01 01:30:00', 3) select ts, sum(x) over (order by unix_seconds(ts) range between 3600 preceding and current row) s from t order by ts`,
    types: ['TIMESTAMP', 'INT64'],
    rows: [
      ['1577837400000000', '1'],
      ['1577839800000000', '3'],
      ['1577842200000000', '5'],
    ],
  },
  {
    sql: `select name, tags[safe_offset(1)] second, array_length(tags) n, (select string_agg(t, '|' order by t desc) from unnest(tags) t) joined from unnest([struct('a' as name, ['x','y'] as tags), ('b', ['z'])]) order by name`,
    types: ['STRING', 'STRING', 'INT64', 'STRING'],
    rows: [
      ['a', 'y', '2', 'y|x'],
      ['b', null, '1', 'z'],
    ],
  },
  {
    sql: `select t.a, u.b from (select 1 a, [10,20] bs) t, unnest(t.bs) as b_alias, (select 5 b) u`,
    types: ['INT64', 'INT64'],
    rows: [
      ['1', '5'],
      ['1', '5'],
    ],
  },
  {
    sql: `select id, (select as struct max(x) mx, min(x) mn from unnest(arr) x).mx from unnest([struct(1 as id, [1,5,3] as arr)])`,
    types: ['INT64', 'INT64'],
    rows: [['1', '5']],
  },
  {
    sql: `select array(select distinct x from unnest([3,1,3,2]) x order by x), array(select x from unnest([1,2,3,4]) x with offset o where mod(o,2)=0 order by o)`,
    types: ['ARRAY<INT64>', 'ARRAY<INT64>'],
    rows: [
      [
        ['1', '2', '3'],
        ['1', '3'],
      ],
    ],
  },
  {
    sql: `select count(distinct if(x>1,x,null)) c, sum(if(x>1,1,0)) s, avg(nullif(x,1)) a from unnest([1,2,3,3]) x`,
    types: ['INT64', 'INT64', 'FLOAT64'],
    rows: [['2', '3', '2.6666666666666665']],
  },
  {
    sql: `select date_trunc(d, week) w, count(*) n from unnest(generate_date_array('2020-01-01','2020-01-15')) d group by w order by w`,
    types: ['DATE', 'INT64'],
    rows: [
      ['2019-12-29', '4'],
      ['2020-01-05', '7'],
      ['2020-01-12', '4'],
    ],
  },
  {
    sql: `select format_timestamp('%Y-%m-%d %H:%M', timestamp_add(timestamp '2020-02-28 23:30:00', interval 45 minute))`,
    types: ['STRING'],
    rows: [['2020-02-29 00:15']],
  },
  {
    sql: `select x, case when mod(x,15)=0 then 'FizzBuzz' when mod(x,5)=0 then 'Buzz' when mod(x,3)=0 then 'Fizz' else cast(x as string) end from unnest(generate_array(1,15)) x order by x`,
    types: ['INT64', 'STRING'],
    rows: [
      ['1', '1'],
      ['2', '2'],
      ['3', 'Fizz'],
      ['4', '4'],
      ['5', 'Buzz'],
      ['6', 'Fizz'],
      ['7', '7'],
      ['8', '8'],
      ['9', 'Fizz'],
      ['10', 'Buzz'],
      ['11', '11'],
      ['12', 'Fizz'],
      ['13', '13'],
      ['14', '14'],
      ['15', 'FizzBuzz'],
    ],
  },
  {
    sql: `with recursive fib as (select 1 n, 0 a, 1 b union all select n+1, b, a+b from fib where n < 10) select n, a from fib order by n`,
    types: ['INT64', 'INT64'],
    rows: [
      ['1', '0'],
      ['2', '1'],
      ['3', '1'],
      ['4', '2'],
      ['5', '3'],
      ['6', '5'],
      ['7', '8'],
      ['8', '13'],
      ['9', '21'],
      ['10', '34'],
    ],
  },
  {
    sql: `with a as (select 1 id union all select 2), b as (select 2 id union all select 3) select a.id, b.id from a left join b on a.id = b.id and b.id > 1 order by 1`,
    types: ['INT64', 'INT64'],
    rows: [
      ['1', null],
      ['2', '2'],
    ],
  },
  {
    sql: `with a as (select 1 id, 'x' k union all select 2,'y'), b as (select 2 id, 'z' k) select a.* from a where not exists (select 1 from b where b.id = a.id)`,
    types: ['INT64', 'STRING'],
    rows: [['1', 'x']],
  },
  {
    sql: `with a as (select 1 id, 'x' k union all select 2,'y'), b as (select 2 id, 'z' k) select a.id, (select b.k from b where b.id = a.id) k from a order by id`,
    types: ['INT64', 'STRING'],
    rows: [
      ['1', null],
      ['2', 'z'],
    ],
  },
  {
    sql: `select a, sum(b) over (partition by a order by b) s, lag(b) over w l, first_value(b) over w f from (select 1 a, 2 b union all select 1,3 union all select 2,1) window w as (partition by a order by b) order by a, b`,
    types: ['INT64', 'INT64', 'INT64', 'INT64'],
    rows: [
      ['1', '2', null, '2'],
      ['1', '5', '2', '2'],
      ['2', '1', null, '1'],
    ],
  },
  {
    sql: `select k, count(*) n from (select 'a' k union all select null union all select null) group by k order by k nulls last`,
    types: ['STRING', 'INT64'],
    rows: [
      ['a', '1'],
      [null, '2'],
    ],
  },
  {
    sql: `select k, v from (select 'a' k, 1 v union all select 'b', null) order by v desc nulls first`,
    types: ['STRING', 'INT64'],
    rows: [
      ['b', null],
      ['a', '1'],
    ],
  },
  { sql: `select max(struct_x.a) from (select struct(1 as a) struct_x)`, types: ['INT64'], rows: [['1']] },
  {
    sql: `select grp, array_agg(x ignore nulls order by x) xs, string_agg(s, ',' order by s) ss, countif(x is null) nulls from (select 1 grp, 3 x, 'b' s union all select 1, null, 'a' union all select 1, 1, null) group by grp`,
    fails: 'Syntax error: Expected end of input but got keyword NULLS',
  },
  {
    sql: `select s.name, l from unnest([struct('a' as name, [struct(1 as n, 'p' as p)] as ls)]) s, s.ls l`,
    types: ['STRING', 'STRUCT<n INT64, p STRING>'],
    rows: [['a', ['1', 'p']]],
  },
  {
    sql: `select s.name, l.n, l.p from unnest([struct('a' as name, [struct(1 as n, 'p' as p)] as ls)]) s, unnest(s.ls) l`,
    types: ['STRING', 'INT64', 'STRING'],
    rows: [['a', '1', 'p']],
  },
  {
    sql: `select json_value(j, '$.a') a, cast(json_value(j,'$.n') as int64) n from unnest(['{"a":"x","n":1}','{"a":"y"}','bad']) j order by a`,
    types: ['STRING', 'INT64'],
    rows: [
      [null, null],
      ['x', '1'],
      ['y', null],
    ],
  },
  {
    sql: `select json_value(r,'$.id') id, cast(json_value(r,'$.v') as numeric) v, json_value(r,'$.nested.x') nx, json_query(r,'$.nested') nj from unnest(json_query_array('[{"id":"a","v":1.50,"nested":{"x":1}},{"id":"b","v":"2.25"}]')) r order by id`,
    types: ['STRING', 'NUMERIC', 'STRING', 'STRING'],
    rows: [
      ['a', '1.5', '1', '{"x":1}'],
      ['b', '2.25', null, null],
    ],
  },
  {
    sql: `select json_value(r,'$.id') id, json_value(r) whole, r from unnest(json_extract_array('[{"id":1},2,"x",null]')) r`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [
      ['1', null, '{"id":1}'],
      [null, '2', '2'],
      [null, 'x', '"x"'],
      [null, null, 'null'],
    ],
  },
  {
    sql: `select lower(x) l, x is null from unnest(['A', null]) x order by l`,
    types: ['STRING', 'BOOL'],
    rows: [
      [null, 'true'],
      ['a', 'false'],
    ],
  },
  {
    sql: `select 'x' as a union all select null union all select 'y' order by a desc`,
    types: ['STRING'],
    rows: [['y'], ['x'], [null]],
  },
  {
    sql: `select * from (select 'a' k, 1 v union all select 'b', 2 union all select 'a', 3) pivot (sum(v) s, max(v) m for k in ('a' as aa, 'b' as bb))`,
    types: ['INT64', 'INT64', 'INT64', 'INT64'],
    rows: [['4', '3', '2', '2']],
  },
  {
    sql: `select extract(hour from ts at time zone 'Asia/Tokyo') h, datetime(ts, 'Asia/Tokyo') d, date(ts, 'Asia/Tokyo') dd, time(ts,'Asia/Tokyo') t from (select timestamp '2020-01-01 20:30:00' ts)`,
    types: ['INT64', 'DATETIME', 'DATE', 'TIME'],
    rows: [['5', '2020-01-02T05:30:00', '2020-01-02', '05:30:00']],
  },
  {
    sql: `select timestamp_diff(b, a, minute) m, timestamp_diff(b,a,second) s, b > a from (select timestamp '2020-01-01 00:00:30' a, timestamp '2020-01-01 00:02:00' b)`,
    types: ['INT64', 'INT64', 'BOOL'],
    rows: [['1', '90', 'true']],
  },
  {
    sql: `select cast(cast('12.345' as numeric) as int64), cast(cast(12.345 as numeric) as string), round(cast('12.345' as numeric),1), cast('abc' as bytes), safe_cast('1.5' as int64), safe_cast('2020-13-01' as date), safe_cast('true' as bool), safe_cast(null as int64), cast(1 as bool), cast('1e2' as float64)`,
    types: ['INT64', 'STRING', 'NUMERIC', 'BYTES', 'INT64', 'DATE', 'BOOL', 'INT64', 'BOOL', 'FLOAT64'],
    rows: [['12', '12.345', '12.3', 'YWJj', null, null, 'true', null, 'true', '100']],
  },
  {
    sql: `select numeric '99999999999999999999999999999.999999999' + 0, numeric '-0.000000001', cast('0.0000000005' as numeric), numeric '1' / 3, numeric '2' / 3, cast(1.005 as numeric), numeric '123456789.123456789' * numeric '1000.5'`,
    types: ['NUMERIC', 'NUMERIC', 'NUMERIC', 'NUMERIC', 'NUMERIC', 'NUMERIC', 'NUMERIC'],
    rows: [
      [
        '99999999999999999999999999999.999999999',
        '-0.000000001',
        '0.000000001',
        '0.333333333',
        '0.666666667',
        '1.005',
        '123518517518.018517395',
      ],
    ],
  },
  {
    sql: `select bignumeric '1.5' + 1, bignumeric '123456789012345678.123456789012345678', cast(numeric '1.5' as bignumeric)`,
    types: ['BIGNUMERIC', 'BIGNUMERIC', 'BIGNUMERIC'],
    rows: [['2.5', '123456789012345678.123456789012345678', '1.5']],
  },
  { sql: `select sum(x) from unnest([9223372036854775807, 1]) x`, fails: 'int64 overflow' },
  { sql: `select 5 / 0`, fails: 'division by zero: 5 / 0' },
  { sql: `select mod(5, 0)`, fails: 'division by zero: MOD(5, 0)' },
  { sql: `select numeric '1' / 0`, fails: 'division by zero: 1 / 0' },
  { sql: `select cast('99999999999999999999' as int64)`, fails: 'Bad int64 value: 99999999999999999999' },
  { sql: `select cast(1e300 as int64)`, fails: 'int64 out of range: 1e+300' },
  { sql: `select 1e308 * 10`, fails: 'double overflow: 1e+308 * 10' },
  {
    sql: `select numeric '99999999999999999999999999999' + numeric '1'`,
    fails: 'numeric overflow: 99999999999999999999999999999 + 1',
  },
  { sql: `select sqrt(-1)`, fails: 'Argument to SQRT cannot be negative: -1' },
  { sql: `select ln(0)`, fails: 'Floating point error in function: LN(0)' },
  { sql: `select date '2020-02-30'`, fails: 'Invalid DATE literal' },
  { sql: `select timestamp '2020-01-01 25:00:00'`, fails: 'Invalid TIMESTAMP literal' },
  {
    sql: `select date_add(date '9999-12-31', interval 1 day)`,
    fails: 'Adding 1 DAY to date 9999-12-31 causes overflow',
  },
  { sql: `select substr('abc', 1, -1)`, fails: 'Third argument in SUBSTR() cannot be negative' },
  { sql: `select array_length(x) from (select cast(null as array<int64>) x)`, types: ['INT64'], rows: [[null]] },
  { sql: `select x from unnest(cast(null as array<int64>)) x`, types: ['INT64'], rows: [] },
  {
    sql: `select [1, null, 2][offset(1)], array_to_string(['a', null, 'b'], ',', 'N'), array_to_string(['a', null, 'b'], ',')`,
    types: ['INT64', 'STRING', 'STRING'],
    rows: [[null, 'a,N,b', 'a,b']],
  },
  {
    sql: `select array_reverse([1,2,3]), array_concat([1],[2],[]), [1,2] || [3]`,
    types: ['ARRAY<INT64>', 'ARRAY<INT64>', 'ARRAY<INT64>'],
    rows: [
      [
        ['3', '2', '1'],
        ['1', '2'],
        ['1', '2', '3'],
      ],
    ],
  },
  {
    sql: `select (select array_agg(x) from unnest([1,2]) x)[ordinal(2)], [1,2][ordinal(1)], [1,2][safe_ordinal(3)]`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [['2', '1', null]],
  },
  {
    sql: `select if(x > 2, 'big', 'small') from unnest([1,3]) x order by 1`,
    types: ['STRING'],
    rows: [['big'], ['small']],
  },
  { sql: `select a.b.c from (select struct(struct(5 as c) as b) as a)`, types: ['INT64'], rows: [['5']] },
  {
    sql: `select struct(1, 'a', null), (1, 2), struct<x int64, y string>(1, 'b'), [struct(1 as a), struct(2)]`,
    types: [
      'STRUCT<INT64, STRING, INT64>',
      'STRUCT<INT64, INT64>',
      'STRUCT<x INT64, y STRING>',
      'ARRAY<STRUCT<a INT64>>',
    ],
    rows: [
      [
        ['1', 'a', null],
        ['1', '2'],
        ['1', 'b'],
        [['1'], ['2']],
      ],
    ],
  },
  {
    sql: `select t.* except (b), b + 1 as b from (select 1 a, 2 b, 3 c) t`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [['1', '3', '3']],
  },
  {
    sql: `select 1 as one, 'two' as two, true as three, null as four, 5.5 as five, date '2020-01-01' as six, b'x' as seven, [1] as eight, struct(1 as a) as nine`,
    types: ['INT64', 'STRING', 'BOOL', 'INT64', 'FLOAT64', 'DATE', 'BYTES', 'ARRAY<INT64>', 'STRUCT<a INT64>'],
    rows: [['1', 'two', 'true', null, '5.5', '2020-01-01', 'eA==', ['1'], ['1']]],
  },
  {
    sql: `select * from unnest([struct('a' as k, 1 as v), ('b', 2)]) where v > 1`,
    types: ['STRING', 'INT64'],
    rows: [['b', '2']],
  },
  {
    sql: `select k, v from unnest([struct('a' as k, 1 as v), ('b', 2)]) order by v desc limit 1`,
    types: ['STRING', 'INT64'],
    rows: [['b', '2']],
  },
  { sql: `select count(*) from (select 1 union all select 1)`, types: ['INT64'], rows: [['2']] },
  { sql: `select count(*) from (select 1 a union distinct select 1)`, types: ['INT64'], rows: [['1']] },
  { sql: `select x from unnest([1,2,3,4,5]) x order by x limit 2 offset 1`, types: ['INT64'], rows: [['2'], ['3']] },
  {
    sql: `select ifnull(sum(x),0), coalesce(max(x),-1), count(*) from unnest(array<int64>[]) x`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [['0', '-1', '0']],
  },
  {
    sql: `select logical_and(b), logical_or(b), count(b) from unnest([true,null,false]) b`,
    types: ['BOOL', 'BOOL', 'INT64'],
    rows: [['false', 'true', '2']],
  },
  {
    sql: `select 'a' < 'b', 'B' < 'a', 'a' = 'A', '' is null, 'é' > 'z'`,
    types: ['BOOL', 'BOOL', 'BOOL', 'BOOL', 'BOOL'],
    rows: [['true', 'true', 'false', 'false', 'true']],
  },
  { sql: `select 10 as x where false`, fails: 'Query without FROM clause cannot have a WHERE clause' },
  { sql: `select corr(x, y) is null from (select 1.0 x, 2.0 y)`, types: ['BOOL'], rows: [['true']] },
  {
    sql: `select to_hex(cast('a' as bytes)), from_hex('61'), safe_convert_bytes_to_string(from_hex('61')), to_base64(b'hello'), cast(from_base64('aGVsbG8=') as string)`,
    types: ['STRING', 'BYTES', 'STRING', 'STRING', 'STRING'],
    rows: [['61', 'YQ==', 'a', 'aGVsbG8=', 'hello']],
  },
  {
    sql: `select t.word, count(*) over (partition by length(t.word)) same_length from unnest(split('the quick brown fox jumps over the lazy dog', ' ')) as word join (select 'fox' word union all select 'dog' union all select 'the') t on word = t.word order by 1`,
    types: ['STRING', 'INT64'],
    rows: [
      ['dog', '4'],
      ['fox', '4'],
      ['the', '4'],
      ['the', '4'],
    ],
  },
];
