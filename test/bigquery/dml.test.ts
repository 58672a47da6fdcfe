import { beforeEach, describe, expect, test } from 'vitest';
import { useLocalServer } from './local-server.ts';

const server = useLocalServer();

const contents = async (columns = '*', order = '1') =>
  (await server.query(`SELECT ${columns} FROM d.t ORDER BY ${order}`)).rows;

describe('INSERT', () => {
  beforeEach(() =>
    server.query(
      "CREATE OR REPLACE TABLE d.t (id INT64, name STRING DEFAULT 'none', amount NUMERIC, tags ARRAY<STRING>, day DATE)",
    ),
  );

  test('of values, in the columns that it names; the others have their default or NULL', async () => {
    const { body } = await server.post('INSERT INTO d.t (id, amount) VALUES (1, 2.5), (2, NULL)');
    expect(body.numDmlAffectedRows).toBe('2');
    expect(await contents()).toEqual([
      ['1', 'none', '2.5', [], null],
      ['2', 'none', null, [], null],
    ]);
  });

  test('of a query, whose literals become the types of the columns', async () => {
    await server.query("INSERT d.t SELECT 3, 'x', 1, ['p', 'q'], '2020-01-01'");
    expect(await contents()).toEqual([['3', 'x', '1', ['p', 'q'], '2020-01-01']]);
  });

  test('of DEFAULT', async () => {
    await server.query('INSERT d.t (id, name) VALUES (4, DEFAULT)');
    expect(await contents('id, name')).toEqual([['4', 'none']]);
  });

  test('of several rows with subqueries among the values', async () => {
    await server.query("INSERT d.t (id, name) VALUES (1, 'a')");
    await server.query('INSERT d.t (id, name) VALUES ((SELECT MAX(id) + 1 FROM d.t), UPPER("b"))');
    expect(await contents('id, name')).toEqual([
      ['1', 'a'],
      ['2', 'B'],
    ]);
  });

  test('refuses the wrong number of values, unknown columns, wrong types', async () => {
    expect(await server.refusal('INSERT d.t (id, name) VALUES (1)')).toContain('wrong column count; Has 1, expected 2');
    expect(await server.refusal('INSERT d.t (nope) VALUES (1)')).toContain('Column nope is not present in table p.d.t');
    expect(await server.refusal('INSERT d.t (id) VALUES (TRUE)')).toContain(
      'Value of type BOOL cannot be assigned to id, which has type INT64',
    );
    expect(await server.refusal("INSERT d.t (day) VALUES ('2020-02-30')")).toContain(
      'Could not cast literal "2020-02-30" to type DATE',
    );
  });
});

describe('UPDATE and DELETE', () => {
  beforeEach(async () => {
    await server.query('CREATE OR REPLACE TABLE d.t (id INT64, v INT64, s STRUCT<a INT64, b STRUCT<c STRING>>)');
    await server.query("INSERT d.t VALUES (1, 10, (1, STRUCT('x'))), (2, 20, (2, STRUCT('y'))), (3, NULL, NULL)");
  });

  test('UPDATE sets columns from their old values', async () => {
    const { body } = await server.post('UPDATE d.t SET v = v + 1, id = -id WHERE v IS NOT NULL');
    expect(body.dmlStats).toEqual({ insertedRowCount: '0', updatedRowCount: '2', deletedRowCount: '0' });
    expect(await contents('id, v')).toEqual([
      ['-2', '21'],
      ['-1', '11'],
      ['3', null],
    ]);
  });

  test('UPDATE sets one field of a STRUCT and leaves the others', async () => {
    await server.query("UPDATE d.t SET s.b.c = 'changed', s.a = s.a * 10 WHERE id = 1");
    expect(await contents('id, s')).toEqual([
      ['1', ['10', ['changed']]],
      ['2', ['2', ['y']]],
      ['3', null],
    ]);
  });

  test('UPDATE FROM joins, and fails when two rows would set one', async () => {
    await server.query('UPDATE d.t T SET v = S.n FROM (SELECT 1 AS id, 100 AS n) S WHERE T.id = S.id');
    expect(await contents('id, v')).toEqual([
      ['1', '100'],
      ['2', '20'],
      ['3', null],
    ]);
    expect(await server.refusal('UPDATE d.t T SET v = n FROM UNNEST([5, 6]) n WHERE T.id = 2')).toBe(
      'UPDATE/MERGE must match at most one source row for each target row',
    );
  });

  test('DELETE takes away what its condition finds, with or without FROM', async () => {
    expect((await server.post('DELETE d.t WHERE v > 15')).body.numDmlAffectedRows).toBe('1');
    expect((await server.post('DELETE FROM d.t AS x WHERE x.id IN (SELECT 3)')).body.numDmlAffectedRows).toBe('1');
    expect(await contents('id')).toEqual([['1']]);
  });

  test('both need a WHERE clause', async () => {
    expect(await server.refusal('DELETE FROM d.t')).toContain('must have a WHERE clause');
    expect(await server.refusal('UPDATE d.t SET v = 1')).toContain('must have a WHERE clause');
  });

  test('TRUNCATE empties the table', async () => {
    expect((await server.post('TRUNCATE TABLE d.t')).body.dmlStats.deletedRowCount).toBe('3');
    expect(await contents('id')).toEqual([]);
  });

  test('a statement that fails half way changes nothing', async () => {
    expect(await server.refusal('UPDATE d.t SET v = 10 / (id - 2) WHERE TRUE')).toContain('cannot be assigned');
    expect(await server.refusal('UPDATE d.t SET v = DIV(10, id - 2) WHERE TRUE')).toContain('division by zero');
    expect(await contents('id, v')).toEqual([
      ['1', '10'],
      ['2', '20'],
      ['3', null],
    ]);
  });

  test('assignments to one column twice, or to what is no column, are refused', async () => {
    expect(await server.refusal('UPDATE d.t SET v = 1, v = 2 WHERE TRUE')).toContain('assigned more than once');
    expect(await server.refusal('UPDATE d.t SET w = 1 WHERE TRUE')).toContain('Column w is not present');
    expect(await server.refusal('UPDATE d.t SET s.z = 1 WHERE TRUE')).toContain('Field name z does not exist');
  });
});

