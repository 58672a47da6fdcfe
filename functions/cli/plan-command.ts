import { readFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { ConfigurationError, messageOf } from '../model/errors.ts';
import { deploymentManifest } from '../operate/deployment.ts';
import { monthlyCost } from '../plan/cost.ts';
import { SHAPES, type Shape } from '../plan/deployed-functions.ts';
import { gcloudScript } from '../plan/gcloud.ts';
import type { Manifest } from '../plan/manifest.ts';
import { mermaid, writtenTopics } from '../plan/mermaid.ts';
import { DEFAULT_LOAD, type Load, operationsOf } from '../plan/operations.ts';
import { type Plan, plan } from '../plan/plan.ts';
import { warningsOf } from '../plan/warnings.ts';
import { PRICES } from '../plan/prices.ts';
import { tfvars } from '../plan/tfvars.ts';
import { readNumber, table } from './format.ts';
import type { Io } from './io.ts';
import { loadPipeline } from './load-pipeline.ts';

interface PlanOptions {
  readonly json?: boolean;
  readonly mermaid?: boolean;
  readonly tfvars?: boolean;
  readonly gcloud?: boolean;
  readonly delete?: boolean;
  readonly shape: Shape;
  readonly shards?: string;
  readonly slots?: string;
  readonly topology?: string;
  readonly epoch?: string;
  readonly ingestInstances?: string;
  readonly rate: string;
  readonly keys: string;
  readonly bytes: string;
}

const LIBRARY = new URL('../../infra/gcloud/library.sh', import.meta.url);

/** `millrace plan`: what a pipeline becomes, for people, machines and those who deploy. */
export function planCommand(io: Io): Command {
  return new Command('plan')
    .description('what a pipeline becomes: stages, and all that must exist in the cloud')
    .argument('<pipeline>', 'a name in functions/pipelines, or the path of a module that exports a pipeline')
    .addOption(new Option('--json', 'print the manifest as JSON').conflicts(['mermaid', 'tfvars', 'gcloud']))
    .addOption(new Option('--mermaid', 'print a picture, as a Mermaid flowchart').conflicts(['tfvars', 'gcloud']))
    .addOption(new Option('--tfvars', 'print the variables that infra/ reads, as JSON').conflicts('gcloud'))
    .option('--gcloud', 'print a bash script that deploys with gcloud')
    .option('--delete', 'with --gcloud: the reverse')
    .addOption(
      new Option('--shape <shape>', 'a function a stage and slot, or one service a slot for all stages')
        .choices(SHAPES)
        .default('functions'),
    )
    .option('--shards <n>', 'shards of a stage; fixed for a pipeline’s life')
    .option('--slots <n>', 'slots of a stage')
    .option('--topology <n>', 'the version of the topology; must rise when stages, shards or slots change')
    .option('--epoch <n>', 'the epoch; rises with each fresh start after a drain')
    .option('--ingest-instances <n>', 'most instances of an ingest function')
    .option('--rate <n>', 'for the price: events a second', String(DEFAULT_LOAD.eventsPerSecond))
    .option('--keys <n>', 'for the price: keys in use at a time', String(DEFAULT_LOAD.keys))
    .option('--bytes <n>', 'for the price: bytes of an event', String(DEFAULT_LOAD.bytesPerEvent))
    .addHelpText(
      'after',
      '\nExamples:\n  millrace plan flights --rate 1000\n  millrace plan flights --tfvars > infra/flights.auto.tfvars.json\n  millrace plan flights --gcloud > deploy.sh',
    )
    .action(async (pipeline: string, options: PlanOptions) => {
      if (options.delete && !options.gcloud)
        throw new ConfigurationError('--delete: the script that --gcloud prints is reversed by it; add --gcloud');
      const planned = plan(await loadPipeline(pipeline), {
        ...number('shards', '--shards', options.shards),
        ...number('slots', '--slots', options.slots),
      });
      for (const warning of warningsOf(planned)) io.err(`warning: ${warning}`);
      if (options.mermaid) io.out(mermaid(planned));
      else if (options.json) io.out(JSON.stringify(manifestFor(planned, options), undefined, 2));
      else if (options.tfvars) io.out(JSON.stringify(tfvars(manifestFor(planned, options)), undefined, 2));
      else if (options.gcloud) io.out((await script(pipeline, planned, options)).trimEnd());
      else for (const line of describe(planned, options)) io.out(line);
    });
}

function manifestFor(planned: Plan, { shape, topology, epoch, ingestInstances }: PlanOptions): Manifest {
  return deploymentManifest(planned, {
    shape,
    ...number('topology', '--topology', topology),
    ...number('epoch', '--epoch', epoch),
    ...number('ingestInstances', '--ingest-instances', ingestInstances),
  });
}

async function script(module: string, planned: Plan, options: PlanOptions): Promise<string> {
  for (const flag of ['topology', 'epoch'] as const)
    if (options[flag] !== undefined)
      throw new ConfigurationError(`--${flag}: the script that --gcloud prints asks the pipeline for it; leave it out`);
  const library = await readFile(LIBRARY, 'utf8');
  return gcloudScript(manifestFor(planned, options), { library, module, delete: options.delete === true });
}

function describe(planned: Plan, options: PlanOptions): string[] {
  return [...stageTables(planned), '', ...deploymentTables(planned, options), ...priceTable(planned, options)];
}

function stageTables(planned: Plan): string[] {
  return [
    table(
      ['SOURCE', 'READS', 'STEPS', 'SENDS TO'],
      planned.sources.map(({ id, node, reader, steps }) => [
        id,
        reader === 'messages' ? `topic ${node.source.topic}` : 'a file',
        list(steps),
        list(planned.stages.filter(({ inputs }) => inputs.includes(id)).map((stage) => stage.id)),
      ]),
    ),
    '',
    table(
      ['STAGE', 'KIND', 'INPUTS', 'STEPS', 'SHARDS', 'SLOTS', 'WRITES'],
      planned.stages.map(({ id, head, inputs, steps, shards, slots }) => [
        id,
        head.kind,
        list(inputs),
        list(steps),
        shards,
        slots,
        head.kind === 'writeBigQuery' ? `table ${head.table}` : list(writtenTopics(planned, steps)),
      ]),
    ),
  ];
}

/** A pipeline that reads files has a plan and runs here, but is not deployed. */
function deploymentTables(planned: Plan, options: PlanOptions): string[] {
  let manifest: Manifest;
  try {
    manifest = manifestFor(planned, options);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [`not to be deployed: ${messageOf(error)}`, ''];
  }
  return [
    table(
      ['FUNCTION', 'SERVES', 'MEMORY', 'REQUESTS', 'INSTANCES', 'TIMEOUT'],
      manifest.functions.map(({ name, serves, memoryMiB, concurrency, maxInstances, timeoutSeconds }) => [
        name,
        serves.map(({ path }) => path).join(' '),
        `${memoryMiB} MiB`,
        concurrency,
        `at most ${maxInstances}`,
        `${timeoutSeconds} s`,
      ]),
    ),
    '',
    `also: ${manifest.topics.length} topics, ${manifest.subscriptions.length} subscriptions, database ${manifest.firestore.database} with ` +
      `${manifest.firestore.indexes.length} indexes, ${manifest.tables.length} tables, ${manifest.grants.length} grants, ${manifest.alerts.length} alerts (--json shows all)`,
    '',
  ];
}

/** Dollars a month of both shapes, idle and at the given rate. */
function priceTable(planned: Plan, { rate, keys, bytes }: PlanOptions): string[] {
  const load: Load = {
    ...DEFAULT_LOAD,
    eventsPerSecond: readNumber('--rate', rate, 0),
    keys: readNumber('--keys', keys),
    bytesPerEvent: readNumber('--bytes', bytes),
  };
  const rows = SHAPES.flatMap((shape) =>
    [0, load.eventsPerSecond].map((eventsPerSecond) => {
      const cost = monthlyCost(operationsOf(planned, { ...load, eventsPerSecond }, shape), shape);
      const { requests, instances, pubSub, firestore, bigQuery, total } = cost;
      return [shape, eventsPerSecond, ...[requests, instances, pubSub, firestore, bigQuery, total].map(dollars)];
    }),
  );
  return [
    table(['SHAPE', 'EVENTS/S', 'REQUESTS', 'INSTANCES', 'PUB/SUB', 'FIRESTORE', 'BIGQUERY', 'A MONTH'], rows),
    `US dollars at list prices of ${PRICES.asOf}, without what is free; an estimate for ${load.keys} keys and events of ${load.bytesPerEvent} bytes`,
  ];
}

function dollars(amount: number): string {
  return amount.toFixed(2);
}

function list(names: readonly string[]): string {
  return names.length === 0 ? '-' : names.join(', ');
}

/** An option that is a whole number, under its name, or nothing when it is not given. */
function number<K extends string>(name: K, flag: string, text: string | undefined): { readonly [N in K]?: number } {
  if (text === undefined) return {};
  if (!/^\d{1,6}$/.test(text)) throw new ConfigurationError(`${flag}: expected a whole number, got '${text}'`);
  return { [name]: Number(text) } as { readonly [N in K]: number };
}
