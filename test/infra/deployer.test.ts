import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../functions/model/errors.ts';
import type { EpochMillis } from '../../functions/model/time.ts';
import { overrideFiles } from '../../functions/operate/deploy/terraform-steps.ts';
import flights from '../../functions/pipelines/flights.ts';
import { plan } from '../../functions/plan/plan.ts';
import { type DeployerPorts, type Deployment, deploy } from '../../infra/scripts/deployer.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-deploy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const deployment: Deployment = {
  pipeline: 'flights',
  plan: (running) => plan(flights, running),
  project: 'my-project',
  region: 'us-central1',
  yes: true,
  folder,
  infra: '/infra',
  options: {},
  smokeTest: { topic: 'flights', event: {}, table: 'departures_by_airport', row: { airport: 'X' }, withinSeconds: 60 },
};

/** Notes what is done, in order. */
function world(state: string, changes: Partial<DeployerPorts> = {}) {
  const done: string[] = [];
  const said: string[] = [];
  const ports: DeployerPorts = {
    shell: {
      run: async (command, args) => {
        done.push(`${command} ${args.join(' ')}`.replace(folder, '{folder}'));
        return args[0] === 'show' ? state : '';
      },
    },
    package: async ({ functions, topology }) => {
      done.push(`package for topology ${topology.version}`);
      return Object.fromEntries(functions.map(({ id }) => [id, { path: `/${id}.zip`, sha256: 'a' }]));
    },
    admit: async () => {
      done.push('admit');
      return { topology: 5, epoch: 2 };
    },
    running: async () => ({}),
    holdOrders: async () => {
      done.push('hold orders');
      return { paused: [], drainingSince: null };
    },
    smoke: async () => {
      done.push('smoke');
      return { passed: true, millis: 42_000 };
    },
    say: (line) => said.push(line),
    ...changes,
  };
  return { done, said, ports };
}

const PREPARED = [
  'terraform init -input=false',
  'terraform workspace select -or-create flights',
  'terraform show -json',
];
/** As terraform shows what it has made, or taken over after a destroy that has kept the data. */
const MADE = JSON.stringify({
  format_version: '1.0',
  values: {
    root_module: {
      resources: [{ type: 'google_pubsub_topic' }],
      child_modules: [{ address: 'module.firestore', resources: [{ type: 'google_firestore_database' }] }],
    },
  },
});
const NOTHING = '{"format_version":"1.0"}';
const APPLIED = 'terraform apply -var-file={folder}/deploy.tfvars.json -auto-approve -input=false';

