import { describe, expect, test } from 'vitest';
import { useLocalServer } from './local-server.ts';

const server = useLocalServer();
const P = '/bigquery/v2/projects/p';

function insert(query: string, jobId?: string, more: object = {}) {
  return server.send('POST', `${P}/jobs`, {
    configuration: { query: { query, useLegacySql: false, ...more } },
    ...(jobId !== undefined && { jobReference: { projectId: 'p', jobId } }),
  });
}

async function finished(jobId: string) {
  await server.send('GET', `${P}/queries/${jobId}?timeoutMs=20000`);
  return (await server.send('GET', `${P}/jobs/${jobId}`)).body;
}

describe('jobs.insert', () => {
  test('takes the id of the client, and answers 409 to the same id', async () => {
    const first = await insert('SELECT 1 AS one', 'mine-1');
    expect(first).toMatchObject({
      status: 200,
      body: {
        id: 'p:US.mine-1',
        jobReference: { projectId: 'p', jobId: 'mine-1', location: 'US' },
        configuration: { jobType: 'QUERY' },
      },
    });
    const again = await insert('SELECT 2', 'mine-1');
    expect(again.status).toBe(409);
    expect(again.body.error.errors[0]).toMatchObject({
      reason: 'duplicate',
      message: 'Already Exists: Job p:US.mine-1',
    });
    expect((await finished('mine-1')).status).toEqual({ state: 'DONE' });
  });

  test('of a statement that changes rows does so once, however often the id is sent', async () => {
    await server.query('CREATE TABLE d.once (x INT64)');
    const answers = await Promise.all([1, 2, 3, 4].map(() => insert('INSERT d.once VALUES (1)', 'once-1')));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409, 409]);
    await finished('once-1');
    expect((await server.query('SELECT COUNT(*) FROM d.once')).rows).toEqual([['1']]);
  });

  test('of a wrong statement answers 400, and the job is there as failed', async () => {
    const { status, body } = await insert('SELEC 1', 'wrong-1');
    expect(status).toBe(400);
    expect(body.error.errors[0]).toMatchObject({
      reason: 'invalidQuery',
      message: 'Syntax error: Unexpected identifier "SELEC" at [1:1]',
    });
    expect((await finished('wrong-1')).status).toMatchObject({
      state: 'DONE',
      errorResult: { reason: 'invalidQuery' },
    });
  });

  test('of a statement that fails while running ends as a failed job', async () => {
    expect((await insert('SELECT DIV(1, x) FROM UNNEST([1, 0]) x', 'failing-1')).status).toBe(200);
    expect((await finished('failing-1')).status).toEqual({
      state: 'DONE',
      errorResult: { reason: 'invalidQuery', message: 'division by zero: 1 / 0' },
      errors: [{ reason: 'invalidQuery', message: 'division by zero: 1 / 0' }],
    });
    expect((await server.send('GET', `${P}/queries/failing-1`)).status).toBe(400);
  });

  test('refuses ids that are none', async () => {
    for (const jobId of ['a b', "x'; DROP TABLE t", 'ü', 'x'.repeat(1025)])
      expect((await insert('SELECT 1', jobId)).body.error.message).toContain('Invalid job ID');
  });

  test('tells what a statement did', async () => {
    await server.query('CREATE TABLE d.told (x INT64)');
    await insert('INSERT d.told SELECT * FROM UNNEST([1, 2, 3])', 'told-1');
    expect((await finished('told-1')).statistics.query).toMatchObject({
      statementType: 'INSERT',
      numDmlAffectedRows: '3',
      dmlStats: { insertedRowCount: '3' },
      cacheHit: false,
    });
    await insert('SELECT x FROM d.told', 'told-2');
    const { statistics } = await finished('told-2');
    expect(statistics.query).toMatchObject({
      statementType: 'SELECT',
      totalBytesProcessed: '24',
      referencedTables: [{ projectId: 'p', datasetId: 'd', tableId: 'told' }],
    });
    expect(Number(statistics.endTime)).toBeGreaterThanOrEqual(Number(statistics.startTime));
  });

  test('with dryRun compiles only', async () => {
    const { body } = await server.send('POST', `${P}/jobs`, {
      configuration: { dryRun: true, query: { query: 'SELECT 1 AS a, "x" AS b', useLegacySql: false } },
    });
    expect(body.statistics.query).toMatchObject({
      statementType: 'SELECT',
      schema: {
        fields: [
          { name: 'a', type: 'INTEGER' },
          { name: 'b', type: 'STRING' },
        ],
      },
    });
    expect(body.status.state).toBe('DONE');
    const refused = await server.send('POST', `${P}/jobs`, {
      configuration: { dryRun: true, query: { query: 'SELECT nope', useLegacySql: false } },
    });
    expect(refused.status).toBe(400);
  });

  test('writes a result to the table it is given', async () => {
    const destinationTable = { projectId: 'p', datasetId: 'd', tableId: 'target' };
    await insert("SELECT 1 AS a, 'x' AS b", 'dest-1', { destinationTable });
    await finished('dest-1');
    await insert("SELECT 2 AS a, 'y' AS b", 'dest-2', { destinationTable, writeDisposition: 'WRITE_APPEND' });
    await finished('dest-2');
    expect((await server.query('SELECT * FROM d.target ORDER BY a')).rows).toEqual([
      ['1', 'x'],
      ['2', 'y'],
    ]);
    await insert('SELECT 3 AS a', 'dest-3', { destinationTable });
    expect((await finished('dest-3')).status.errorResult.reason).toBe('duplicate');
    await insert('SELECT 4 AS z', 'dest-4', { destinationTable, writeDisposition: 'WRITE_TRUNCATE' });
    await finished('dest-4');
    expect(await server.query('SELECT * FROM d.target')).toMatchObject({ names: ['z'], rows: [['4']] });
  });
});

