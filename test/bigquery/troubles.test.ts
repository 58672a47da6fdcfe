import { afterEach, describe, expect, test } from 'vitest';
import { readTroubles, TroubleMaker } from '../../emulators/bigquery/troubles.ts';
import { useLocalServer } from './local-server.ts';

const server = useLocalServer();
afterEach(() => server.running?.setTroubles({}));

const put = (troubles: object) => server.send('PUT', '/emulator/v1/troubles', troubles);
const rows = async (table: string) => (await server.query(`SELECT COUNT(*) FROM d.${table}`)).rows[0]?.[0];
const job = (sql: string, jobId: string) =>
  server.send('POST', '/projects/p/jobs', {
    configuration: { query: { query: sql, useLegacySql: false } },
    jobReference: { jobId },
  });

describe('troubles over HTTP', () => {
  test('an answer is lost after the work was done, and the job tells what became of it', async () => {
    await server.query('CREATE TABLE d.lost (x INT64)');
    await put({ lostAnswers: { next: 1 } });
    await expect(job('INSERT d.lost VALUES (1)', 'lost-1')).rejects.toThrow('fetch failed');
    expect((await job('INSERT d.lost VALUES (1)', 'lost-1')).status).toBe(409);
    expect((await server.send('GET', '/projects/p/jobs/lost-1')).body.status).toEqual({ state: 'DONE' });
    expect(await rows('lost')).toBe('1');
  });

  test('the answer of insertAll is lost after the rows went in', async () => {
    await server.query('CREATE TABLE d.lost_rows (x INT64)');
    await put({ lostAnswers: { next: 1 } });
    const send = () =>
      server.send('POST', '/projects/p/datasets/d/tables/lost_rows/insertAll', {
        rows: [{ insertId: 'a', json: { x: 1 } }],
      });
    await expect(send()).rejects.toThrow('fetch failed');
    expect((await send()).status).toBe(200);
    expect(await rows('lost_rows')).toBe('1');
  });

  test('503 comes before anything is done', async () => {
    await server.query('CREATE TABLE d.unavailable (x INT64)');
    await put({ unavailable: { next: 1 } });
    expect(await job('INSERT d.unavailable VALUES (1)', 'down-1')).toMatchObject({
      status: 503,
      body: { error: { code: 503, status: 'UNAVAILABLE', errors: [{ reason: 'backendError' }] } },
    });
    expect((await server.send('GET', '/projects/p/jobs/down-1')).status).toBe(404);
    expect(await rows('unavailable')).toBe('0');
  });

  test('jobRateLimitExceeded fails the job, which has done nothing', async () => {
    await server.query('CREATE TABLE d.limited (x INT64)');
    await put({ rateLimited: { next: 1 } });
    await job('INSERT d.limited VALUES (1)', 'limited-1');
    await server.send('GET', '/projects/p/queries/limited-1');
    expect((await server.send('GET', '/projects/p/jobs/limited-1')).body.status.errorResult.reason).toBe(
      'jobRateLimitExceeded',
    );
    expect(await rows('limited')).toBe('0');
  });

  test('"could not serialize" fails a statement that changes rows, and no other', async () => {
    await server.query('CREATE TABLE d.contended AS SELECT 1 AS x');
    await put({ notSerialized: { next: 1 } });
    expect(await server.refusal('INSERT d.contended VALUES (2)')).toBe('');
    const { status, body } = await server.post('UPDATE d.contended SET x = 5 WHERE TRUE');
    expect([status, body.error.errors[0].reason, body.error.message]).toEqual([
      400,
      'invalidQuery',
      'Could not serialize access to table p:d.contended due to concurrent update',
    ]);
    expect((await server.query('SELECT SUM(x) FROM d.contended')).rows).toEqual([['3']]);
  });

  test('slow jobs take their time', async () => {
    await put({ slowJobs: { next: 1, delayMillis: 120 } });
    const before = performance.now();
    await server.query('SELECT 1');
    expect(performance.now() - before).toBeGreaterThanOrEqual(115);
  });

  test('are shown with what is left of them, and refused when they are none', async () => {
    await put({ unavailable: { next: 2 }, streamingBufferMillis: 5 });
    await server.send('GET', '/projects/p/datasets');
    expect((await server.send('GET', '/emulator/v1/troubles')).body).toEqual({
      unavailable: { next: 1 },
      streamingBufferMillis: 5,
    });
    await put({});
    expect((await put({ nonsense: {} })).body.error.message).toContain('Unknown trouble nonsense');
    expect((await put({ unavailable: { probability: 2 } })).body.error.message).toBe(
      'Expected unavailable.probability to be a number from 0 to 1, got 2',
    );
    expect((await put({ unavailable: { often: 1 } })).body.error.message).toContain(
      'Unknown setting unavailable.often',
    );
  });

  test('a reset forgets datasets and jobs', async () => {
    await server.query('CREATE SCHEMA forgotten');
    await server.send('POST', '/emulator/v1/reset');
    expect((await server.send('GET', '/projects/p/datasets')).body.datasets).toEqual([]);
    await server.query('CREATE SCHEMA d');
  });
});

describe('chance in troubles', () => {
  const strikes = (seed: number) => {
    const maker = new TroubleMaker({ unavailable: { probability: 0.3 } }, seed);
    return Array.from({ length: 1000 }, () => maker.strikes('unavailable'));
  };

  test('is the same for the same seed and differs for another', () => {
    expect(strikes(7)).toEqual(strikes(7));
    expect(strikes(7)).not.toEqual(strikes(8));
  });

  test('strikes about as often as it is told', () => {
    const share = strikes(1).filter(Boolean).length / 1000;
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.35);
  });

  test('settings are read strictly', () => {
    expect(readTroubles({ slowJobs: { next: 1, delayMillis: 5 } })).toEqual({ slowJobs: { next: 1, delayMillis: 5 } });
    expect(() => readTroubles({ lostAnswers: { delayMillis: 5 } })).toThrow('Unknown setting lostAnswers.delayMillis');
    expect(() => readTroubles([])).toThrow('must be an object');
  });
});
