/** Queries and their results, as GoogleSQL's reference implementation (ZetaSQL's evaluator) gives them. */
import type { QueryCase } from './query-case.ts';

export const CASES: readonly QueryCase[] = [
  {
    sql: `with roster as (select 'Adams' as LastName, 50 as SchoolID union all select 'Buchanan', 52 union all select 'Coolidge', 52 union all select 'Davis', 51 union all select 'Eisenhower', 77), teammascot as (select 50 as SchoolID, 'Jaguars' as Mascot union all select 51,'Knights' union all select 52,'Lakers' union all select 53,'Mustangs') select roster.lastname, teammascot.mascot from roster join teammascot on roster.schoolid = teammascot.schoolid`,
    types: ['STRING', 'STRING'],
    rows: [
      ['Adams', 'Jaguars'],
      ['Buchanan', 'Lakers'],
      ['Coolidge', 'Lakers'],
      ['Davis', 'Knights'],
    ],
  },
  {
    sql: `with a as (select 1 w, 'a' x union all select 2,'b' union all select 3,'c' union all select 3,'d'), b as (select 2 y,'k' z union all select 3,'m' union all select 3,'n' union all select 4,'p') select a.w,a.x,b.y,b.z from a full outer join b on a.w=b.y order by 1 nulls last,2,3,4`,
    types: ['INT64', 'STRING', 'INT64', 'STRING'],
    rows: [
      ['1', 'a', null, null],
      ['2', 'b', '2', 'k'],
      ['3', 'c', '3', 'm'],
      ['3', 'c', '3', 'n'],
      ['3', 'd', '3', 'm'],
      ['3', 'd', '3', 'n'],
      [null, null, '4', 'p'],
    ],
  },
  {
    sql: `with a as (select 1 x, 'a' v union all select 2,'b'), b as (select 2 x, 'k' z union all select 3,'m') select * from a full join b using (x) order by x`,
    types: ['INT64', 'STRING', 'STRING'],
    rows: [
      ['1', 'a', null],
      ['2', 'b', 'k'],
      ['3', null, 'm'],
    ],
  },
  {
    sql: `with a as (select 1 x, 'a' v union all select 2,'b'), b as (select 2 x, 'k' z union all select 3,'m') select x, a.x ax, b.x bx, v, z from a left join b using (x) order by x`,
    types: ['INT64', 'INT64', 'INT64', 'STRING', 'STRING'],
    rows: [
      ['1', '1', null, 'a', null],
      ['2', '2', '2', 'b', 'k'],
    ],
  },
  {
    sql: `with a as (select 1 x, 'a' v union all select 2,'b'), b as (select 2 x, 'k' z union all select 3,'m') select * from a right join b using (x) order by x`,
    types: ['INT64', 'STRING', 'STRING'],
    rows: [
      ['2', 'b', 'k'],
      ['3', null, 'm'],
    ],
  },
  {
    sql: `with seq as (select 1 id, [0,1,1,2] nums union all select 2,[2,4] union all select 3, []) select id, num from seq, unnest(nums) num order by id, num`,
    types: ['INT64', 'INT64'],
    rows: [
      ['1', '0'],
      ['1', '1'],
      ['1', '1'],
      ['1', '2'],
      ['2', '2'],
      ['2', '4'],
    ],
  },
  {
    sql: `with seq as (select 1 id, [0,1,1,2] nums union all select 2,[2,4] union all select 3, []) select id, num, o from seq left join unnest(nums) num with offset o on true order by id, o`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [
      ['1', '0', '0'],
      ['1', '1', '1'],
      ['1', '1', '2'],
      ['1', '2', '3'],
      ['2', '2', '0'],
      ['2', '4', '1'],
      ['3', null, null],
    ],
  },
  {
    sql: `with seq as (select 1 id, [0,1,1,2] nums union all select 2,[2,4] union all select 3, []) select id, (select sum(x) from unnest(nums) x) s, array(select x*2 from unnest(nums) x where x>0 order by x desc) d, exists(select 1 from unnest(nums) x where x=4) e, array_length(nums) n from seq order by id`,
    types: ['INT64', 'INT64', 'ARRAY<INT64>', 'BOOL', 'INT64'],
    rows: [
      ['1', '4', ['4', '2', '2'], 'false', '4'],
      ['2', '6', ['8', '4'], 'true', '2'],
      ['3', null, [], 'false', '0'],
    ],
  },
  {
    sql: `with seq as (select 1 id, [0,1] nums union all select 2,[2,4]) select id, num from seq, seq.nums num order by 1,2`,
    types: ['INT64', 'INT64'],
    rows: [
      ['1', '0'],
      ['1', '1'],
      ['2', '2'],
      ['2', '4'],
    ],
  },
  {
    sql: `with seq as (select 1 id, [0,1] nums union all select 2,[2,4]) select id, nums from seq, seq.nums order by id, nums`,
    types: ['INT64', 'INT64'],
    rows: [
      ['1', '0'],
      ['1', '1'],
      ['2', '2'],
      ['2', '4'],
    ],
  },
  {
    sql: `with races as (select '800M' as race, [struct('Rudisha' as name, [23.4,26.3] as laps), struct('Makhloufi' as name, [24.5,25.4] as laps)] as participants) select race, participant.name, (select sum(d) from unnest(laps) d) total from races as r cross join unnest(r.participants) as participant order by total`,
    types: ['STRING', 'STRING', 'FLOAT64'],
    rows: [
      ['800M', 'Rudisha', '49.7'],
      ['800M', 'Makhloufi', '49.9'],
    ],
  },
  {
    sql: `with races as (select '800M' as race, [struct('Rudisha' as name, [23.4,26.3] as laps), struct('Makhloufi' as name, [24.5,25.4] as laps)] as participants) select race, (select name from unnest(participants) order by (select sum(duration) from unnest(laps) as duration) asc limit 1) as fastest from races`,
    types: ['STRING', 'STRING'],
    rows: [['800M', 'Rudisha']],
  },
  {
    sql: `select race, participant from (select '800M' as race, [struct('a' as name, 1 as n)] as p) r cross join unnest(r.p) as participant`,
    types: ['STRING', 'STRUCT<name STRING, n INT64>'],
    rows: [['800M', ['a', '1']]],
  },
  {
    sql: `select * from (select 'Kale' product, 51 sales, 'Q1' quarter, 2020 year union all select 'Kale',23,'Q2',2020 union all select 'Apple',77,'Q1',2020 union all select 'Kale',4,'Q1',2021) pivot(sum(sales) for quarter in ('Q1','Q2','Q3')) order by product, year`,
    types: ['STRING', 'INT64', 'INT64', 'INT64', 'INT64'],
    rows: [
      ['Apple', '2020', '77', null, null],
      ['Kale', '2020', '51', '23', null],
      ['Kale', '2021', '4', null, null],
    ],
  },
  {
    sql: `select * from (select product, sales, quarter from (select 'Kale' product, 51 sales, 'Q1' quarter, 2020 year union all select 'Kale',23,'Q2',2020 union all select 'Apple',77,'Q1',2020)) pivot(sum(sales) as total, count(*) as num for quarter in ('Q1','Q2')) order by product`,
    types: ['STRING', 'INT64', 'INT64', 'INT64', 'INT64'],
    rows: [
      ['Apple', '77', '1', null, '0'],
      ['Kale', '51', '1', '23', '1'],
    ],
  },
  {
    sql: `select * from (select 1 a, 2020 y union all select 2, 2021) pivot(sum(a) for y in (2020, 2021 as next))`,
    types: ['INT64', 'INT64'],
    rows: [['1', '2']],
  },
  {
    sql: `with produce as (select 'Kale' product, 51 Q1, 23 Q2, 45 Q3, 3 Q4 union all select 'Apple', 77,0,25,2) select * from produce unpivot(sales for quarter in (Q1,Q2,Q3,Q4)) order by product desc, quarter`,
    types: ['STRING', 'INT64', 'STRING'],
    rows: [
      ['Kale', '51', 'Q1'],
      ['Kale', '23', 'Q2'],
      ['Kale', '45', 'Q3'],
      ['Kale', '3', 'Q4'],
      ['Apple', '77', 'Q1'],
      ['Apple', '0', 'Q2'],
      ['Apple', '25', 'Q3'],
      ['Apple', '2', 'Q4'],
    ],
  },
  {
    sql: `with produce as (select 'Kale' product, 51 Q1, 23 Q2, 45 Q3, 3 Q4 union all select 'Apple', 77,0,25,2) select * from produce unpivot((first_half_sales, second_half_sales) for semesters in ((Q1,Q2) as 'semester_1',(Q3,Q4) as 'semester_2')) order by 1 desc, 4`,
    types: ['STRING', 'INT64', 'INT64', 'STRING'],
    rows: [
      ['Kale', '51', '23', 'semester_1'],
      ['Kale', '45', '3', 'semester_2'],
      ['Apple', '77', '0', 'semester_1'],
      ['Apple', '25', '2', 'semester_2'],
    ],
  },
  {
    sql: `select * from (select 1 id, cast(null as int64) a, 5 b) unpivot include nulls (v for n in (a, b))`,
    types: ['INT64', 'INT64', 'STRING'],
    rows: [
      ['1', null, 'a'],
      ['1', '5', 'b'],
    ],
  },
  {
    sql: `select * from (select 1 id, cast(null as int64) a, 5 b) unpivot (v for n in (a as 1, b as 2))`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [['1', '5', '2']],
  },
  {
    sql: `select item, sum(n) from unnest([struct('a' as item,1 as n),('b',2),('a',3)]) group by item having sum(n) > 2 order by item`,
    types: ['STRING', 'INT64'],
    rows: [['a', '4']],
  },
  {
    sql: `select item, rank() over (order by n desc) r, dense_rank() over (order by n desc), lag(n) over (order by n, item), lead(n,1,-1) over (order by n, item), first_value(item) over (order by n desc, item), last_value(item) over (order by n, item rows between unbounded preceding and unbounded following), ntile(2) over (order by n, item), percent_rank() over (order by n), cume_dist() over (order by n) from unnest([struct('a' as item,1 as n),('b',2),('c',2),('d',5)]) order by n, item`,
    types: ['STRING', 'INT64', 'INT64', 'INT64', 'INT64', 'STRING', 'STRING', 'INT64', 'FLOAT64', 'FLOAT64'],
    rows: [
      ['a', '4', '3', null, '2', 'd', 'd', '1', '0', '0.25'],
      ['b', '2', '2', '1', '2', 'd', 'd', '1', '0.3333333333333333', '0.75'],
      ['c', '2', '2', '2', '5', 'd', 'd', '2', '0.3333333333333333', '0.75'],
      ['d', '1', '1', '2', '-1', 'd', 'd', '2', '1', '1'],
    ],
  },
  {
    sql: `select item, n, sum(n) over w s, avg(n) over (w rows between 1 preceding and 1 following) a, count(*) over () c from unnest([struct('a' as item,1 as n),('b',2),('c',2),('d',5)]) window w as (order by n, item) order by n,item`,
    types: ['STRING', 'INT64', 'INT64', 'FLOAT64', 'INT64'],
    rows: [
      ['a', '1', '1', '1.5', '4'],
      ['b', '2', '3', '1.6666666666666667', '4'],
      ['c', '2', '5', '3', '4'],
      ['d', '5', '10', '3.5', '4'],
    ],
  },
  {
    sql: `select x, nth_value(x,2) over (order by x rows between unbounded preceding and unbounded following), sum(x) over (order by x range between 1 preceding and current row) from unnest([1,2,4,5]) x order by x`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [
      ['1', '2', '1'],
      ['2', '2', '3'],
      ['4', '2', '4'],
      ['5', '2', '9'],
    ],
  },
  {
    sql: `select percentile_cont(x,0) over() mn, percentile_cont(x,0.01) over() p1, percentile_cont(x,0.5) over() med, percentile_cont(x,1) over() mx, percentile_disc(x,0.5) over() from unnest([0,3,null,1,2]) x limit 1`,
    types: ['FLOAT64', 'FLOAT64', 'FLOAT64', 'FLOAT64', 'INT64'],
    rows: [['0', '0.03', '1.5', '3', '1']],
  },
  {
    sql: `select percentile_disc(x,0) over() mn, percentile_disc(x,0.5) over() med, percentile_disc(x,1) over() mx from unnest(['c','b','a']) x limit 1`,
    types: ['STRING', 'STRING', 'STRING'],
    rows: [['a', 'b', 'c']],
  },
  {
    sql: `select a, b from (select 1 a, 2 b union all select 1, 3) qualify row_number() over (partition by a order by b desc) = 1`,
    types: ['INT64', 'INT64'],
    rows: [['1', '3']],
  },
  {
    sql: `select item, purchases, category, sum(purchases) over (partition by category order by purchases rows between unbounded preceding and current row) total from unnest([struct('kale' as item, 23 as purchases,'vegetable' as category),('banana',2,'fruit'),('cabbage',9,'vegetable'),('apple',8,'fruit'),('leek',2,'vegetable'),('lettuce',10,'vegetable')]) order by category, purchases`,
    types: ['STRING', 'INT64', 'STRING', 'INT64'],
    rows: [
      ['banana', '2', 'fruit', '2'],
      ['apple', '8', 'fruit', '10'],
      ['leek', '2', 'vegetable', '2'],
      ['cabbage', '9', 'vegetable', '11'],
      ['lettuce', '10', 'vegetable', '21'],
      ['kale', '23', 'vegetable', '44'],
    ],
  },
  { sql: `select distinct a from unnest([1,1,2]) a order by a desc`, types: ['INT64'], rows: [['2'], ['1']] },
  {
    sql: `(select 1 a union all select 2) intersect distinct (select 2 union all select 3)`,
    types: ['INT64'],
    rows: [['2']],
  },
  {
    sql: `select 1 a union distinct select 1 union distinct select 2 order by a`,
    types: ['INT64'],
    rows: [['1'], ['2']],
  },
  { sql: `select * from unnest([1,2,3]) except distinct select 1 order by 1`, types: ['INT64'], rows: [['2'], ['3']] },
  { sql: `select a from (select 1 a union all select 2) limit 1 offset 1`, types: ['INT64'], rows: [['2']] },
  {
    sql: `with recursive t as (select 1 as n union all select n + 1 from t where n < 3) select n from t order by n`,
    types: ['INT64'],
    rows: [['1'], ['2'], ['3']],
  },
  {
    sql: `with recursive t as (select 1 as id, 'root' as path union all select id+1, path || '/' || cast(id as string) from t where id < 3), u as (select max(id) m from t) select path, m from t, u order by path`,
    types: ['STRING', 'INT64'],
    rows: [
      ['root', '3'],
      ['root/1', '3'],
      ['root/1/2', '3'],
    ],
  },
  {
    sql: `select array(select as struct 1 a, 'b' b), (select as struct 1 x).x`,
    types: ['ARRAY<STRUCT<a INT64, b STRING>>', 'INT64'],
    rows: [[[['1', 'b']], '1']],
  },
  {
    sql: `select x.a, x.* from (select struct(1 as a, 2 as b) x)`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [['1', '1', '2']],
  },
  { sql: `select t.x.y from (select struct(struct(5 as z) as y) x) t`, types: ['STRUCT<z INT64>'], rows: [[['5']]] },
  {
    sql: `select (select max(x) from unnest([1,2]) x) + 1, (select 1 limit 0)`,
    types: ['INT64', 'INT64'],
    rows: [['3', null]],
  },
  {
    sql: `select case when x < 2 then 'low' when x = 2 then 'mid' else 'high' end k, count(*) from unnest([1,2,3,3]) x group by k order by k`,
    types: ['STRING', 'INT64'],
    rows: [
      ['high', '2'],
      ['low', '1'],
      ['mid', '1'],
    ],
  },
  {
    sql: `select extract(month from d) m, count(*) from unnest([date '2020-01-01', date '2020-01-02', date '2020-02-01']) d group by 1 order by m desc`,
    types: ['INT64', 'INT64'],
    rows: [
      ['2', '1'],
      ['1', '2'],
    ],
  },
  {
    sql: `select name, count(*) as cnt from unnest(['a','b','a']) name group by name order by count(*) desc, name`,
    types: ['STRING', 'INT64'],
    rows: [
      ['a', '2'],
      ['b', '1'],
    ],
  },
  { sql: `select sum(x) s, sum(x)/count(*) a from unnest([1,2]) x`, types: ['INT64', 'FLOAT64'], rows: [['3', '1.5']] },
  {
    sql: `select x, sum(sum(x)) over () from unnest([1,2,2]) x group by x order by x`,
    types: ['INT64', 'INT64'],
    rows: [
      ['1', '5'],
      ['2', '5'],
    ],
  },
  {
    sql: `select a.id, (select count(*) from unnest([1,2,3]) y where y > a.id) c from (select 1 id union all select 2) a order by 1`,
    types: ['INT64', 'INT64'],
    rows: [
      ['1', '2'],
      ['2', '1'],
    ],
  },
  {
    sql: `select * from (select 1 a) t1 join (select 1 a, 2 b) t2 on t1.a = t2.a`,
    types: ['INT64', 'INT64', 'INT64'],
    rows: [['1', '1', '2']],
  },
  {
    sql: `select t1.*, t2.b from (select 1 a) t1 cross join (select 2 b) t2`,
    types: ['INT64', 'INT64'],
    rows: [['1', '2']],
  },
  {
    sql: `select id, x in (select y from unnest([1,2]) y) from (select 1 id, 2 x)`,
    types: ['INT64', 'BOOL'],
    rows: [['1', 'true']],
  },
  {
    sql: `select struct(1 as a, 'b' as b) = struct(1,'b'), struct(1,2) in ((1,2),(3,4)), (1,2) in unnest([(1,2)])`,
    types: ['BOOL', 'BOOL', 'BOOL'],
    rows: [['true', 'true', 'true']],
  },
  {
    sql: `select cast(struct(1 as a, '2' as b) as struct<x int64, y int64>).y, cast([1,2] as array<string>), cast(null as struct<a int64>), array<float64>[1,2.5], struct<a int64, b date>(1,'2020-01-01').b`,
    types: ['INT64', 'ARRAY<STRING>', 'STRUCT<a INT64>', 'ARRAY<FLOAT64>', 'DATE'],
    rows: [['2', ['1', '2'], null, ['1', '2.5'], '2020-01-01']],
  },
  { sql: `select \`a\` as \`b c\`, t.\`a\` from (select 1 a) as t`, types: ['INT64', 'INT64'], rows: [['1', '1']] },
  {
    sql: `select "it's", 'a"b', '''tri
ple''', r'\\n', 'a\\tb', 'A\\x42\\u0043', b'\\x00ab', rb'\\x'`,
    types: ['STRING', 'STRING', 'STRING', 'STRING', 'STRING', 'STRING', 'BYTES', 'BYTES'],
    rows: [["it's", 'a"b', 'tri\nple', '\\n', 'a\tb', 'ABC', 'AGFi', 'XHg=']],
  },
  {
    sql: `select 0x1F, 1e3, .5, 5., 1E-2, -9223372036854775808, +5, - -5`,
    types: ['INT64', 'FLOAT64', 'FLOAT64', 'FLOAT64', 'FLOAT64', 'INT64', 'INT64', 'INT64'],
    rows: [['31', '1000', '0.5', '5', '0.01', '-9223372036854775808', '5', '5']],
  },
  {
    sql: `select 2 between 1 and 3 and true, not 1 = 2, 1 = 1 or false and false, 'a' not in ('b'), 5 not between 1 and 3`,
    types: ['BOOL', 'BOOL', 'BOOL', 'BOOL', 'BOOL'],
    rows: [['true', 'true', 'true', 'true', 'true']],
  },
];
