import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../../functions/index.ts';
import { deploymentManifest } from '../../functions/operate/deployment.ts';
import flights from '../../functions/pipelines/flights.ts';
import { SHAPES } from '../../functions/plan/deployed-functions.ts';
import { gcloudScript } from '../../functions/plan/gcloud.ts';
import type { Manifest } from '../../functions/plan/manifest.ts';
import { plan } from '../../functions/plan/plan.ts';
import { everything } from '../plan/everything.ts';
import { type Call, FakeCloud } from './fake-cloud.ts';
import { INFRA } from './hcl/files.ts';

const library = readFileSync(join(INFRA, 'gcloud', 'library.sh'), 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'millrace-gcloud-'));
const cloud = new FakeCloud();
const EMPTY = cloud.snapshot();

beforeAll(() => cloud.install(join(folder, 'bin')));

beforeEach(() => {
  cloud.failing = undefined;
  cloud.admitted = '1 1';
  cloud.drains = false;
  cloud.restore(EMPTY);
});

afterAll(async () => {
  await cloud.close();
  rmSync(folder, { recursive: true, force: true });
});

const deployments = new Map<string, { state: ReturnType<FakeCloud['snapshot']>; calls: readonly Call[] }>();

/** Deploys to an empty cloud, and answers with the calls. Each shape is really deployed once, then remembered. */
async function deployed(shape: (typeof SHAPES)[number] = 'functions'): Promise<readonly Call[]> {
  let known = deployments.get(shape);
  if (known === undefined) {
    expect(await run(manifest(shape))).toMatchObject({ code: 0 });
    known = { state: cloud.snapshot(), calls: [...cloud.calls] };
    deployments.set(shape, known);
  }
  cloud.restore(known.state);
  return known.calls;
}

