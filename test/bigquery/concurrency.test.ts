import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CommitLog } from '../../emulators/bigquery/dml/commit-log.ts';
import { InsertQueue } from '../../emulators/bigquery/dml/insert-queue.ts';
import { StatementQueue } from '../../emulators/bigquery/dml/statement-queue.ts';
import { useLocalServer } from './local-server.ts';

const server = useLocalServer();

/** Statements that are sent while the others still run: each takes its time between reading and committing. */
async function together(statements: readonly string[], delayMillis = 150): Promise<string[]> {
  server.running?.setTroubles({ slowJobs: { next: statements.length, delayMillis } });
  return Promise.all(statements.map((sql) => server.refusal(sql)));
}

const CONFLICT = 'Could not serialize access to table p:d.t due to concurrent update';

describe('statements on one table at the same time', () => {
  beforeEach(async () => {
    await server.query('CREATE OR REPLACE TABLE d.t (day DATE, id STRING, v INT64) PARTITION BY day');
    await server.query("INSERT d.t VALUES ('2020-01-01', 'a', 1), ('2020-01-02', 'b', 1)");
  });
  afterEach(() => server.running?.setTroubles({}));

  const update = (day: string) => `UPDATE d.t SET v = v + 1 WHERE day = '${day}'`;

  test('conflict when both change one partition: one wins, the other fails', async () => {
    const refusals = await together([update('2020-01-01'), update('2020-01-01')]);
    expect(refusals.sort()).toEqual(['', CONFLICT]);
    expect((await server.query("SELECT v FROM d.t WHERE id = 'a'")).rows).toEqual([['2']]);
  });

  test('do not conflict when they change different partitions', async () => {
    expect(await together([update('2020-01-01'), update('2020-01-02')])).toEqual(['', '']);
    expect((await server.query('SELECT v FROM d.t ORDER BY id')).rows).toEqual([['2'], ['2']]);
  });

  test('do not conflict when a MERGE only inserts: both insert, even the same key', async () => {
    const merge =
      "MERGE d.t T USING (SELECT DATE '2020-01-01' AS day, 'new' AS id, 1 AS v) S ON T.id = S.id WHEN MATCHED THEN UPDATE SET v = S.v WHEN NOT MATCHED THEN INSERT ROW";
    expect(await together([merge, merge])).toEqual(['', '']);
    expect((await server.query("SELECT COUNT(*) FROM d.t WHERE id = 'new'")).rows).toEqual([['2']]);
  });

  test('do not conflict when one of them changes no row, or only inserts', async () => {
    expect(await together([update('2020-01-01'), "DELETE d.t WHERE id = 'none'"])).toEqual(['', '']);
    expect(await together([update('2020-01-01'), "INSERT d.t VALUES ('2020-01-01', 'c', 1)"])).toEqual(['', '']);
  });

  test('conflict as a whole table when it has no partitions', async () => {
    await server.query('CREATE OR REPLACE TABLE d.t (id STRING, v INT64)');
    await server.query("INSERT d.t VALUES ('a', 1), ('b', 1)");
    const refusals = await together(["UPDATE d.t SET v = 5 WHERE id = 'a'", "DELETE d.t WHERE id = 'b'"]);
    expect(refusals.sort()).toEqual(['', CONFLICT]);
  });

  test('one after the other never conflict', async () => {
    for (let round = 0; round < 5; round++) expect(await server.refusal(update('2020-01-01'))).toBe('');
    expect((await server.query("SELECT v FROM d.t WHERE id = 'a'")).rows).toEqual([['6']]);
  });

  test('are run again as often as the setting says, and then succeed', async () => {
    server.running?.setTroubles({ slowJobs: { next: 2, delayMillis: 100 }, conflictReruns: 3 });
    expect(await Promise.all([server.refusal(update('2020-01-01')), server.refusal(update('2020-01-01'))])).toEqual([
      '',
      '',
    ]);
    expect((await server.query("SELECT v FROM d.t WHERE id = 'a'")).rows).toEqual([['3']]);
  });

  test('queue: 2 run, 20 wait, and what comes then is refused at once', async () => {
    server.running?.setTroubles({ slowJobs: { next: 2, delayMillis: 300 } });
    const refusals = await Promise.all(
      Array.from({ length: 24 }, () => server.refusal("DELETE d.t WHERE id = 'none'")),
    );
    const refused = refusals.filter((message) => message !== '');
    expect(refused).toEqual(
      Array.from(
        { length: 2 },
        () =>
          'Resources exceeded during query execution: Too many DML statements outstanding against table p:d.t, limit is 20.',
      ),
    );
  });

  test('a reader sees the table before or after a statement, never between', async () => {
    await server.query(
      "INSERT d.t SELECT DATE '2020-02-01', CAST(x AS STRING), 0 FROM UNNEST(GENERATE_ARRAY(1, 2000)) x",
    );
    const sums = Array.from(
      { length: 6 },
      async () => (await server.query("SELECT COUNT(DISTINCT v) FROM d.t WHERE day = '2020-02-01'")).rows[0]?.[0],
    );
    const [, ...seen] = await Promise.all([server.query("UPDATE d.t SET v = v + 1 WHERE day = '2020-02-01'"), ...sums]);
    expect(seen).toEqual(Array.from({ length: 6 }, () => '1'));
  });
});