describe('what columns demand', () => {
  beforeEach(() =>
    server.query(`CREATE OR REPLACE TABLE d.t (
      code STRING(3), amount NUMERIC(5, 2), must STRING NOT NULL, raw BYTES(2), list ARRAY<STRING(2)>,
      r STRUCT<code STRING(2) NOT NULL, n NUMERIC(3, 1)>)`),
  );

  const insert = (columns: string, values: string) =>
    server.refusal(`INSERT d.t (must${columns && `, ${columns}`}) VALUES ('m'${values && `, ${values}`})`);

  test('STRING(n) and BYTES(n) take no longer values', async () => {
    expect(await insert('code', "'ATL'")).toBe('');
    expect(await insert('code', "'ATLX'")).toBe(
      'Field code: STRING(3) has maximum length 3 but got a value with length 4',
    );
    expect(await insert('code', "'äöü'")).toBe('');
    expect(await insert('raw', "b'abc'")).toContain('BYTES(2) has maximum length 2');
  });

  test('NUMERIC(p, s) rounds decimals and takes no more digits', async () => {
    expect(await insert('amount', '123.455')).toBe('');
    expect((await server.query('SELECT amount FROM d.t')).rows).toEqual([['123.46']]);
    expect(await insert('amount', '999.994')).toBe('');
    expect(await insert('amount', '999.995')).toContain('Field amount: NUMERIC(5, 2) value is out of range');
    expect(await insert('amount', '1000')).toContain('out of range');
  });

  test('NOT NULL takes no NULL, in an insert, an update or a MERGE', async () => {
    expect(await server.refusal("INSERT d.t (code) VALUES ('a')")).toBe('Required field must cannot be null');
    expect(await server.refusal('INSERT d.t (must) VALUES (NULL)')).toContain('Required field must cannot be null');
    expect(await server.refusal('INSERT d.t (must) SELECT x FROM UNNEST(["a", NULL]) x')).toBe(
      'Required field must cannot be null',
    );
    await insert('', '');
    expect(await server.refusal('UPDATE d.t SET must = NULLIF(must, "m") WHERE TRUE')).toBe(
      'Required field must cannot be null',
    );
  });

  test('arrays hold no NULL, and a NULL array is stored empty', async () => {
    expect(await insert('list', "['a', NULL]")).toContain(
      'Array cannot have a null element; error in writing field list',
    );
    expect(await insert('list', 'NULL')).toBe('');
    expect((await server.query('SELECT ARRAY_LENGTH(list) FROM d.t')).rows).toEqual([['0']]);
  });

  test('bounds hold inside arrays and STRUCTs', async () => {
    expect(await insert('list', "['ab', 'abc']")).toContain('Field list: STRING(2) has maximum length 2');
    expect(await insert('r', "STRUCT('abc', 1)")).toContain('Field r.code: STRING(2)');
    expect(await insert('r', 'STRUCT(NULL, 1)')).toContain('Required field r.code cannot be null');
    expect(await insert('r', "STRUCT('ab', 12.34)")).toBe('');
    expect((await server.query('SELECT r FROM d.t')).rows).toEqual([[['ab', '12.3']]]);
    expect(await insert('r', 'NULL')).toBe('');
  });
});
