import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { MonitoringBacklog } from '../cloud/monitoring-backlog.ts';
import { SYSTEM_CLOCK } from '../local/system.ts';
import { messageOf } from '../model/errors.ts';
import { isDrained, type Losses, lossesOf, type SourceBacklogs } from '../operate/deploy/losses.ts';
import { adoptCommands, dataIn, destroySteps, overrideFiles, prepareSteps } from '../operate/deploy/terraform-steps.ts';
import { deploymentManifest } from '../operate/deployment.ts';
import { programsOf } from '../operate/status/programs.ts';
import { type PipelineStatus, statusOf } from '../operate/status/status.ts';
import { survey } from '../operate/status/survey.ts';
import { openCloud } from '../operate/target/cloud-target.ts';
import { SHAPES, type Shape } from '../plan/deployed-functions.ts';
import type { Manifest } from '../plan/manifest.ts';
import { type Plan, plan } from '../plan/plan.ts';
import { tfvars } from '../plan/tfvars.ts';
import { confirm } from './confirm.ts';
import type { Io } from './io.ts';
import { loadPipeline } from './load-pipeline.ts';
import { PROCESS_SHELL, type Shell } from './shell.ts';

interface DestroyOptions {
  readonly project: string;
  readonly region: string;
  readonly shape: Shape;
  readonly withData?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** What the pipeline itself says, as far as it can be asked. */
export interface Inquiry {
  readonly status: PipelineStatus | undefined;
  readonly backlogs: SourceBacklogs;
  /** Why it could not be asked. */
  readonly problem: string | undefined;
}

export interface DestroyPorts {
  readonly shell: Shell;
  readonly inquire: (planned: Plan, manifest: Manifest, project: string) => Promise<Inquiry>;
  /** The folder of the terraform files. */
  readonly infra: string;
}

const PORTS: DestroyPorts = {
  shell: PROCESS_SHELL,
  inquire,
  infra: fileURLToPath(new URL('../../infra/', import.meta.url)),
};

/** `millrace destroy`: says what would be lost, asks, and removes a pipeline that terraform has deployed. */
export function destroyCommand(io: Io, ports: DestroyPorts = PORTS): Command {
  return new Command('destroy')
    .description('remove a deployed pipeline, after saying what would be lost')
    .argument('<pipeline>', 'a name in functions/pipelines, or the path of a module that exports a pipeline')
    .requiredOption('--project <id>', 'the Google Cloud project')
    .option('--region <name>', 'where it is', 'us-central1')
    .addOption(new Option('--shape <shape>', 'as it was deployed').choices(SHAPES).default('functions'))
    .option('--with-data', 'remove database, tables, topics and dead letters too')
    .option('--dry-run', 'only say what would be lost')
    .option('--yes', 'ask nothing')
    .addHelpText('after', '\nExample:\n  millrace destroy flights --project my-project --dry-run')
    .action(async (pipeline: string, options: DestroyOptions) => {
      const planned = plan(await loadPipeline(pipeline));
      const manifest = deploymentManifest(planned, { shape: options.shape });
      const { status, backlogs, problem } = await ports.inquire(planned, manifest, options.project);
      if (problem !== undefined) io.err(`the pipeline could not be asked: ${problem}`);
      const losses = lossesOf(manifest, status, backlogs);
      for (const line of describe(losses, options.withData === true)) io.out(line);
      if (status !== undefined && !isDrained(status, backlogs))
        io.out(`it is not drained; \`millrace drain\` brings to its end what is on its way`);
      if (options.dryRun) return;
      await confirm(io, `Remove ${manifest.pipeline} from project ${options.project}?`, options.yes);
      await destroy(manifest, options, ports);
      if (!options.withData)
        for (const line of [
          '',
          'to deploy it again on what stays, first:',
          ...adoptCommands(manifest, options.project),
        ])
          io.out(line);
    });
}

function describe({ always, withData }: Losses, all: boolean): string[] {
  const items = (sentences: readonly string[]): string[] => sentences.map((sentence) => `- ${sentence}`);
  return all
    ? ['lost:', ...items(always), ...items(withData)]
    : ['lost:', ...items(always), 'kept (--with-data removes it too):', ...items(withData)];
}

async function destroy(manifest: Manifest, options: DestroyOptions, { shell, infra }: DestroyPorts): Promise<void> {
  const { project, region, withData = false, yes = false } = options;
  const { pipeline } = manifest;
  const scratch = await mkdtemp(join(tmpdir(), 'millrace-destroy-'));
  const variables = join(scratch, 'destroy.tfvars.json');
  const archives = Object.fromEntries(manifest.functions.map(({ id }) => [id, { path: 'removed', sha256: 'removed' }]));
  await writeFile(variables, JSON.stringify({ project, region, archives, ...tfvars(manifest) }));
  const overrides = [...overrideFiles()].map(([path, text]) => [join(infra, path), text] as const);
  try {
    for (const [path, text] of overrides) await writeFile(path, text);
    for (const step of prepareSteps(pipeline)) await shell.run('terraform', step, { cwd: infra });
    const kept = withData ? [] : dataIn(await shell.run('terraform', ['state', 'list'], { cwd: infra, capture: true }));
    const steps = destroySteps({ pipeline, variables, yes }, { withData, kept });
    for (const step of steps.slice(prepareSteps(pipeline).length)) await shell.run('terraform', step, { cwd: infra });
  } finally {
    for (const [path] of overrides) await rm(path, { force: true });
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Asks database and Cloud Monitoring; what cannot be asked is told and not needed. */
async function inquire(planned: Plan, manifest: Manifest, project: string): Promise<Inquiry> {
  const { pipeline } = planned;
  const backlogs = new Map<string, number | null>(planned.sources.map(({ id }) => [id, null]));
  try {
    const backlog = new MonitoringBacklog({ projectId: project, pipeline, clock: SYSTEM_CLOCK });
    for (const { id } of planned.sources) backlogs.set(id, (await backlog.sample(id))?.undelivered ?? null);
    const address = { projectId: project, databaseId: manifest.firestore.database };
    const target = await openCloud(
      { ...address, firestoreHost: undefined, pubsubHost: undefined },
      pipeline,
      planned.graph,
    );
    try {
      const found = await survey(target.store, pipeline, target.clock.now(), target.plan);
      return { status: await statusOf(target.store, found, programsOf(target.plan)), backlogs, problem: undefined };
    } finally {
      await target.close();
    }
  } catch (error) {
    return { status: undefined, backlogs, problem: messageOf(error) };
  }
}
