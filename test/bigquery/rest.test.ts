import { describe, expect, test } from 'vitest';
import { useLocalServer } from './local-server.ts';

const server = useLocalServer();
const P = '/bigquery/v2/projects/p';

function table(tableId: string, more: object = {}): object {
  return {
    tableReference: { projectId: 'p', datasetId: 'd', tableId },
    schema: {
      fields: [
        { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
        { name: 'name', type: 'STRING' },
      ],
    },
    ...more,
  };
}

function error(code: number, reason: string, message: string, status: string): object {
  return { error: { code, message, errors: [expect.objectContaining({ reason, message, domain: 'global' })], status } };
}

describe('datasets', () => {
  test('are made, shown, listed, patched and deleted', async () => {
    const made = await server.send('POST', `${P}/datasets`, {
      datasetReference: { datasetId: 'one' },
      location: 'EU',
      labels: { team: 'a' },
      description: 'first',
    });
    expect(made).toMatchObject({
      status: 200,
      body: {
        id: 'p:one',
        location: 'EU',
        datasetReference: { projectId: 'p', datasetId: 'one' },
        labels: { team: 'a' },
        description: 'first',
      },
    });
    const listed = await server.send('GET', `${P}/datasets`);
    expect(listed.body.datasets.map((dataset: { id: string }) => dataset.id)).toEqual(['p:d', 'p:one']);
    const patched = await server.send('PATCH', `${P}/datasets/one`, {
      labels: { owner: 'b', team: null },
      description: null,
    });
    expect(patched.body.labels).toEqual({ owner: 'b' });
    expect(patched.body.description).toBeUndefined();
    expect((await server.send('DELETE', `${P}/datasets/one`)).status).toBe(204);
    expect(await server.send('GET', `${P}/datasets/one`)).toEqual({
      status: 404,
      body: error(404, 'notFound', 'Not found: Dataset p:one', 'NOT_FOUND'),
    });
  });

  test('cannot be made twice, and with tables inside only go when that is asked for', async () => {
    await server.send('POST', `${P}/datasets`, { datasetReference: { datasetId: 'two' } });
    expect(await server.send('POST', `${P}/datasets`, { datasetReference: { datasetId: 'two' } })).toEqual({
      status: 409,
      body: error(409, 'duplicate', 'Already Exists: Dataset p:two', 'ALREADY_EXISTS'),
    });
    await server.query('CREATE TABLE two.t (x INT64)');
    expect((await server.send('DELETE', `${P}/datasets/two`)).body.error.errors[0].reason).toBe('resourceInUse');
    expect((await server.send('DELETE', `${P}/datasets/two?deleteContents=true`)).status).toBe(204);
    expect((await server.send('GET', `${P}/datasets/two/tables`)).status).toBe(404);
  });

  test('a stale etag is refused', async () => {
    await server.send('POST', `${P}/datasets`, { datasetReference: { datasetId: 'tagged' } });
    const { body } = await server.send('GET', `${P}/datasets/tagged`);
    expect(
      (await server.send('PATCH', `${P}/datasets/tagged`, { friendlyName: 'x' }, { 'if-match': body.etag })).status,
    ).toBe(200);
    expect(
      (await server.send('PATCH', `${P}/datasets/tagged`, { friendlyName: 'y' }, { 'if-match': body.etag })).status,
    ).toBe(412);
  });
});

describe('tables', () => {
  test('are made with partitioning and clustering, shown, listed and deleted', async () => {
    const partitioning = {
      timePartitioning: { type: 'DAY', field: 'at' },
      clustering: { fields: ['name'] },
      schema: {
        fields: [
          { name: 'at', type: 'TIMESTAMP' },
          { name: 'name', type: 'STRING', maxLength: '5', description: 'who' },
          {
            name: 'r',
            type: 'RECORD',
            mode: 'REPEATED',
            fields: [{ name: 'n', type: 'NUMERIC', precision: '5', scale: '2' }],
          },
        ],
      },
    };
    const made = await server.send('POST', `${P}/datasets/d/tables`, table('made', partitioning));
    expect(made.status).toBe(200);
    const { body } = await server.send('GET', `${P}/datasets/d/tables/made`);
    expect(body).toMatchObject({
      id: 'p:d.made',
      type: 'TABLE',
      numRows: '0',
      timePartitioning: { type: 'DAY', field: 'at' },
      clustering: { fields: ['name'] },
    });
    expect(body.schema.fields).toEqual([
      { name: 'at', type: 'TIMESTAMP', mode: 'NULLABLE' },
      { name: 'name', type: 'STRING', mode: 'NULLABLE', maxLength: '5', description: 'who' },
      {
        name: 'r',
        type: 'RECORD',
        mode: 'REPEATED',
        fields: [{ name: 'n', type: 'NUMERIC', mode: 'NULLABLE', precision: '5', scale: '2' }],
      },
    ]);
    const listed = await server.send('GET', `${P}/datasets/d/tables`);
    expect(listed.body.tables.map((entry: { id: string }) => entry.id)).toContain('p:d.made');
    expect((await server.send('DELETE', `${P}/datasets/d/tables/made`)).status).toBe(204);
    expect(await server.send('GET', `${P}/datasets/d/tables/made`)).toEqual({
      status: 404,
      body: error(404, 'notFound', 'Not found: Table p:d.made', 'NOT_FOUND'),
    });
  });

  test('gain NULLABLE columns and lose REQUIRED by a patch; every other change is refused', async () => {
    await server.send('POST', `${P}/datasets/d/tables`, table('patched'));
    await server.query("INSERT d.patched VALUES (1, 'a')");
    const patch = (fields: readonly object[]) =>
      server.send('PATCH', `${P}/datasets/d/tables/patched`, { schema: { fields } });
    const [id, name] = [
      { name: 'id', type: 'INTEGER', mode: 'NULLABLE' },
      { name: 'name', type: 'STRING' },
    ];
    expect((await patch([id, name, { name: 'more', type: 'FLOAT' }])).status).toBe(200);
    expect((await server.query('SELECT * FROM d.patched')).rows).toEqual([['1', 'a', null]]);
    await server.query('INSERT d.patched (more) VALUES (1.5)');
    expect((await patch([id, name])).body.error.message).toContain('Field more is missing in new schema');
    expect(
      (await patch([id, { name: 'name', type: 'BYTES' }, { name: 'more', type: 'FLOAT' }])).body.error.message,
    ).toContain('Field name has changed type from STRING to BYTES');
    expect(
      (await patch([id, name, { name: 'more', type: 'FLOAT' }, { name: 'must', type: 'STRING', mode: 'REQUIRED' }]))
        .body.error.message,
    ).toContain('Cannot add required fields');
    expect(
      (await patch([{ ...id, mode: 'REQUIRED' }, name, { name: 'more', type: 'FLOAT' }])).body.error.message,
    ).toContain('changed mode');
  });

  test('names differ by case, and two tables may differ in nothing else', async () => {
    await server.query('CREATE TABLE d.cased AS SELECT 1 AS x');
    await server.query('CREATE TABLE d.CASED AS SELECT 2 AS x');
    expect((await server.query('SELECT (SELECT x FROM d.cased) a, (SELECT x FROM d.CASED) b')).rows).toEqual([
      ['1', '2'],
    ]);
    expect((await server.post('SELECT * FROM d.Cased')).status).toBe(404);
  });

  test('views are tables of another type', async () => {
    await server.send('POST', `${P}/datasets/d/tables`, {
      tableReference: { tableId: 'seen' },
      view: { query: 'SELECT 1 AS one, "x" AS two', useLegacySql: false },
    });
    const { body } = await server.send('GET', `${P}/datasets/d/tables/seen`);
    expect(body).toMatchObject({ type: 'VIEW', view: { query: 'SELECT 1 AS one, "x" AS two' } });
    expect((await server.query('SELECT * FROM d.seen')).rows).toEqual([['1', 'x']]);
  });

  test('rows are listed in pages, some columns only if so asked', async () => {
    await server.query('CREATE TABLE d.paged AS SELECT x, CONCAT("n", x) AS name FROM UNNEST(GENERATE_ARRAY(1, 25)) x');
    const first = await server.send('GET', `${P}/datasets/d/tables/paged/data?maxResults=10`);
    expect(first.body.totalRows).toBe('25');
    expect(first.body.rows[0]).toEqual({ f: [{ v: '1' }, { v: 'n1' }] });
    const second = await server.send(
      'GET',
      `${P}/datasets/d/tables/paged/data?maxResults=10&pageToken=${first.body.pageToken}`,
    );
    expect(second.body.rows[0].f[0].v).toBe('11');
    const last = await server.send('GET', `${P}/datasets/d/tables/paged/data?startIndex=24&selectedFields=name`);
    expect(last.body.rows).toEqual([{ f: [{ v: 'n25' }] }]);
    expect(last.body.pageToken).toBeUndefined();
  });

  test('a table that is partitioned on what it does not have is refused', async () => {
    const refusal = async (more: object) =>
      (await server.send('POST', `${P}/datasets/d/tables`, table('wrong', more))).body.error.message;
    expect(await refusal({ timePartitioning: { type: 'DAY', field: 'nope' } })).toContain(
      'cannot be found in the schema: nope',
    );
    expect(await refusal({ timePartitioning: { type: 'DAY', field: 'name' } })).toContain(
      'must be of type DATE, DATETIME or TIMESTAMP',
    );
    expect(await refusal({ clustering: { fields: ['nope'] } })).toContain('cannot be found');
    expect(await refusal({ schema: { fields: [{ name: 'g', type: 'GEOGRAPHY' }] } })).toContain('GEOGRAPHY');
    expect(
      await refusal({
        schema: {
          fields: [
            { name: 'a', type: 'STRING' },
            { name: 'A', type: 'STRING' },
          ],
        },
      }),
    ).toContain('already exists in schema');
  });
});

describe('paths', () => {
  test('work with and without /bigquery/v2', async () => {
    for (const prefix of ['', '/bigquery/v2']) {
      expect((await server.send('GET', `${prefix}/projects/p/datasets/d`)).status).toBe(200);
      expect((await server.send('POST', `${prefix}/projects/p/queries`, { query: 'SELECT 1' })).body.rows).toEqual([
        { f: [{ v: '1' }] },
      ]);
    }
  });

  test('that are none of BigQuery are answered in its shape', async () => {
    for (const [method, path] of [
      ['GET', '/nope'],
      ['GET', `${P}/datasets/d/nope`],
      ['DELETE', `${P}/queries`],
      ['GET', '/bigquery/v2/projects/p/datasets/%E0%A4%A'],
    ] as const) {
      const { status, body } = await server.send(method, path);
      expect([400, 404]).toContain(status);
      expect(body.error.errors[0]).toMatchObject({ domain: 'global', message: body.error.message });
    }
  });

  test('of other kinds of jobs and uploads say what is not supported', async () => {
    expect((await server.send('POST', `${P}/jobs`, { configuration: { load: {} } })).body.error.message).toContain(
      'Jobs of kind load are not supported',
    );
    expect((await server.send('POST', '/upload/bigquery/v2/projects/p/jobs?uploadType=multipart', {})).status).toBe(
      501,
    );
  });
});
