/**
 * A deployment by terraform, step by step: the topology is admitted, the functions are packaged, everything is applied,
 * and one event goes through. What it calls is handed in, so that tests can stand in for terraform and the cloud.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Shell } from '../../functions/cli/shell.ts';
import { ConfigurationError } from '../../functions/model/errors.ts';
import { applySteps, overrideFiles, prepareSteps } from '../../functions/operate/deploy/terraform-steps.ts';
import { describeOrders, type OrdersAfter } from '../../functions/operate/deploy/orders-after.ts';
import type { SmokeResult, SmokeTest } from '../../functions/operate/deploy/smoke.ts';
import { type DeployOptions, deploymentManifest } from '../../functions/operate/deployment.ts';
import type { RunningCounts } from '../../functions/operate/running-counts.ts';
import type { Manifest } from '../../functions/plan/manifest.ts';
import type { Plan } from '../../functions/plan/plan.ts';
import { tfvars } from '../../functions/plan/tfvars.ts';
import type { Archives } from './archives.ts';

export interface Deployment {
  readonly pipeline: string;
  /** Plans it; with shards and slots as they run, where nobody has said others. */
  readonly plan: (running: RunningCounts) => Plan;
  readonly project: string;
  readonly region: string;
  readonly yes: boolean;
  /** Where variables are written. */
  readonly folder: string;
  /** The folder of the terraform files. */
  readonly infra: string;
  readonly options: DeployOptions;
  /** Absent: no check. */
  readonly smokeTest: SmokeTest | undefined;
  /** Whether it is meant to go on draining, if it drains. Default false. */
  readonly draining?: boolean;
}

export interface DeployerPorts {
  readonly shell: Shell;
  readonly package: (manifest: Manifest) => Promise<Archives>;
  /**
   * Checks that the new version fits what is stored, and notes it.
   * @returns the numbers of topology and epoch: the first higher than before when anything has changed, the second when it was
   * drained and starts afresh
   * @throws {ConfigurationError} with the difference and the ways on, when it does not fit
   */
  readonly admit: (plan: Plan) => Promise<{ readonly topology: number; readonly epoch: number }>;
  /** Shards and slots as they run. */
  readonly running: () => Promise<RunningCounts>;
  /** Lets what operators have ordered hold again, since everything is started when it is applied. */
  readonly holdOrders: (plan: Plan) => Promise<OrdersAfter>;
  readonly smoke: (test: SmokeTest) => Promise<SmokeResult>;
  readonly say: (line: string) => void;
}

/** Of a pipeline that was never deployed. */
const FIRST = { topology: 1, epoch: 1 };

/**
 * @throws {ConfigurationError} when a step fails; what was done before stays, and the next deployment goes on from there. Also
 * when all is done, and a drain was ordered meanwhile
 */
export async function deploy(deployment: Deployment, ports: DeployerPorts): Promise<void> {
  const { pipeline, project, region, yes, folder, infra, smokeTest, draining = false } = deployment;
  const { shell, say } = ports;
  // A destroy that was killed may have left what lifts terraform's guards.
  for (const path of overrideFiles().keys()) await rm(join(infra, path), { force: true });
  for (const step of prepareSteps(pipeline)) await shell.run('terraform', step, { cwd: infra });
  // Before the first deployment there is no database that could be asked.
  const isThere = hasDatabase(await shell.run('terraform', ['show', '-json'], { cwd: infra, capture: true }));
  const plan = deployment.plan(isThere ? await ports.running() : {});
  const { topology, epoch } = isThere ? await ports.admit(plan) : FIRST;
  const manifest = deploymentManifest(plan, { ...deployment.options, topology, epoch });
  const afresh = epoch === 1 ? '' : `, epoch ${epoch}`;
  say(`topology ${topology}${afresh} of ${pipeline}: ${manifest.functions.length} functions`);
  const archives = await ports.package(manifest);
  await mkdir(folder, { recursive: true });
  const variables = resolve(join(folder, 'deploy.tfvars.json'));
  await writeFile(variables, `${JSON.stringify({ project, region, archives, ...tfvars(manifest) }, undefined, 2)}\n`);
  try {
    for (const step of applySteps({ pipeline, variables, yes }).slice(prepareSteps(pipeline).length))
      await shell.run('terraform', step, { cwd: infra });
  } catch (error) {
    // It may have started some of what is stopped. Where that cannot be mended either, the doctor says so.
    if (isThere) await ports.holdOrders(plan).catch(() => {});
    throw error;
  }
  if (!isThere) await ports.admit(plan);
  const orders = await ports.holdOrders(plan);
  const ordered = describeOrders(pipeline, orders);
  if (orders.drainingSince !== null && !draining) throw new ConfigurationError(ordered.join('\n'));
  for (const line of ordered) say(line);
  if (smokeTest !== undefined && ordered.length > 0) say('no check, since an event may not get through');
  else if (smokeTest !== undefined) await check(smokeTest, ports);
  say(`${pipeline} is deployed; publish events to ${manifest.sources.map(({ topic }) => topic).join(', ')}`);
}

/** Whether terraform has made a pipeline's database, or taken it over. @param shown what `terraform show -json` prints */
function hasDatabase(shown: string): boolean {
  const { values } = JSON.parse(shown || '{}') as {
    readonly values?: {
      readonly root_module?: {
        readonly child_modules?: readonly { readonly resources?: readonly { readonly type: string }[] }[];
      };
    };
  };
  const modules = values?.root_module?.child_modules ?? [];
  return modules.some(({ resources = [] }) => resources.some(({ type }) => type === 'google_firestore_database'));
}

async function check(test: SmokeTest, { smoke, say }: DeployerPorts): Promise<void> {
  say(`check: an event to ${test.topic}, a row in ${test.table} within ${test.withinSeconds} s`);
  const { passed, millis } = await smoke(test);
  if (!passed)
    throw new ConfigurationError(
      `no row came to ${test.table} in ${Math.round(millis / 1_000)} s; everything is deployed, so look at \`millrace status\` and the functions' logs`,
    );
  say(`a row came after ${Math.round(millis / 1_000)} s`);
}