/** Runs the script that deploys or deletes. */
async function run(
  manifest: Manifest,
  options: { delete?: boolean; env?: Record<string, string> } = {},
): Promise<{ code: number; output: string }> {
  const script = join(folder, 'script.sh');
  writeFileSync(script, gcloudScript(manifest, { library, delete: options.delete ?? false }));
  const archives = join(folder, 'archives');
  mkdirSync(archives, { recursive: true });
  for (const { id } of manifest.functions) writeFileSync(join(archives, `${id}.zip`), `the archive of ${id}`);
  const env = {
    ...process.env,
    ...options.env,
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    PROJECT: 'test-project',
    ARCHIVES: archives,
  };
  return new Promise((resolve) =>
    execFile('bash', [script], { env, maxBuffer: 2 ** 24 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}${stderr}` }),
    ),
  );
}

function manifest(shape: (typeof SHAPES)[number] = 'functions', slots = 1): Manifest {
  return deploymentManifest(plan(flights, { slots }), { shape });
}

describe.each(SHAPES)('the gcloud script for the shape %s', (shape) => {
  test('makes all that the manifest names, and a second run changes nothing', async () => {
    const wanted = manifest(shape);
    expect((await deployed(shape)).length).toBeGreaterThan(100);
    expect(cloud.names('pubsub topics').sort()).toEqual(wanted.topics.map(({ name }) => name).sort());
    expect(cloud.names('pubsub subscriptions').sort()).toEqual(wanted.subscriptions.map(({ name }) => name).sort());
    expect(cloud.names('functions').sort()).toEqual(wanted.functions.map(({ name }) => name).sort());
    expect(cloud.names('firestore databases')).toEqual(['millrace-flights']);
    expect(cloud.names('bq tables')).toEqual(['millrace_flights.departures_by_airport']);
    expect(cloud.names('alpha monitoring policies')).toHaveLength(wanted.alerts.length);
    expect(cloud.grants.size).toBe(wanted.grants.length);

    expect(await run(wanted)).toMatchObject({ code: 0 });
    expect(cloud.changes).toEqual([]);
  }, 60_000);

  test('is taken back whole, data only when that is said', async () => {
    const wanted = manifest(shape);
    await deployed(shape);
    expect(await run(wanted, { delete: true })).toMatchObject({
      code: 0,
      output: expect.stringContaining('kept: database millrace-flights'),
    });
    const left = (): string[] => [...cloud.things.keys()].filter((key) => !key.startsWith('services ')).sort();
    expect(left().filter((key) => !key.startsWith('firestore '))).toEqual([
      'bq datasets millrace_flights',
      'bq tables millrace_flights.departures_by_airport',
      'pubsub subscriptions millrace-flights--dead-letters',
      'pubsub subscriptions millrace-flights--ingest--flights',
      'pubsub subscriptions millrace-flights--undelivered',
      'pubsub topics flights',
      'pubsub topics millrace-flights--dead-letters',
      'pubsub topics millrace-flights--undelivered',
    ]);
    expect(left()).toContain('firestore databases millrace-flights');
    // What is kept is not tried a hundred times in vain, and given up.
    for (const name of cloud.names('pubsub subscriptions'))
      expect(cloud.things.get(`pubsub subscriptions ${name}`)!['--push-endpoint'] ?? '').toBe('');
    expect([...cloud.grants].filter((grant) => grant.startsWith('projects '))).toEqual([]);

    await run(wanted, { delete: true, env: { DELETE_DATA: 'yes' } });
    expect(cloud.names('firestore databases')).toEqual([]);
    expect(cloud.names('bq tables')).toEqual([]);
    // The source's topic is where others publish to; a dataset may hold more than the pipeline's tables.
    expect(cloud.names('pubsub topics')).toEqual(['flights']);
    const before = cloud.changes.length;
    await run(wanted, { delete: true, env: { DELETE_DATA: 'yes' } });
    expect(cloud.changes.length).toBe(before);
  }, 60_000);
});

describe('the gcloud script', () => {
  test('deploys only the function whose limits have changed', async () => {
    const wanted = manifest();
    await deployed();
    const again = {
      ...wanted,
      functions: wanted.functions.map((each) => (each.id === 'sweep' ? { ...each, memoryMiB: 1_024 } : each)),
    };
    await run(again);
    expect(cloud.changes.map(({ command, positionals }) => [command, positionals[0]])).toEqual([
      ['functions deploy', 'millrace-flights--sweep'],
    ]);
  }, 60_000);

  test('gives a subscription its new deadline without making it anew', async () => {
    const wanted = manifest();
    await deployed();
    const subscriptions = wanted.subscriptions.map((each) =>
      each.kind === 'source' ? { ...each, ackDeadlineSeconds: 300 } : each,
    );
    await run({ ...wanted, subscriptions });
    expect(cloud.changes).toMatchObject([
      {
        command: 'pubsub subscriptions update',
        positionals: ['millrace-flights--ingest--flights'],
        flags: { '--ack-deadline': '300' },
      },
    ]);
  }, 60_000);

  test('deploys again on what was kept, and pushes again', async () => {
    const wanted = manifest();
    await deployed();
    await run(wanted, { delete: true });
    expect(await run(wanted)).toMatchObject({ code: 0 });
    const source = cloud.things.get('pubsub subscriptions millrace-flights--ingest--flights')!;
    expect(source['--push-endpoint']).toContain('/sources/flights');
  }, 60_000);

  test('gives subscriptions the endpoints back that a drain and a pause have taken off', async () => {
    await deployed();
    const names = ['millrace-flights--ingest--flights', 'millrace-flights--delays--0'];
    const things = names.map((name) => [name, cloud.things.get(`pubsub subscriptions ${name}`)!] as const);
    for (const [name, thing] of things)
      cloud.things.set(`pubsub subscriptions ${name}`, { ...thing, '--push-endpoint': '' });
    await run(manifest());
    expect(
      cloud.changes.map(({ command, positionals, flags }) => [command, positionals[0], flags['--push-endpoint']]),
    ).toEqual(things.map(([name, thing]) => ['pubsub subscriptions update', name, thing['--push-endpoint']]));
  }, 60_000);

  test('adds the functions, topics and subscriptions of another slot', async () => {
    await deployed();
    await run(manifest('functions', 2));
    const made = cloud.changes.filter(({ command }) => command.endsWith(' create') || command === 'functions deploy');
    expect(made.map(({ command, positionals }) => `${command} ${positionals[0]}`)).toContain(
      'pubsub topics create millrace-flights--delays--1',
    );
    expect(cloud.names('functions')).toContain('millrace-flights--delays--1');
  }, 60_000);

  test('calls functions with the token of their own address only, and never opens one to the public', async () => {
    const calls = await deployed();
    const { flags } = calls.find(
      ({ command, positionals }) =>
        command === 'pubsub subscriptions create' && positionals[0] === 'millrace-flights--delays--0',
    )!;
    expect(flags).toMatchObject({
      '--push-endpoint': 'https://millrace-flights--delays--0-123456789012.us-central1.run.app/stages/delays',
      '--push-auth-token-audience': 'https://millrace-flights--delays--0-123456789012.us-central1.run.app',
      '--push-auth-service-account': 'millrace-flights--push@test-project.iam.gserviceaccount.com',
      '--dead-letter-topic': 'millrace-flights--undelivered',
      '--max-delivery-attempts': '100',
    });
    for (const call of cloud.calls)
      expect(JSON.stringify(call)).not.toMatch(/allUsers|allAuthenticatedUsers|"--allow-/);
    for (const { flags: deploy } of calls.filter(({ command }) => command === 'functions deploy'))
      expect(deploy).toHaveProperty('--no-allow-unauthenticated');
  }, 60_000);

  test('tells a function what it serves and who may call it', async () => {
    const deploy = (await deployed()).find(
      ({ command, positionals }) => command === 'functions deploy' && positionals[0] === 'millrace-flights--sweep',
    )!;
    expect(deploy.flags['--set-env-vars']).toBe(
      '^;^MILLRACE_PIPELINE=flights;MILLRACE_SERVES=sweep,undelivered;MILLRACE_SHARDS=4;MILLRACE_SLOTS=1;MILLRACE_TOPOLOGY=1;MILLRACE_EPOCH=1;NODE_OPTIONS=--max-old-space-size=384;' +
        'GOOGLE_CLOUD_PROJECT=test-project;MILLRACE_REGION=us-central1;MILLRACE_DATABASE=millrace-flights;MILLRACE_DATASET=millrace_flights;' +
        'MILLRACE_PUSH_AUDIENCE=https://millrace-flights--sweep-123456789012.us-central1.run.app;' +
        'MILLRACE_PUSH_ACCOUNTS=millrace-flights--push@test-project.iam.gserviceaccount.com,millrace-flights--scheduler@test-project.iam.gserviceaccount.com',
    );
  }, 60_000);

  test('admits the version when there is a database, and before any function is deployed', async () => {
    const calls = await deployed();
    const at = (command: string): number => calls.findIndex((call) => call.command === command);
    expect(at('firestore databases create')).toBeLessThan(at('millrace admit'));
    expect(at('millrace admit')).toBeLessThan(at('functions deploy'));
    const flags = { '--pipeline': 'flights', '--project': 'test-project', '--database': 'millrace-flights' };
    expect(calls.filter(({ command }) => command === 'millrace admit').map((call) => call.flags)).toEqual([
      { ...flags, '--numbers': '', '--shards': '4', '--slots': '1' },
      { ...flags, '--deployed': '' },
    ]);
    expect(calls.at(-1)!.flags).toHaveProperty('--deployed');
  }, 60_000);

  test.each([
    ['yes', true],
    ['no', false],
  ])(
    'says whether it is meant for a pipeline that drains (DRAINING=%s)',
    async (DRAINING, isMeant) => {
      await deployed();
      await run(manifest(), { env: { DRAINING } });
      const admits = cloud.calls.filter(({ command }) => command === 'millrace admit');
      expect(admits.map(({ flags }) => '--draining' in flags)).toEqual([isMeant, isMeant]);
    },
    60_000,
  );

  test('makes everything and fails, where a drain was ordered while it ran', async () => {
    cloud.drains = true;
    const { code, output } = await run(manifest());
    expect([code, output]).toEqual([1, expect.stringContaining('it drains')]);
    expect(output).not.toContain('flights is deployed');
    expect(cloud.names('monitoring dashboards')).toHaveLength(1);
  }, 60_000);

  test('gives every function the numbers under which its version is admitted', async () => {
    await deployed();
    cloud.admitted = '7 3';
    expect(await run(manifest())).toMatchObject({ code: 0, output: expect.stringContaining('topology 7, epoch 3') });
    const deploys = cloud.changes.filter(({ command }) => command === 'functions deploy');
    expect(deploys).toHaveLength(manifest().functions.length);
    for (const { flags } of deploys)
      expect(flags['--set-env-vars']).toContain(';MILLRACE_TOPOLOGY=7;MILLRACE_EPOCH=3;');
  }, 60_000);

  test('touches no function when the version is refused', async () => {
    await deployed();
    cloud.failing = 'millrace admit';
    const more = manifest('functions', 2);
    expect((await run(more)).code).not.toBe(0);
    // Accounts that nobody uses yet are no harm.
    expect(cloud.changes.filter(({ command }) => command !== 'iam service-accounts create')).toEqual([]);
  }, 60_000);

  test('makes a pipeline with everything: a topic outside, a table in another dataset, a model', async () => {
    const wanted = deploymentManifest(plan(everything));
    expect(await run(wanted)).toMatchObject({ code: 0 });
    expect(cloud.names('pubsub topics')).toContain('shop-alerts');
    expect(cloud.names('bq tables')).toEqual(['theirs.sizes']);
    expect(cloud.names('bq datasets')).toEqual([]);
    expect(cloud.names('services')).toContain('aiplatform.googleapis.com');
    expect(cloud.grants.size).toBe(wanted.grants.length);
    const made = cloud.changes.length;
    await run(wanted);
    expect(cloud.changes.length).toBe(made);
  }, 60_000);

  test('stops at the first thing that fails', async () => {
    cloud.failing = 'pubsub topics create';
    const { code } = await run(manifest());
    expect(code).not.toBe(0);
    expect(cloud.names('functions')).toEqual([]);
  }, 60_000);

  test('deploys a function again whose build has failed', async () => {
    cloud.failing = 'functions deploy';
    expect((await run(manifest())).code).not.toBe(0);
    expect(cloud.names('functions')).toEqual(['millrace-flights--ingest--flights']);
    cloud.failing = undefined;
    expect(await run(manifest())).toMatchObject({ code: 0 });
    const again = cloud.calls
      .filter(({ command }) => command === 'functions deploy')
      .map(({ positionals }) => positionals[0]);
    expect(again.filter((name) => name === 'millrace-flights--ingest--flights')).toHaveLength(2);
    expect(cloud.things.get('functions millrace-flights--ingest--flights')).toMatchObject({ state: 'ACTIVE' });
  }, 60_000);

  test('gives accounts names for people that are no longer than they may be', () => {
    const [long, source] = ['p', 's'].map((letter) => letter.repeat(60)) as [string, string];
    const graph = pipeline(long, (p) => {
      p.readPubSub(source, { schema: z.object({}) }).writePubSub('out', { topic: 'results' });
    });
    const script = gcloudScript(deploymentManifest(plan(graph)), { library });
    const names = [...script.matchAll(/^ensure_account \S+ '(.*)'$/gm)].map(([, name]) => name!.length);
    expect(names.length).toBeGreaterThan(4);
    expect(Math.max(...names)).toBe(100);
  });

  test('lets orders hold again, also where it stops half-way', async () => {
    await deployed();
    cloud.failing = 'functions deploy';
    cloud.admitted = '2 1';
    const { code, output } = await run(manifest());
    expect([code, output]).toEqual([1, expect.stringContaining('functions deploy failed')]);
    expect(cloud.calls.at(-1)!).toMatchObject({ command: 'millrace admit', flags: { '--deployed': '' } });
  }, 60_000);

  test('asks for the project before it does anything', () => {
    const { PROJECT: _, ...env } = process.env;
    const asked = spawnSync('bash', ['-c', gcloudScript(manifest(), { library })], { env, encoding: 'utf8' });
    expect(asked.status).not.toBe(0);
    expect(asked.stderr).toContain('set PROJECT to the id of the project');
  });
});

describe('shellcheck', () => {
  const installed = spawnSync('shellcheck', ['--version']).status === 0;
  test.skipIf(!installed).each([false, true])('has nothing to say (delete: %s)', (isDelete) => {
    for (const shape of SHAPES) {
      const text = gcloudScript(manifest(shape), { library, delete: isDelete });
      const { stdout } = spawnSync('shellcheck', ['-'], { input: text, encoding: 'utf8' });
      expect(stdout).toBe('');
    }
  });
});
