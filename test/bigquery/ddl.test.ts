import { describe, expect, test } from 'vitest';
import { useLocalServer } from './local-server.ts';

const server = useLocalServer();

async function table(name: string) {
  return (await server.send('GET', `/projects/p/datasets/d/tables/${name}`)).body;
}

describe('CREATE TABLE', () => {
  test('with columns, partitioning, clustering and options', async () => {
    await server.query(`CREATE TABLE d.full (
      id INT64 NOT NULL OPTIONS(description = 'the key'), name STRING(10), amount NUMERIC(10, 2), ts TIMESTAMP,
      tags ARRAY<STRING>, r STRUCT<a INT64 NOT NULL, b ARRAY<STRUCT<c DATE>>>, PRIMARY KEY (id) NOT ENFORCED)
      PARTITION BY TIMESTAMP_TRUNC(ts, HOUR) CLUSTER BY id, name
      OPTIONS(description = 'all of it', labels = [('team', 'a')], require_partition_filter = TRUE, partition_expiration_days = 3)`);
    const body = await table('full');
    expect(body).toMatchObject({
      description: 'all of it',
      labels: { team: 'a' },
      timePartitioning: { type: 'HOUR', field: 'ts', expirationMs: '259200000' },
      clustering: { fields: ['id', 'name'] },
      requirePartitionFilter: true,
    });
    expect(body.schema.fields).toEqual([
      { name: 'id', type: 'INTEGER', mode: 'REQUIRED', description: 'the key' },
      { name: 'name', type: 'STRING', mode: 'NULLABLE', maxLength: '10' },
      { name: 'amount', type: 'NUMERIC', mode: 'NULLABLE', precision: '10', scale: '2' },
      { name: 'ts', type: 'TIMESTAMP', mode: 'NULLABLE' },
      { name: 'tags', type: 'STRING', mode: 'REPEATED' },
      {
        name: 'r',
        type: 'RECORD',
        mode: 'NULLABLE',
        fields: [
          { name: 'a', type: 'INTEGER', mode: 'REQUIRED' },
          { name: 'b', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 'c', type: 'DATE', mode: 'NULLABLE' }] },
        ],
      },
    ]);
  });

  test('IF NOT EXISTS leaves what is there, OR REPLACE does not, and plain CREATE refuses', async () => {
    await server.query('CREATE TABLE d.again AS SELECT 1 AS x');
    await server.query('CREATE TABLE IF NOT EXISTS d.again AS SELECT 2 AS x');
    expect((await server.query('SELECT x FROM d.again')).rows).toEqual([['1']]);
    expect(await server.refusal('CREATE TABLE d.again (y INT64)')).toBe('Already Exists: Table p:d.again');
    await server.query('CREATE OR REPLACE TABLE d.again AS SELECT 3 AS z');
    expect(await server.query('SELECT * FROM d.again')).toMatchObject({ names: ['z'], rows: [['3']] });
  });

  test('AS SELECT takes names and types from the query, or holds it to its own columns', async () => {
    await server.query(
      "CREATE TABLE d.made AS SELECT 1 AS a, [STRUCT('x' AS k)] AS list, NUMERIC '1.5' AS n, NULL AS nothing",
    );
    expect(await server.query('SELECT * FROM d.made')).toEqual({
      names: ['a', 'list', 'n', 'nothing'],
      types: ['INT64', 'ARRAY<STRUCT<k STRING>>', 'NUMERIC', 'INT64'],
      rows: [['1', [['x']], '1.5', null]],
    });
    await server.query('CREATE TABLE d.held (a FLOAT64, b STRING NOT NULL) AS SELECT 1, "x"');
    expect((await server.query('SELECT * FROM d.held')).types).toEqual(['FLOAT64', 'STRING']);
    expect(await server.refusal('CREATE TABLE d.bad (b STRING NOT NULL) AS SELECT CAST(NULL AS STRING)')).toContain(
      'cannot be null',
    );
    expect((await server.post('SELECT * FROM d.bad')).status).toBe(404);
  });

  test('LIKE copies the columns', async () => {
    await server.query('CREATE TABLE d.pattern (a INT64 NOT NULL, b STRING(3))');
    await server.query('CREATE TABLE d.copy LIKE d.pattern');
    expect((await table('copy')).schema).toEqual((await table('pattern')).schema);
  });

  test('partitioned by ingestion time keeps that time beside each row', async () => {
    await server.query('CREATE TABLE d.ingested (x INT64) PARTITION BY _PARTITIONDATE');
    await server.query('INSERT d.ingested (x) VALUES (1)');
    expect((await server.query('SELECT * FROM d.ingested')).names).toEqual(['x']);
    expect(
      (await server.query('SELECT x, _PARTITIONDATE = CURRENT_DATE(), _PARTITIONTIME IS NULL FROM d.ingested')).rows,
    ).toEqual([['1', 'true', 'false']]);
  });

  test('by ranges of an INT64', async () => {
    await server.query('CREATE TABLE d.ranged (x INT64) PARTITION BY RANGE_BUCKET(x, GENERATE_ARRAY(0, 100, 10))');
    expect((await table('ranged')).rangePartitioning).toEqual({
      field: 'x',
      range: { start: '0', end: '100', interval: '10' },
    });
  });

  test('refuses columns, partitions and options that cannot be', async () => {
    expect(await server.refusal('CREATE TABLE d.no (a INT64, A STRING)')).toContain('already exists in schema');
    expect(await server.refusal('CREATE TABLE d.no (a ARRAY<ARRAY<INT64>>)')).toContain('Arrays of arrays');
    expect(await server.refusal('CREATE TABLE d.no (a GEOGRAPHY)')).toContain('GEOGRAPHY');
    expect(await server.refusal('CREATE TABLE d.no (a STRING) PARTITION BY a')).toContain(
      'must be of type DATE, DATETIME or TIMESTAMP',
    );
    expect(await server.refusal('CREATE TABLE d.no (a INT64) OPTIONS(nope = 1)')).toContain('Unknown option: nope');
    expect(await server.refusal('CREATE TABLE nope.t (a INT64)')).toContain('Not found: Dataset p:nope');
    expect(await server.refusal('CREATE TABLE d.no (_PARTITIONTIME TIMESTAMP)')).toContain('reserved');
    expect(await server.refusal('CREATE TABLE d.no (a NUMERIC(40, 2))')).toContain('NUMERIC(P, S)');
  });
});

