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