describe('the commit log', () => {
  test('finds a conflict only with commits made after the statement began', () => {
    const log = new CommitLog();
    const watcher = log.begin();
    log.record('t', new Set(['p1']));
    const later = log.begin();
    expect(log.conflicts(watcher, 't', new Set(['p1', 'p2']))).toBe(true);
    expect(log.conflicts(watcher, 't', new Set(['p2']))).toBe(false);
    expect(log.conflicts(watcher, 'u', new Set(['p1']))).toBe(false);
    expect(log.conflicts(later, 't', new Set(['p1']))).toBe(false);
  });
});

describe('INSERT', () => {
  test('the first 1,500 of a day run at once, then 10 run, 100 wait, and what comes then is refused', async () => {
    const queue = new InsertQueue();
    for (let i = 0; i < 1_500; i++) await queue.run('t', async () => {}, 1_000);
    let running = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const work = async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
    };
    const begun = Array.from({ length: 111 }, () => queue.run('t', work, 2_000));
    await expect(begun[110]).rejects.toThrow('Too many DML statements outstanding against table t, limit is 100.');
    // Another table has its own share, and so has the next day.
    await queue.run('u', async () => {}, 2_000);
    await queue.run('t', async () => {}, 1_000 + 86_400_000);
    while (ends.length > 0) {
      ends.shift()!();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(begun.slice(0, 110));
    expect(most).toBe(10);
  });

  test('so many DML statements in 10 seconds as the server is told, of every kind', async () => {
    server.running?.setTroubles({ dmlPerTenSeconds: 25 });
    await server.query('CREATE OR REPLACE TABLE d.quick (x INT64)');
    for (let i = 0; i < 24; i++) await server.query(`INSERT d.quick VALUES (${i})`);
    expect(await server.refusal('DELETE d.quick WHERE x = 0')).toBe('');
    const { status, body } = await server.post('INSERT d.quick VALUES (25)');
    expect([status, body.error.errors[0].reason]).toEqual([403, 'rateLimitExceeded']);
    expect(body.error.message).toBe(
      'Exceeded rate limits: too many DML statements for table p:d.quick, limit is 25 in 10 seconds.',
    );
    server.running?.setTroubles({});
    expect((await server.query('SELECT COUNT(*) FROM d.quick')).rows).toEqual([['23']]);
  });
});

describe('the statement queue', () => {
  test('runs two at a time, in the order they came, and goes on after a failure', async () => {
    const queue = new StatementQueue();
    const log: string[] = [];
    let running = 0;
    const work = (name: string) => async () => {
      running++;
      log.push(`${name}:${running}`);
      await Promise.resolve();
      running--;
      if (name === 'b') throw new Error('b fails');
    };
    const results = await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => queue.run('t', work(name))));
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(log.map((entry) => entry[0])).toEqual(['a', 'b', 'c', 'd']);
    expect(Math.max(...log.map((entry) => Number(entry[2])))).toBe(2);
  });
});
