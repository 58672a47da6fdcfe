import { BigQuery } from '@google-cloud/bigquery';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RunningBigQuery, startBigQuery } from '../../emulators/bigquery/start.ts';

/** Google's own client, as users have it: by `apiEndpoint`, and by BIGQUERY_EMULATOR_HOST. */
let server: RunningBigQuery;
const clients: BigQuery[] = [];

beforeAll(async () => {
  vi.stubEnv('METADATA_SERVER_DETECTION', 'none');
  server = await startBigQuery();
  clients.push(new BigQuery({ projectId: 'p', apiEndpoint: server.url }));
  vi.stubEnv('BIGQUERY_EMULATOR_HOST', server.url);
  clients.push(new BigQuery({ projectId: 'p' }));
  vi.stubEnv('BIGQUERY_EMULATOR_HOST', undefined);
  await (clients[0] as BigQuery).createDataset('d');
});
afterEach(() => server.setTroubles({}));
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.stop();
});

describe.each([
  ['apiEndpoint', 0],
  ['BIGQUERY_EMULATOR_HOST', 1],
])('the Node client by %s', (_, index) => {
  const client = () => clients[index] as BigQuery;
  const name = `t${index}`;

  test('makes a table, merges into it and reads it', async () => {
    const [table] = await client()
      .dataset('d')
      .createTable(name, {
        schema: [
          { name: 'airport', type: 'STRING', mode: 'REQUIRED' },
          { name: 'total', type: 'NUMERIC' },
          { name: 'window_start', type: 'TIMESTAMP' },
        ],
        timePartitioning: { type: 'DAY', field: 'window_start' },
      });
    const query = `MERGE \`p.d.${name}\` T USING (SELECT JSON_VALUE(r, '$.airport') AS airport, CAST(JSON_VALUE(r, '$.total') AS NUMERIC) AS total, TIMESTAMP(JSON_VALUE(r, '$.window_start')) AS window_start FROM UNNEST(JSON_QUERY_ARRAY(@rows)) r) S ON T.airport = S.airport AND T.window_start = S.window_start AND T.window_start BETWEEN @lo AND @hi WHEN MATCHED THEN UPDATE SET total = S.total WHEN NOT MATCHED THEN INSERT ROW`;
    const rows = JSON.stringify([
      { airport: 'ATL', total: '1234567890.123456789', window_start: '2020-01-01T00:00:00.123456Z' },
    ]);
    const lo = BigQuery.timestamp('2020-01-01T00:00:00Z');
    const hi = BigQuery.timestamp('2020-01-02T00:00:00Z');
    await client().query({ query, params: { rows, lo, hi } });
    await client().query({ query, params: { rows, lo, hi } });
    const [found] = await client().query(`SELECT * FROM d.${name}`);
    expect(found).toEqual([
      {
        airport: 'ATL',
        total: expect.anything(),
        window_start: expect.objectContaining({ value: '2020-01-01T00:00:00.123456000Z' }),
      },
    ]);
    expect(String(found[0].total)).toBe('1234567890.123456789');
    const [listed] = await table.getRows();
    expect(listed).toHaveLength(1);
    expect((await table.getMetadata())[0].numRows).toBe('1');
  });

  test('sends parameters of every type that it knows, named and positional', async () => {
    const params = {
      text: "it's",
      int: 5,
      float: 1.5,
      yes: true,
      list: ['a', 'b'],
      day: BigQuery.date('2020-01-02'),
      when: BigQuery.timestamp('2020-01-01T00:00:00.5Z'),
      time: BigQuery.time('10:11:12'),
      local: BigQuery.datetime('2020-01-01T10:00:00'),
      bytes: 'YWI=',
      record: { k: 'x', n: 1 },
      big: BigQuery.int('9007199254740993'),
    };
    const [named] = await client().query({
      query:
        'SELECT @text t, @int + 1 i, @float f, @yes y, ARRAY_LENGTH(@list) l, @day d, @when w, @time tm, @local lc, @bytes b, @record.k k, @big bg',
      params,
      types: { bytes: 'BYTES' },
      wrapIntegers: true,
    });
    expect(named[0]).toMatchObject({
      t: "it's",
      i: { value: '6' },
      f: 1.5,
      y: true,
      l: { value: '2' },
      d: { value: '2020-01-02' },
      w: { value: '2020-01-01T00:00:00.500Z' },
      tm: { value: '10:11:12' },
      lc: { value: '2020-01-01T10:00:00' },
      b: Buffer.from('ab'),
      k: 'x',
      bg: { value: '9007199254740993' },
    });
    const [positional] = await client().query({ query: 'SELECT ? a, ? b', params: [1, 'x'] });
    expect(positional).toEqual([{ a: 1, b: 'x' }]);
    const [empty] = await client().query({
      query: 'SELECT @a IS NULL a, ARRAY_LENGTH(@l) l',
      params: { a: null, l: [] },
      types: { a: 'STRING', l: ['INT64'] },
    });
    expect(empty).toEqual([{ a: true, l: 0 }]);
  });

  test('runs a job under its own id, which is taken afterwards', async () => {
    const jobId = `own-${index}`;
    const [job] = await client().createQueryJob({ query: 'SELECT x FROM UNNEST(GENERATE_ARRAY(1, 30)) x', jobId });
    expect((await job.getQueryResults({ maxResults: 10, autoPaginate: false }))[0]).toHaveLength(10);
    expect((await job.getQueryResults())[0]).toHaveLength(30);
    await expect(client().createQueryJob({ query: 'SELECT 1', jobId })).rejects.toMatchObject({
      code: 409,
      errors: [expect.objectContaining({ reason: 'duplicate' })],
    });
    const [metadata] = await client().job(jobId).getMetadata();
    expect(metadata.status.state).toBe('DONE');
  });

  test('throws what went wrong with its code and reason', async () => {
    await expect(client().query('SELECT nope FROM UNNEST([1])')).rejects.toMatchObject({
      code: 400,
      message: 'Unrecognized name: nope at [1:8]',
      errors: [expect.objectContaining({ reason: 'invalidQuery' })],
    });
    await expect(client().query('SELECT * FROM d.missing')).rejects.toMatchObject({ code: 404 });
    await expect(client().query('SELECT DIV(1, 0)')).rejects.toThrow('division by zero');
  });

  test('inserts rows by insertAll and learns of bad ones', async () => {
    const [table] = await client().dataset('d').createTable(`${name}_rows`, { schema: 'id:INTEGER, name:STRING' });
    await table.insert([{ id: 1, name: 'x' }]);
    await expect(table.insert([{ id: 'x' }])).rejects.toMatchObject({ name: 'PartialFailureError' });
    expect((await table.getRows())[0]).toEqual([{ id: 1, name: 'x' }]);
  });

  test('reads a result of many pages as a stream', async () => {
    let sum = 0;
    for await (const row of client().createQueryStream('SELECT x FROM UNNEST(GENERATE_ARRAY(1, 50000)) x'))
      sum += (row as { x: number }).x;
    expect(sum).toBe(1_250_025_000);
  });

  test('tries again after a 503', async () => {
    server.setTroubles({ unavailable: { next: 1 } });
    expect((await client().query('SELECT 1 AS x'))[0]).toEqual([{ x: 1 }]);
  });

  test('describes a query without running it', async () => {
    const [job] = await client().createQueryJob({ query: 'SELECT 1 AS x', dryRun: true });
    expect(job.metadata.statistics.query.schema.fields).toEqual([{ name: 'x', type: 'INTEGER', mode: 'NULLABLE' }]);
  });

  test('lists and deletes what it made', async () => {
    expect((await client().getDatasets())[0].map((dataset) => dataset.id)).toEqual(['d']);
    await client().dataset('d').table(name).delete();
    expect(await client().dataset('d').table(name).exists()).toEqual([false]);
  });
});
