/** Operators' commands on a deployment in trouble: one story, from a morning's dead letters to a fresh start at night. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BigQuery } from '@google-cloud/bigquery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningBigQuery, startBigQuery } from '../../emulators/bigquery/start.ts';
import { startVertex, type VertexServer } from '../../emulators/vertex/server.ts';
import { datasetName, stageTopic } from '../../functions/plan/resource-names.ts';
import * as json from '../cli/json-schemas.ts';
import { type Deployed, deploy, publish, until, useEmulators } from './deployed.ts';
import orders, { type Order } from './fixtures/orders.ts';
import { CommandLine } from './millrace.ts';

const module = fileURLToPath(new URL('./fixtures/orders.ts', import.meta.url));
const MILLRACE = fileURLToPath(new URL('../../functions/cli/millrace.ts', import.meta.url));
const NOWHERE = '127.0.0.1:1';
/** A call of Google's clients that nobody answers takes a minute. */
const QUICKLY = 5_000;

useEmulators();
let cloud: Deployed;
let vertex: VertexServer;
let bigQuery: RunningBigQuery;
let cli: CommandLine;
let folder: string;

async function start(projectId?: string): Promise<Deployed> {
  return deploy({
    graph: orders,
    module,
    shape: 'services',
    shards: 2,
    vertexUrl: vertex.url,
    bigQueryUrl: bigQuery.url,
    ...(projectId === undefined ? {} : { projectId }),
  });
}