describe('a deployment', () => {
  test('the first one makes the database, then notes its topology there', async () => {
    const { done, said, ports } = world(NOTHING);
    await deploy(deployment, ports);
    expect(done).toEqual([...PREPARED, 'package for topology 1', APPLIED, 'admit', 'hold orders', 'smoke']);
    expect(said.at(-2)).toBe('a row came after 42 s');
  });

  test('a later one asks whether it fits before anything moves, and deploys the number it is given', async () => {
    const { done, ports } = world(MADE);
    await deploy(deployment, ports);
    expect(done).toEqual([...PREPARED, 'admit', 'package for topology 5', APPLIED, 'hold orders', 'smoke']);
    const variables = JSON.parse(readFileSync(join(folder, 'deploy.tfvars.json'), 'utf8'));
    expect(variables).toMatchObject({ project: 'my-project', region: 'us-central1', manifest: { topology: 5 } });
    for (const { environment } of Object.values<{ environment: object }>(variables.manifest.functions))
      expect(environment).toMatchObject({ MILLRACE_TOPOLOGY: '5', MILLRACE_EPOCH: '2' });
    expect(Object.keys(variables.archives)).toEqual(Object.keys(variables.manifest.functions));
  });

  test('a later one keeps shards and slots as they run', async () => {
    const admitted: number[][] = [];
    const { ports } = world(MADE, {
      running: async () => ({ shards: 8, slots: 2 }),
      admit: async ({ stages }) => {
        admitted.push(
          stages.map(({ shards }) => shards),
          stages.map(({ slots }) => slots),
        );
        return { topology: 5, epoch: 2 };
      },
    });
    await deploy(deployment, ports);
    expect(admitted).toEqual([
      [8, 1],
      [2, 1],
    ]);
    const { manifest } = JSON.parse(readFileSync(join(folder, 'deploy.tfvars.json'), 'utf8'));
    expect(Object.keys(manifest.functions)).toContain('delays--1');
  });

  test('one that does not fit what is stored changes nothing', async () => {
    const { done, ports } = world(MADE, {
      admit: async () => {
        throw new ConfigurationError('it does not fit');
      },
    });
    await expect(deploy(deployment, ports)).rejects.toThrow('it does not fit');
    expect(done).toEqual(PREPARED);
  });

  test('one whose event does not become a row says where to look', async () => {
    const { ports } = world(NOTHING, { smoke: async () => ({ passed: false, millis: 60_000 }) });
    await expect(deploy(deployment, ports)).rejects.toThrow(
      "no row came to departures_by_airport in 60 s; everything is deployed, so look at `millrace status` and the functions' logs",
    );
  });

  test('one in whose course a drain was ordered says that nothing is read, and when to deploy again', async () => {
    const { done, ports } = world(MADE, {
      holdOrders: async () => ({ paused: [], drainingSince: Date.UTC(2026, 0, 1) as EpochMillis }),
    });
    await expect(deploy(deployment, ports)).rejects.toThrow(
      "'flights' drains since 2026-01-01T00:00:00.000Z, and reads no more: what came meanwhile was taken, or waits in its subscriptions; deploy it again when millrace drain says that it is through",
    );
    expect(done).toContain(APPLIED);
    expect(done).not.toContain('smoke');
  });

  test('one that is meant for a pipeline that drains says so, sends no event, and is well', async () => {
    const { done, said, ports } = world(MADE, {
      holdOrders: async () => ({ paused: [], drainingSince: Date.UTC(2026, 0, 1) as EpochMillis }),
    });
    await deploy({ ...deployment, draining: true }, ports);
    expect(said).toContainEqual(
      expect.stringMatching(/^'flights' drains since 2026-01-01T00:00:00.000Z, and reads no more/),
    );
    expect(done).not.toContain('smoke');
  });

  test('one that terraform breaks off lets orders hold again all the same', async () => {
    const { done, ports } = world(MADE);
    const run: DeployerPorts['shell']['run'] = (command, args, options) =>
      args[0] === 'apply' ? Promise.reject(new Error('quota exceeded')) : ports.shell.run(command, args, options);
    await expect(deploy(deployment, { ...ports, shell: { run } })).rejects.toThrow('quota exceeded');
    expect(done.at(-1)).toBe('hold orders');
    const unreachable = { holdOrders: () => Promise.reject(new Error('no access')) };
    await expect(deploy(deployment, { ...ports, ...unreachable, shell: { run } })).rejects.toThrow('quota exceeded');
  });

  test('one of a pipeline with a paused stage leaves it paused, says so, and sends no event', async () => {
    const { done, said, ports } = world(MADE, {
      holdOrders: async () => ({ paused: ['delays'], drainingSince: null }),
    });
    await deploy(deployment, ports);
    expect(said.slice(-3)).toEqual([
      "'delays' is paused, as before; let it go on with: millrace resume delays",
      'no check, since an event may not get through',
      'flights is deployed; publish events to flights',
    ]);
    expect(done).not.toContain('smoke');
  });

  test('one after a destroy that was killed has the guards back before terraform runs', async () => {
    const infra = join(folder, 'infra');
    const paths = [...overrideFiles().keys()].map((path) => join(infra, path));
    for (const path of paths) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'lifted');
    }
    const { ports } = world(NOTHING);
    const left: string[] = [];
    const shell = {
      run: async () => {
        left.push(...paths.filter((path) => existsSync(path)));
        return NOTHING;
      },
    };
    await deploy({ ...deployment, infra, smokeTest: undefined }, { ...ports, shell });
    expect([paths.length > 0, left]).toEqual([true, []]);
  });

  test('without a check ends with the apply', async () => {
    const { done, ports } = world(NOTHING);
    await deploy({ ...deployment, smokeTest: undefined, yes: false }, ports);
    expect(done.at(-3)).toBe('terraform apply -var-file={folder}/deploy.tfvars.json');
    expect(done).not.toContain('smoke');
  });
});
