import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startBigQuery } from '../../emulators/bigquery/start.ts';
import { LocalServer } from './local-server.ts';

// Starting a process takes a second, and longer on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const children = new Set<ChildProcess>();
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bigquery-'));
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await rm(folder, { recursive: true, force: true });
});

async function open(): Promise<LocalServer> {
  const server = new LocalServer();
  server.running = await startBigQuery({ data: join(folder, 'data.duckdb') });
  return server;
}

const insert = (server: LocalServer, query: string, jobId: string) =>
  server.send('POST', '/projects/p/jobs', {
    configuration: { query: { query, useLegacySql: false } },
    jobReference: { jobId },
  });

describe('a data file', () => {
  test('has datasets, tables, views, rows and the outcome of jobs after a restart', async () => {
    let server = await open();
    await server.query('CREATE SCHEMA d');
    await server.query(
      'CREATE TABLE d.t (id INT64 NOT NULL, s STRUCT<a STRING(3)>) PARTITION BY RANGE_BUCKET(id, GENERATE_ARRAY(0, 10, 1))',
    );
    await server.query('CREATE VIEW d.v AS SELECT COUNT(*) AS n FROM d.t');
    await insert(server, "INSERT d.t VALUES (1, STRUCT('x'))", 'kept-1');
    await server.send('GET', '/projects/p/queries/kept-1');
    await insert(server, 'SELECT DIV(1, 0)', 'kept-2');
    await server.send('GET', '/projects/p/queries/kept-2');
    await server.running?.stop();

    server = await open();
    expect((await server.query('SELECT * FROM d.t, d.v')).rows).toEqual([['1', ['x'], '1']]);
    expect(await server.refusal("INSERT d.t VALUES (2, STRUCT('long'))")).toContain('Field s.a: STRING(3)');
    expect((await insert(server, "INSERT d.t VALUES (1, STRUCT('x'))", 'kept-1')).status).toBe(409);
    const kept = (await server.send('GET', '/projects/p/jobs/kept-1')).body;
    expect([kept.status, kept.statistics.query.numDmlAffectedRows]).toEqual([{ state: 'DONE' }, '1']);
    expect((await server.send('GET', '/projects/p/jobs/kept-2')).body.status.errorResult.message).toBe(
      'division by zero: 1 / 0',
    );
    await server.running?.stop();
  });
});

/** The command, up when it has said where it listens. */
async function command(args: readonly string[]): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, ['emulators/bigquery/main.ts', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    const read = (chunk: Buffer) => {
      said += chunk.toString();
      const found = /listening on (http:\S+)/.exec(said);
      if (found) resolve(found[1] ?? '');
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('exit', (code) => reject(new Error(`exited with ${code}: ${said}`)));
  });
  return { child, url };
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.on('exit', (code) => resolve(code)));
}

describe('the command', () => {
  test('serves from a process of its own; what was answered survives a kill', async () => {
    const data = join(folder, 'killed.duckdb');
    const server = new LocalServer();
    let { child, url } = await command(['--port', '0', '--data', data]);
    server.running = { url } as never;
    await server.query('CREATE SCHEMA d');
    await server.query('CREATE TABLE d.t (x INT64)');
    await insert(server, 'INSERT d.t VALUES (1), (2)', 'killed-1');
    await server.send('GET', '/projects/p/queries/killed-1');
    const gone = ended(child);
    child.kill('SIGKILL');
    await gone;

    ({ child, url } = await command(['--port', '0', '--data', data]));
    server.running = { url } as never;
    expect((await server.query('SELECT SUM(x) FROM d.t')).rows).toEqual([['3']]);
    expect((await insert(server, 'INSERT d.t VALUES (1), (2)', 'killed-1')).status).toBe(409);
    const stopped = ended(child);
    child.kill('SIGTERM');
    expect(await stopped).toBe(0);
  });

  test('says what is wrong with its options', async () => {
    await expect(command(['--port', 'x'])).rejects.toThrow('Expected --port to be a whole number from 0 up, got x');
    await expect(command(['--nope'])).rejects.toThrow('Usage: npm run bigquery');
    await expect(command(['--troubles', '{"nope":1}'])).rejects.toThrow('Unknown trouble nope');
  });
});