beforeAll(async () => {
  vertex = await startVertex({ models: { predict: { risk: () => 0.5 } } });
  bigQuery = await startBigQuery();
  cloud = await start();
  await tables().createDataset(datasetName('orders'));
  cli = new CommandLine(cloud, module, bigQuery.url);
  folder = await mkdtemp(join(tmpdir(), 'millrace-operators-'));
});
afterAll(async () => {
  await cloud?.stop();
  await vertex?.stop();
  await bigQuery?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

function tables(): BigQuery {
  return new BigQuery({ projectId: cloud.projectId, apiEndpoint: bigQuery.url });
}

async function rows(): Promise<Record<string, unknown>[]> {
  const query = `SELECT card, cents, pane_epoch FROM ${datasetName('orders')}.spent ORDER BY card`;
  const [found] = await tables().query({ query });
  return found;
}

const send = (...some: readonly (Order | object)[]): Promise<void> => publish(cloud, 'orders', some);
const order = (card: string, cents: number, at = Date.now()): Order => ({ card, cents, at });
const status = () => cli.json(json.STATUS, 'status');
const stageOf = async (id: string) => (await status()).stages.find((stage) => stage.id === id)!;
const list = (...more: string[]) => cli.json(json.LETTERS, 'dead-letters', 'list', ...more);
const doctor = async (check: string) =>
  (await cli.json(json.DOCTOR, 'doctor', '--shape', 'services')).diagnoses.filter((found) => found.check === check);

describe('before anything has come', () => {
  it('the doctor misses the table that no flush has made yet, and says what it cannot look at here', async () => {
    expect(await doctor('tables')).toMatchObject([
      { severity: 'warning', sentence: 'table millrace_orders.spent is not there yet; its first flush makes it' },
    ]);
    expect(await doctor('topics')).toMatchObject([{ severity: 'ok' }]);
    expect(await doctor('subscriptions')).toMatchObject([{ severity: 'ok' }]);
    expect(await doctor('grants')).toEqual([
      {
        check: 'grants',
        severity: 'unknown',
        sentence: 'not checked: there is nothing here that stands in for cloudresourcemanager.googleapis.com',
        remedies: [],
      },
    ]);
    expect(await doctor('functions')).toMatchObject([{ severity: 'unknown' }]);
  });
});

describe('dead letters', () => {
  it('are listed by cause: a poison element, a malformed message, a timer that throws', async () => {
    await send(order('ada', 100), order('poison', 1), order('boom', 5), { card: 'ada', cents: 'much' });
    const { causes } = await until('three letters are there', list, ({ total }) => total === 3);
    expect(causes.map(({ step, kind, code, letters }) => [step, kind, code, letters]).sort()).toEqual([
      ['checked', 'element', 'USER_CODE', 1],
      ['orders', 'source', 'DECODE', 1],
      ['watch', 'firing', 'USER_CODE', 1],
    ]);
    const { letters } = await list('--stage', 'watch');
    expect(letters).toMatchObject([{ key: 'boom', message: 'the pager is out of order', generation: 0 }]);
    const shown = await cli.json(json.LETTER, 'dead-letters', 'show', letters[0]!.id);
    expect(shown).toEqual(letters[0]);
    const { out } = await cli.run(['dead-letters', 'export']);
    expect(out.split('\n').map((line) => json.LETTER.parse(JSON.parse(line)).status)).toEqual(Array(3).fill('dead'));
    expect(await stageOf('watch')).toMatchObject({ deadLetters: 1 });
  });

  it('are brought back once they are mended, and a second time changes nothing', async () => {
    const patch = join(folder, 'mend.ts');
    await writeFile(patch, `export default (value) => ({ ...value, card: 'mended', cents: 7, at: ${Date.now()} });`);
    const filter = ['--patch', patch, '--until', new Date(Date.now() + 1_000).toISOString(), '--kind'];
    const dry = await cli.json(json.REPLAY, 'dead-letters', 'replay', ...filter, 'source', '--dry-run');
    expect(dry).toMatchObject({ dryRun: true, replayed: 1, failed: 0, skipped: 0, late: 0 });
    expect((await list()).total).toBe(3);
    for (const kind of ['source', 'element'])
      expect(await cli.json(json.REPLAY, 'dead-letters', 'replay', ...filter, kind, '--yes')).toMatchObject({
        replayed: 1,
        failed: 0,
      });
    expect((await list()).total).toBe(1);
    const again = await cli.json(json.REPLAY, 'dead-letters', 'replay', ...filter, 'source', '--yes');
    expect(again).toMatchObject({ replayed: 0, outcomes: [] });
    await until(
      'what was mended is in the table',
      () => rows().catch(() => []),
      (found) =>
        found.filter(({ card }) => card === 'mended').reduce((sum, { cents }) => sum + Number(cents), 0) === 14,
    );
  });

  it('whose cause is not mended fail again as the next generation, and can be given up', async () => {
    const { code, err } = await cli.run(['dead-letters', 'replay', '--stage', 'watch', '--yes']);
    expect([code, err]).toEqual([0, '']);
    const { letters } = await until(
      'it has failed again',
      () => list('--stage', 'watch'),
      ({ letters: [letter] }) => letter?.generation === 1,
    );
    const args = ['dead-letters', 'discard', letters[0]!.id];
    expect(await cli.run(args)).toMatchObject({ code: 1, err: expect.stringContaining('add --yes') });
    expect(await cli.json(json.DISCARD, ...args, '--yes')).toMatchObject({ discarded: 1 });
    expect((await list()).total).toBe(0);
  });
});

describe('a model that is out', () => {
  it('is named by why, shows in status and batches, and needs nobody when it is back', async () => {
    vertex.setFaults([{ fault: { kind: 'status', status: 503 } }]);
    await send(order('bea', 30));
    const why = await until(
      'why knows the batch',
      () => cli.json(json.WHY, 'why', 'spent'),
      ({ culprit }) => culprit.kind === 'batch',
    );
    expect(why.path).toEqual(['spent', 'risk']);
    expect(why.culprit.sentence).toMatch(/^batch \d+ of 1 elements (waits until .* \(503: |is with the model)/);
    expect(await stageOf('risk')).toMatchObject({ parked: 1, model: { calling: expect.any(Number) } });
    const { batches } = await cli.json(json.BATCHES, 'batches', 'list');
    expect(batches.filter(({ kind }) => kind === 'model')).toMatchObject([{ stage: 'risk', count: 1 }]);
    expect(await cli.run(['batches', 'flush'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^millrace: what waits in the emulators .* is written by its own functions/),
    });
    vertex.setFaults([]);
    await until(
      'nothing is parked',
      () => stageOf('risk'),
      ({ parked }) => parked === 0,
    );
  });
});

describe('a stage that is paused', () => {
  it('gets nothing and loses nothing; why and doctor name it', async () => {
    for (const _ of ['at first', 'once more'])
      expect(await cli.json(json.PAUSED, 'pause', 'spent', '--yes')).toEqual({
        pipeline: 'orders',
        stage: 'spent',
        paused: true,
      });
    // The relay looks twice a second.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await send(order('cleo', 40), order('slow', 1));
    const { culprit } = await until(
      'why knows the pause',
      () => cli.json(json.WHY, 'why', 'spent-table'),
      (why) => why.culprit.kind === 'pause',
    );
    expect(culprit.sentence).toMatch(
      /^stage 'spent' is paused, and \d+ envelopes wait for it; go on with: millrace resume spent$/,
    );
    expect((await stageOf('spent')).pausedSince).toBeGreaterThan(Date.now() - 60_000);
    expect((await stageOf('spent')).pauseStep).toBe(null);
    expect(await doctor('pauses')).toMatchObject([
      { severity: 'warning', sentence: expect.stringMatching(/^'spent' is paused since /) },
    ]);
    expect(await cli.json(json.PAUSED, 'resume', 'spent')).toMatchObject({ paused: false });
    await until('what waited is in the table', rows, (found) =>
      found.some(({ card, cents }) => card === 'cleo' && cents === 40),
    );
    expect((await status()).lateRecords).toBe(0);
    expect((await list()).total).toBe(0);
  });
});

describe('what is stored', () => {
  it('of a key that waits for its timer can be read, and why names the timer', async () => {
    const { timers } = await until(
      'the timer is set',
      () => cli.json(json.TIMERS, 'timers', 'list', 'watch'),
      (found) => found.timers.some(({ key }) => key === 'slow'),
    );
    const { at } = timers.find(({ key }) => key === 'slow')!;
    expect(at).toBeGreaterThan(Date.now() + 3_000_000);
    const state = await cli.json(json.STATE, 'state', 'get', 'watch', 'slow');
    expect(state).toMatchObject({ stage: 'watch', key: 'slow', eventDue: at });
    expect(state.holders).toMatchObject([{ kind: 'timer' }]);
    const { culprit } = await cli.json(json.WHY, 'why', 'watch');
    expect(culprit).toMatchObject({ kind: 'timer', where: 'watch', name: '"slow"' });
  });
});

describe('a deployment that somebody has changed by hand', () => {
  it('is told by the doctor, with a non-zero exit', async () => {
    const name = stageTopic('orders', 'spent', 0);
    const announced = 'millrace-orders--dead-letters';
    const path = (kind: string, id: string) => `projects/${cloud.projectId}/${kind}/${id}`;
    const { subscriber, publisher } = cloud.clients;
    await subscriber.updateSubscription({
      subscription: { name: path('subscriptions', name), ackDeadlineSeconds: 17 },
      updateMask: { paths: ['ack_deadline_seconds'] },
    });
    expect(await doctor('subscriptions')).toMatchObject([
      {
        severity: 'error',
        sentence: `subscription '${name}' waits 17 s for an acknowledgement, not 570 s: a message comes again while a function still works on it`,
      },
    ]);
    await subscriber.deleteSubscription({ subscription: path('subscriptions', announced) });
    await publisher.deleteTopic({ topic: path('topics', announced) });
    expect(await doctor('topics')).toMatchObject([
      { severity: 'error', sentence: `topic '${announced}' is not there: dead letters are written and not announced` },
    ]);
    expect((await doctor('subscriptions')).map(({ sentence }) => sentence)).toContainEqual(
      `subscription '${announced}' is not there: what is published to '${announced}' is lost to it`,
    );
    const { code, err } = await cli.run(['doctor', '--shape', 'services']);
    expect([code, err]).toEqual([1, 'millrace: 3 of the checks have found an error']);
  });
});

const COMMANDS: readonly (readonly string[])[] = [
  ['status'],
  ['why', 'spent'],
  ['dead-letters', 'list'],
  ['dead-letters', 'show', 'some-id'],
  ['dead-letters', 'export'],
  ['dead-letters', 'replay', '--yes'],
  ['dead-letters', 'discard', 'some-id', '--yes'],
  ['state', 'get', 'spent', 'ada'],
  ['timers', 'list', 'spent'],
  ['batches', 'list'],
  ['batches', 'flush'],
  ['pause', 'spent', '--yes'],
  ['resume', 'spent'],
  ['drain', '--yes'],
  ['restart', '--yes'],
  ['doctor'],
];
const ONE_SENTENCE = /^millrace: [^\n]+$/;

describe('what is wrong is said in one sentence, at once', () => {
  it.each(COMMANDS.map((args) => [args]))('%j of a pipeline that there is not', async (args) => {
    const { code, err, millis } = await cli.run(args, {}, 'not-deployed');
    expect(err).toMatch(ONE_SENTENCE);
    expect(err).toContain("nothing is stored of pipeline 'not-deployed'");
    expect([code, millis < QUICKLY]).toEqual([1, true]);
  });

  it.each(COMMANDS.map((args) => [args]))('%j when Firestore is not there', async (args) => {
    const { code, err, millis } = await cli.run(args, { FIRESTORE_EMULATOR_HOST: NOWHERE });
    expect(err).toMatch(
      /^millrace: the Firestore emulator at 127\.0\.0\.1:1 does not answer \(.*\); is it running, and/,
    );
    expect(err).toMatch(ONE_SENTENCE);
    expect([code, millis < QUICKLY]).toEqual([1, true]);
  });

  it.each([[['pause', 'spent', '--yes']], [['drain', '--yes']]])('%j when Pub/Sub is not there', async (args) => {
    const { code, err, millis } = await cli.run(args, { PUBSUB_EMULATOR_HOST: NOWHERE });
    expect(err).toMatch(
      /^millrace: the Pub\/Sub emulator at 127\.0\.0\.1:1 does not answer \(.*\); is it running, and/,
    );
    expect(err).toMatch(ONE_SENTENCE);
    expect([code, millis < QUICKLY]).toEqual([1, true]);
    // A pause that broke off can be finished, or taken back.
    await cli.run(['resume', 'spent']);
  });

  it('as a process of its own, with an exit code and no stack', async () => {
    const spawned = async (more: Record<string, string>) => {
      const target = ['--emulators', '--project', cloud.projectId, '--pipeline', module];
      const env = { ...process.env, ...cli.environment, ...more };
      const child = spawn(process.execPath, [MILLRACE, 'status', '--json', ...target], { env });
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk) => (out += chunk));
      child.stderr.on('data', (chunk) => (err += chunk));
      const code = await new Promise((resolve) => child.on('close', resolve));
      return { code, out, err: err.trimEnd() };
    };
    const well = await spawned({});
    expect([well.code, well.err]).toEqual([0, '']);
    expect(json.STATUS.parse(JSON.parse(well.out)).pipeline).toBe('orders');
    const ill = await spawned({ FIRESTORE_EMULATOR_HOST: NOWHERE });
    expect([ill.code, ill.out]).toEqual([1, '']);
    expect(ill.err).toMatch(ONE_SENTENCE);
  });

  it.each(['why', 'timers list', 'pause', 'resume'])('%s of a stage that there is not', async (command) => {
    const { code, err } = await cli.run([...command.split(' '), 'nowhere']);
    expect(err).toMatch(/^millrace: pipeline 'orders' has no stage 'nowhere'; its stages are .*risk.*spent/);
    expect(code).toBe(1);
  });
});

describe('a drain, and a fresh start', () => {
  it('closes what is open; deployed again, the pipeline takes what would have been late, and replaces its rows', async () => {
    const at = Math.floor(Date.now() / 10_000) * 10_000 - 60_000;
    const before = await rows();
    expect(await cli.run(['admit', '--shards', '3'])).toMatchObject({
      code: 1,
      err: expect.stringContaining("had 2 shards and has 3; the number is fixed for a pipeline's life"),
    });
    expect(await cli.run(['restart', '--yes'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^millrace: 'orders' is not drained, and a fresh start would lose what is left: \d stages/,
      ),
    });
    const drained = await cli.json(json.DRAIN, 'drain', '--yes', '--reading', '2s', '--timeout', '90s');
    expect(drained).toMatchObject({ drained: true, open: [], cells: 0, rows: 0, messages: 0 });
    expect(await cli.json(json.RESTARTED, 'restart', '--yes')).toEqual({ pipeline: 'orders', topology: 2, epoch: 2 });
    for (const _ of ['at first', 'once more'])
      expect(await cli.run(['admit', '--numbers', '--shards', '2'])).toMatchObject({ code: 0, out: '2 2' });
    // Who says nothing of shards and slots keeps them.
    expect(await cli.run(['admit', '--numbers'])).toMatchObject({ code: 0, out: '2 2' });
    expect(await cli.json(json.ORDERS, 'admit', '--deployed')).toMatchObject({ paused: [], drainingSince: null });
    await cloud.stop();
    cloud = await start(cloud.projectId);
    cli = new CommandLine(cloud, module, bigQuery.url);
    expect(await status()).toMatchObject({ topology: 2, epoch: 2, drainingSince: null });
    await send(order('dora', 50, at), order('dora', 5, at + 1));
    await until('the row is there', rows, (found) =>
      found.some(({ card, cents, pane_epoch }) => card === 'dora' && cents === 55 && pane_epoch === 2),
    );
    expect((await status()).lateRecords).toBe(0);
    expect((await rows()).filter(({ pane_epoch }) => pane_epoch === 1)).toEqual(before);
  });
});
