/** `npm run dev`, as its user sees it. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BigQuery } from '@google-cloud/bigquery';
import { afterEach, expect, it } from 'vitest';
import { STATUS } from '../cli/json-schemas.ts';
import { expectedTotals } from '../local/totals-pipeline.ts';
import { until } from './deployed.ts';
import { LAST_READING, readings } from './readings.ts';

const MAIN = fileURLToPath(new URL('../../emulators/dev/main.ts', import.meta.url));
const MILLRACE = fileURLToPath(new URL('../../functions/cli/millrace.ts', import.meta.url));
const PIPELINE = fileURLToPath(new URL('./fixtures/totals.ts', import.meta.url));

interface Dev {
  output(): string;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<number | null>;
}

let folder: string | undefined;
let running: Dev | undefined;
afterEach(async () => {
  running?.kill('SIGTERM');
  await running?.ended;
  running = undefined;
  if (folder !== undefined) await rm(folder, { recursive: true });
  folder = undefined;
});

function dev(...args: string[]): Dev {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  running = { output: () => text, kill: (signal) => child.kill(signal), ended };
  return running;
}

async function answers(address: string): Promise<boolean> {
  const url = address.startsWith('http') ? address : `http://${address}`;
  return fetch(url).then(
    () => true,
    () => false,
  );
}

it('runs a pipeline on this machine, sends it a file, shows what each stage does, and leaves nothing behind', async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-dev-'));
  const input = readings(1, 400);
  const lines = [...input, LAST_READING].map((reading) => JSON.stringify(reading));
  await writeFile(
    join(folder, 'readings.jsonl'),
    [...lines.slice(0, 50), 'this is no JSON', ...lines.slice(50)].join('\n'),
  );
  const { output, kill, ended } = dev(PIPELINE, '--send', `readings=${folder}/readings.jsonl`, '--rate', '200');

  await until('it is up', output, (text) => text.includes('Ctrl-C ends it all.'));
  const addresses = [...output().matchAll(/(?:http:\/\/)?127\.0\.0\.1:\d+/g)].map(([address]) => address);
  expect(addresses.length).toBeGreaterThanOrEqual(7);
  for (const address of addresses) expect(await answers(address)).toBe(true);

  const variables = /export (PUBSUB_EMULATOR_HOST=.*)/
    .exec(output())![1]!
    .split(' ')
    .map((each) => each.split('='));
  const asked = await promisify(execFile)(process.execPath, [MILLRACE, 'status', '--emulators', '--json'], {
    env: { ...process.env, ...Object.fromEntries(variables) },
  });
  expect(STATUS.parse(JSON.parse(asked.stdout))).toMatchObject({ pipeline: 'totals', topology: 1 });
  const url = /BIGQUERY_EMULATOR_HOST=(\S+)/.exec(output())![1]!;
  const bigQuery = new BigQuery({ projectId: 'demo-millrace', apiEndpoint: url });
  const rows = async (): Promise<{ place: string; readings: number; amount: number }[]> => {
    const sql = "SELECT place, readings, amount FROM millrace_totals.totals WHERE place != 'last'";
    return bigQuery.query(sql).then(
      ([found]) => found,
      () => [],
    );
  };
  const table = await until(
    'the table is complete',
    rows,
    (found) => found.reduce((sum, row) => sum + row.readings, 0) >= 400,
  );
  expect(table).toHaveLength(expectedTotals(input).size);
  expect(table.reduce((sum, { amount }) => sum + amount, 0)).toBe(input.reduce((sum, { amount }) => sum + amount, 0));

  await until('the status says so', output, (text) => /\ntotals-table +0 +\d{2,} /.test(text));
  expect(output()).toMatch(/\nreadings +\d+ +402 +0 +0 +1 {2}/);
  expect(output()).toContain('sent 402 records');

  kill('SIGINT');
  expect(await ended).toBe(0);
  for (const address of addresses) expect(await answers(address)).toBe(false);
});

it('says what is wrong with the words that it was given, all at once, and starts nothing', async () => {
  const { output, ended } = dev('--rate', 'fast', '--shape', 'boxes', '--send', 'readings');
  expect(await ended).toBe(1);
  expect(
    output()
      .split('\n')
      .filter((line) => line !== ''),
  ).toEqual([
    'dev: 4 problems:',
    '- expected the name of one pipeline, got none',
    "- --shape: expected functions or services, got 'boxes'",
    "- --send: expected SOURCE=FILE, got 'readings'",
    "- --rate: expected a whole number from 0 up, got 'fast'",
  ]);
});

it('names the sources there are when the one to send to is none, and ends what it had started', async () => {
  const { output, ended } = dev(PIPELINE, '--send', 'letters=package.json');
  expect(await ended).toBe(1);
  expect(output()).toContain("dev: --send: 'letters' is no source of pipeline 'totals'; its sources are readings");
});