describe('results', () => {
  test('come in pages', async () => {
    await insert('SELECT x FROM UNNEST(GENERATE_ARRAY(1, 25)) x ORDER BY x', 'paged-1');
    const rows: string[] = [];
    let token = '';
    for (let pages = 0; pages < 10; pages++) {
      const { body } = await server.send('GET', `${P}/queries/paged-1?maxResults=10${token && `&pageToken=${token}`}`);
      expect(body).toMatchObject({ jobComplete: true, totalRows: '25' });
      rows.push(...body.rows.map((row: { f: { v: string }[] }) => row.f[0]?.v));
      token = body.pageToken ?? '';
      if (token === '') break;
    }
    expect(rows).toEqual(Array.from({ length: 25 }, (_, index) => String(index + 1)));
    expect((await server.send('GET', `${P}/queries/paged-1?pageToken=nonsense`)).status).toBe(400);
    expect((await server.send('GET', `${P}/queries/paged-1?startIndex=24`)).body.rows).toEqual([{ f: [{ v: '25' }] }]);
  });

  test('of jobs.query are paged by maxResults, and read on by the job that it names', async () => {
    const { body } = await server.post('SELECT x FROM UNNEST([1, 2, 3]) x', { maxResults: 2 });
    expect(body.rows).toHaveLength(2);
    const next = await server.send('GET', `${P}/queries/${body.jobReference.jobId}?pageToken=${body.pageToken}`);
    expect(next.body.rows).toEqual([{ f: [{ v: '3' }] }]);
  });

  test('show TIMESTAMPs as seconds, microseconds or text, as asked', async () => {
    const sql = "SELECT TIMESTAMP '2020-01-01 00:00:00.25'";
    const shown = async (formatOptions: object) => (await server.post(sql, { formatOptions })).body.rows[0].f[0].v;
    expect(await shown({})).toBe('1.57783680025E9');
    expect(await shown({ useInt64Timestamp: true })).toBe('1577836800250000');
    expect(await shown({ timestampOutputFormat: 'ISO8601_STRING' })).toBe('2020-01-01T00:00:00.250000Z');
    const { body } = await server.post(sql);
    const again = await server.send(
      'GET',
      `${P}/queries/${body.jobReference.jobId}?formatOptions.useInt64Timestamp=true`,
    );
    expect(again.body.rows[0].f[0].v).toBe('1577836800250000');
  });

  test('have every type in the form of the wire', async () => {
    const { body } = await server.post(
      "SELECT 1 AS i, 1.0 AS f, 1e10 AS big, NUMERIC '1.50' AS n, TRUE AS b, 'x' AS s, b'ab' AS y, DATE '2020-01-02' AS d, DATETIME '2020-01-02 03:04:05.6' AS dt, TIME '03:04:05' AS t, JSON '{\"b\":1,\"a\":2}' AS j, [1, 2] AS l, STRUCT(1 AS p, [STRUCT('q' AS q)] AS r) AS st, INTERVAL '1-2 3 4:5:6.7' YEAR TO SECOND AS iv, CAST('nan' AS FLOAT64) AS nan, CAST('-inf' AS FLOAT64) AS inf, NULL AS z",
    );
    expect(body.rows[0].f.map((cell: { v: unknown }) => cell.v)).toEqual([
      '1',
      '1.0',
      '1.0E10',
      '1.5',
      'true',
      'x',
      'YWI=',
      '2020-01-02',
      '2020-01-02T03:04:05.600000',
      '03:04:05',
      '{"a":2,"b":1}',
      [{ v: '1' }, { v: '2' }],
      { f: [{ v: '1' }, { v: [{ v: { f: [{ v: 'q' }] } }] }] },
      '1-2 3 4:5:6.700',
      'NaN',
      '-Infinity',
      null,
    ]);
    expect(body.schema.fields.map((field: { type: string; mode: string }) => `${field.type} ${field.mode}`)).toEqual([
      'INTEGER NULLABLE',
      'FLOAT NULLABLE',
      'FLOAT NULLABLE',
      'NUMERIC NULLABLE',
      'BOOLEAN NULLABLE',
      'STRING NULLABLE',
      'BYTES NULLABLE',
      'DATE NULLABLE',
      'DATETIME NULLABLE',
      'TIME NULLABLE',
      'JSON NULLABLE',
      'INTEGER REPEATED',
      'RECORD NULLABLE',
      'INTERVAL NULLABLE',
      'FLOAT NULLABLE',
      'FLOAT NULLABLE',
      'INTEGER NULLABLE',
    ]);
  });

  test('name columns as BigQuery does', async () => {
    expect(
      (await server.query('SELECT 1, 2 AS two, 3, t.two, u.two FROM (SELECT 2 AS two) t, (SELECT 2 AS two) u')).names,
    ).toEqual(['f0_', 'two', 'f1_', 'two_1', 'two_2']);
    expect(await server.refusal('CREATE TABLE d.dup AS SELECT 1 AS a, 2 AS a')).toContain('Duplicate column names');
  });

  test('refuse an array that holds a NULL', async () => {
    expect(await server.refusal('SELECT [1, NULL]')).toBe('Array cannot have a null element; error in writing field');
  });
});

