import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useLocalServer } from './local-server.ts';

const server = useLocalServer();

interface Sent {
  readonly insertId?: string;
  readonly json: object;
}

function insertAll(rows: readonly Sent[], more: object = {}) {
  return server.send('POST', '/bigquery/v2/projects/p/datasets/d/tables/t/insertAll', { rows, ...more });
}

const contents = async (columns = '*') => (await server.query(`SELECT ${columns} FROM d.t ORDER BY id`)).rows;

describe('insertAll', () => {
  beforeEach(() =>
    server.query(
      'CREATE OR REPLACE TABLE d.t (id INT64 NOT NULL, name STRING(5), ts TIMESTAMP, amount NUMERIC(6, 2), tags ARRAY<STRING>, r STRUCT<a INT64, b ARRAY<FLOAT64>>, j JSON, day DATE, ok BOOL, raw BYTES)',
    ),
  );
  afterEach(() => server.running?.setTroubles({}));

  test('takes rows as JSON, which are there at once', async () => {
    const json = {
      id: '1',
      name: 'x',
      ts: '2020-01-01T00:00:00.5Z',
      amount: 12.345,
      tags: ['p', 'q'],
      r: { a: 2, b: [1, 2.5] },
      j: { z: 1, y: [2] },
      day: '2020-01-02',
      ok: 'true',
      raw: 'AP8=',
    };
    const { status, body } = await insertAll([{ json }, { json: { id: 2, ts: 1577836800.25 } }]);
    expect([status, body.insertErrors]).toEqual([200, undefined]);
    expect(await contents()).toEqual([
      [
        '1',
        'x',
        '1577836800500000',
        '12.35',
        ['p', 'q'],
        ['2', ['1', '2.5']],
        '{"y":[2],"z":1}',
        '2020-01-02',
        'true',
        'AP8=',
      ],
      ['2', null, '1577836800250000', null, [], null, null, null, null, null],
    ]);
  });

  test('says of each bad row what is wrong, and takes none', async () => {
    const { body } = await insertAll([
      { json: { id: 1 } },
      { json: { name: 'x' } },
      { json: { id: 'x' } },
      { json: { id: 4, nope: 1 } },
      { json: { id: 5, name: 'abcdef' } },
      { json: { id: 6, tags: 'x' } },
      { json: { id: 7, r: { c: 1 } } },
    ]);
    expect(
      body.insertErrors.map(
        (entry: { index: number; errors: { reason: string; message: string; location: string }[] }) => [
          entry.index,
          entry.errors[0]?.reason,
          entry.errors[0]?.location,
          entry.errors[0]?.message,
        ],
      ),
    ).toEqual([
      [0, 'stopped', '', ''],
      [1, 'invalid', 'id', 'Missing required field: id.'],
      [2, 'invalid', 'id', 'Cannot convert value to INT64 (bad value): Bad int64 value: x'],
      [3, 'invalid', 'nope', 'no such field: nope.'],
      [
        4,
        'invalid',
        'name',
        'Cannot convert value to STRING (bad value): Field has maximum length 5 but got a value with length 6',
      ],
      [5, 'invalid', 'tags', 'Repeated field tags must be a list.'],
      [6, 'invalid', 'r.c', 'no such field: r.c.'],
    ]);
    expect(await contents('id')).toEqual([]);
  });

  test('takes the good rows with skipInvalidRows, and unknown members with ignoreUnknownValues', async () => {
    const { body } = await insertAll([{ json: { id: 1 } }, { json: {} }, { json: { id: 3, nope: 1 } }], {
      skipInvalidRows: true,
      ignoreUnknownValues: true,
    });
    expect(body.insertErrors.map((entry: { index: number }) => entry.index)).toEqual([1]);
    expect(await contents('id')).toEqual([['1'], ['3']]);
  });

  test('takes a row with the same insertId once', async () => {
    await insertAll([{ insertId: 'a', json: { id: 1 } }]);
    await insertAll([
      { insertId: 'a', json: { id: 1 } },
      { insertId: 'b', json: { id: 2 } },
    ]);
    expect(await contents('id')).toEqual([['1'], ['2']]);
  });

  test('leaves rows in the streaming buffer, where no DML may touch them for a while', async () => {
    await server.query('INSERT d.t (id) VALUES (1)');
    await insertAll([{ json: { id: 2 } }]);
    const refused = (statement: string) =>
      `${statement} statement over table p:d.t would affect rows in the streaming buffer, which is not supported`;
    expect(await server.refusal('DELETE d.t WHERE id = 2')).toBe(refused('DELETE'));
    expect(await server.refusal('UPDATE d.t SET name = "x" WHERE TRUE')).toBe(refused('UPDATE'));
    expect(await server.refusal('MERGE d.t T USING (SELECT 2 AS id) S ON T.id = S.id WHEN MATCHED THEN DELETE')).toBe(
      refused('MERGE'),
    );
    expect(await server.refusal('TRUNCATE TABLE d.t')).toBe(refused('TRUNCATE'));
    expect(await server.refusal('UPDATE d.t SET name = "x" WHERE id = 1')).toBe('');
    server.running?.setTroubles({ streamingBufferMillis: 0 });
    expect(await server.refusal('DELETE d.t WHERE id = 2')).toBe('');
    expect(await contents('id, name')).toEqual([['1', 'x']]);
  });

  test('shows how many rows are in the buffer', async () => {
    await insertAll([{ json: { id: 1 } }, { json: { id: 2 } }]);
    const { body } = await server.send('GET', '/bigquery/v2/projects/p/datasets/d/tables/t');
    expect(body).toMatchObject({ numRows: '2', streamingBuffer: { estimatedRows: '2' } });
  });

  test('refuses no rows, too many, and tables that cannot take any', async () => {
    expect((await insertAll([])).body.error.message).toContain('No rows present');
    await server.query('CREATE OR REPLACE VIEW d.v AS SELECT 1 AS id');
    expect(
      (await server.send('POST', '/projects/p/datasets/d/tables/v/insertAll', { rows: [{ json: { id: 1 } }] })).status,
    ).toBe(400);
    expect(
      (await server.send('POST', '/projects/p/datasets/d/tables/none/insertAll', { rows: [{ json: { id: 1 } }] }))
        .status,
    ).toBe(404);
  });

  test('after a column was added goes to the right columns', async () => {
    await server.query('ALTER TABLE d.t ADD COLUMN late STRING');
    await insertAll([{ json: { id: 1, late: 'here', raw: 'AP8=' } }]);
    expect(await contents('id, late, raw')).toEqual([['1', 'here', 'AP8=']]);
  });
});
