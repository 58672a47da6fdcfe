import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../functions/model/errors.ts';
import flights from '../../functions/pipelines/flights.ts';
import { plan } from '../../functions/plan/plan.ts';
import { type DeployerPorts, type Deployment, deploy } from '../../infra/scripts/deployer.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-deploy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const deployment: Deployment = {
  plan: plan(flights),
  project: 'my-project',
  region: 'us-central1',
  yes: true,
  folder,
  infra: '/infra',
  options: {},
  smokeTest: { topic: 'flights', event: {}, table: 'departures_by_airport', row: { airport: 'X' }, withinSeconds: 60 },
};

/** Notes what is done, in order. */
function world(outputs: string, changes: Partial<DeployerPorts> = {}) {
  const done: string[] = [];
  const said: string[] = [];
  const ports: DeployerPorts = {
    shell: {
      run: async (command, args) => {
        done.push(`${command} ${args.join(' ')}`.replace(folder, '{folder}'));
        return args[0] === 'output' ? outputs : '';
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
  'terraform output -json',
];
const APPLIED = 'terraform apply -var-file={folder}/deploy.tfvars.json -auto-approve -input=false';

describe('a deployment', () => {
  test('the first one makes the database, then notes its topology there', async () => {
    const { done, said, ports } = world('{}');
    await deploy(deployment, ports);
    expect(done).toEqual([...PREPARED, 'package for topology 1', APPLIED, 'admit', 'smoke']);
    expect(said.at(-2)).toBe('a row came after 42 s');
  });

  test('a later one asks whether it fits before anything moves, and deploys the number it is given', async () => {
    const { done, ports } = world('{"topology":{"value":{"version":4}}}');
    await deploy(deployment, ports);
    expect(done).toEqual([...PREPARED, 'admit', 'package for topology 5', APPLIED, 'smoke']);
    const variables = JSON.parse(readFileSync(join(folder, 'deploy.tfvars.json'), 'utf8'));
    expect(variables).toMatchObject({ project: 'my-project', region: 'us-central1', manifest: { topology: 5 } });
    for (const { environment } of Object.values<{ environment: object }>(variables.manifest.functions))
      expect(environment).toMatchObject({ MILLRACE_TOPOLOGY: '5', MILLRACE_EPOCH: '2' });
    expect(Object.keys(variables.archives)).toEqual(Object.keys(variables.manifest.functions));
  });

  test('one that does not fit what is stored changes nothing', async () => {
    const { done, ports } = world('{"topology":{}}', {
      admit: async () => {
        throw new ConfigurationError('it does not fit');
      },
    });
    await expect(deploy(deployment, ports)).rejects.toThrow('it does not fit');
    expect(done).toEqual(PREPARED);
  });

  test('one whose event does not become a row says where to look', async () => {
    const { ports } = world('{}', { smoke: async () => ({ passed: false, millis: 60_000 }) });
    await expect(deploy(deployment, ports)).rejects.toThrow(
      "no row came to departures_by_airport in 60 s; everything is deployed, so look at `millrace status` and the functions' logs",
    );
  });

  test('without a check ends with the apply', async () => {
    const { done, ports } = world('{}');
    await deploy({ ...deployment, smokeTest: undefined, yes: false }, ports);
    expect(done.at(-2)).toBe('terraform apply -var-file={folder}/deploy.tfvars.json');
    expect(done).not.toContain('smoke');
  });
});