describe('the same request', () => {
  test('of jobs.query by its requestId runs once', async () => {
    await server.query('CREATE TABLE d.requested (x INT64)');
    const send = () => server.post('INSERT d.requested VALUES (1)', { requestId: 'r-1' });
    const [first, second] = [await send(), await send()];
    expect(first.body.jobReference).toEqual(second.body.jobReference);
    expect((await server.query('SELECT COUNT(*) FROM d.requested')).rows).toEqual([['1']]);
  });
});

describe('jobs', () => {
  test('are listed newest first, shown, and not found when there is none', async () => {
    await insert('SELECT 1', 'listed-1');
    await insert('SELECT 1', 'listed-2');
    const { body } = await server.send('GET', `${P}/jobs?maxResults=2`);
    expect(body.jobs.map((job: { jobReference: { jobId: string } }) => job.jobReference.jobId)).toEqual([
      'listed-2',
      'listed-1',
    ]);
    const missing = await server.send('GET', `${P}/jobs/none`);
    expect(missing).toMatchObject({
      status: 404,
      body: { error: { message: 'Not found: Job p:US.none', errors: [{ reason: 'notFound' }] } },
    });
    expect((await server.send('GET', `${P}/queries/none`)).status).toBe(404);
  });

  test('that run are cancelled', async () => {
    server.running?.setTroubles({ slowJobs: { next: 1, delayMillis: 300 } });
    await insert('SELECT 1', 'cancelled-1');
    const answer = await server.send('POST', `${P}/jobs/cancelled-1/cancel`);
    expect(answer.body.job.jobReference.jobId).toBe('cancelled-1');
    expect((await finished('cancelled-1')).status.errorResult).toMatchObject({ reason: 'stopped' });
    server.running?.setTroubles({});
  });

  test('whose query is long are stopped in DuckDB too', async () => {
    await insert(
      'SELECT COUNT(*) FROM UNNEST(GENERATE_ARRAY(1, 100000)) a, UNNEST(GENERATE_ARRAY(1, 100000)) b WHERE MOD(a * b, 7) = 3',
      'long-1',
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    await server.send('POST', `${P}/jobs/long-1/cancel`);
    expect((await finished('long-1')).status.errorResult).toMatchObject({ reason: 'stopped' });
  });

  test('not done within timeoutMs are answered as not complete', async () => {
    server.running?.setTroubles({ slowJobs: { next: 1, delayMillis: 200 } });
    const { body } = await server.post('SELECT 5', { timeoutMs: 10 });
    expect(body.jobComplete).toBe(false);
    const done = await server.send('GET', `${P}/queries/${body.jobReference.jobId}`);
    expect(done.body.rows).toEqual([{ f: [{ v: '5' }] }]);
    server.running?.setTroubles({});
  });
});