describe('other DDL', () => {
  test('ALTER TABLE adds, renames and drops columns, relaxes NOT NULL, and renames the table', async () => {
    await server.query('CREATE TABLE d.alter_me (a INT64 NOT NULL, b STRING)');
    await server.query("INSERT d.alter_me VALUES (1, 'x')");
    await server.query(
      'ALTER TABLE d.alter_me ADD COLUMN c ARRAY<INT64>, ADD COLUMN IF NOT EXISTS b INT64, ADD COLUMN d STRUCT<e STRING>',
    );
    await server.query("INSERT d.alter_me VALUES (2, 'y', [1], STRUCT('z'))");
    expect((await server.query('SELECT * FROM d.alter_me ORDER BY a')).rows).toEqual([
      ['1', 'x', [], null],
      ['2', 'y', ['1'], ['z']],
    ]);
    await server.query('ALTER TABLE d.alter_me RENAME COLUMN b TO bb');
    await server.query('ALTER TABLE d.alter_me DROP COLUMN c');
    await server.query('ALTER TABLE d.alter_me ALTER COLUMN a DROP NOT NULL');
    await server.query('INSERT d.alter_me (bb) VALUES ("only")');
    await server.query('ALTER TABLE d.alter_me RENAME TO altered');
    expect((await server.query('SELECT a, bb FROM d.altered ORDER BY bb')).rows).toEqual([
      [null, 'only'],
      ['1', 'x'],
      ['2', 'y'],
    ]);
    expect(await server.refusal('ALTER TABLE d.altered ADD COLUMN must STRING NOT NULL')).toContain(
      'Cannot add a REQUIRED column',
    );
    expect(await server.refusal('ALTER TABLE d.altered DROP COLUMN nope')).toContain('Column nope was not found');
    expect(await server.refusal('ALTER TABLE IF EXISTS d.none ADD COLUMN x INT64')).toBe('');
  });

  test('views are queries under a name, and may build on views', async () => {
    await server.query("CREATE TABLE d.base AS SELECT * FROM UNNEST([STRUCT('a' AS k, 1 AS v), ('b', 2)])");
    await server.query('CREATE VIEW d.doubled AS SELECT k, v * 2 AS v FROM d.base WHERE v > 0');
    await server.query('CREATE OR REPLACE VIEW d.summed (total) AS (SELECT SUM(v) FROM d.doubled)');
    expect((await server.query('SELECT total FROM d.summed')).rows).toEqual([['6']]);
    await server.query("INSERT d.base VALUES ('c', 3)");
    expect((await server.query('SELECT s.total, COUNT(*) FROM d.summed s, d.doubled GROUP BY 1')).rows).toEqual([
      ['12', '3'],
    ]);
    expect(await server.refusal('INSERT d.doubled VALUES ("x", 1)')).toContain('is a view');
    expect(await server.refusal('DROP TABLE d.doubled')).toContain('it is a VIEW');
    await server.query('DROP VIEW d.summed');
    expect((await server.post('SELECT * FROM d.summed')).status).toBe(404);
  });

  test('a view that comes to contain itself is refused, not followed for ever', async () => {
    await server.query('CREATE VIEW d.loop AS SELECT 1 AS x');
    await server.query('CREATE OR REPLACE VIEW d.loop2 AS SELECT * FROM d.loop');
    await server.query('CREATE OR REPLACE VIEW d.loop AS SELECT * FROM d.loop2');
    expect(await server.refusal('SELECT * FROM d.loop')).toContain('contains itself');
  });

  test('schemas are made and dropped', async () => {
    await server.query("CREATE SCHEMA extra OPTIONS(location = 'EU', description = 'more')");
    expect(await server.refusal('CREATE SCHEMA extra')).toBe('Already Exists: Dataset p:extra');
    expect(await server.refusal('CREATE SCHEMA IF NOT EXISTS extra')).toBe('');
    await server.query('CREATE TABLE extra.t (x INT64)');
    expect(await server.refusal('DROP SCHEMA extra')).toContain('still in use');
    await server.query('DROP SCHEMA extra CASCADE');
    expect(await server.refusal('DROP SCHEMA IF EXISTS extra')).toBe('');
  });

  test('DROP TABLE IF EXISTS is content with nothing', async () => {
    expect(await server.refusal('DROP TABLE IF EXISTS d.nothing')).toBe('');
    expect(await server.refusal('DROP TABLE d.nothing')).toBe('Not found: Table p:d.nothing');
  });

  test('INFORMATION_SCHEMA shows schemas, tables and columns', async () => {
    await server.query('CREATE TABLE d.shown (a INT64 NOT NULL, b ARRAY<STRING>) ');
    expect(
      (await server.query("SELECT table_type FROM d.INFORMATION_SCHEMA.TABLES WHERE table_name = 'shown'")).rows,
    ).toEqual([['BASE TABLE']]);
    expect(
      (
        await server.query(
          "SELECT column_name, data_type, is_nullable FROM p.d.INFORMATION_SCHEMA.COLUMNS WHERE table_name = 'shown' ORDER BY ordinal_position",
        )
      ).rows,
    ).toEqual([
      ['a', 'INT64', 'NO'],
      ['b', 'ARRAY<STRING>', 'YES'],
    ]);
    expect(
      (await server.query("SELECT schema_name FROM INFORMATION_SCHEMA.SCHEMATA WHERE schema_name = 'd'")).rows,
    ).toEqual([['d']]);
  });

  test('a table whose time has come is gone', async () => {
    await server.query(
      "CREATE TABLE d.brief (x INT64) OPTIONS(expiration_timestamp = TIMESTAMP '2020-01-01 00:00:00')",
    );
    expect((await server.post('SELECT * FROM d.brief')).status).toBe(404);
    await server.query('CREATE TABLE d.brief (y INT64)');
    expect((await server.query('SELECT * FROM d.brief')).names).toEqual(['y']);
  });
});
