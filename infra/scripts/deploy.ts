/** `npm run deploy -- <pipeline> --project <id>`: package, plan, terraform apply, check. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { PROCESS_IO } from '../../functions/cli/io.ts';
import { loadPipeline } from '../../functions/cli/load-pipeline.ts';
import { PROCESS_SHELL } from '../../functions/cli/shell.ts';
import { FirestoreStore } from '../../functions/cloud/firestore/store.ts';
import { Publisher } from '../../functions/cloud/pubsub/publisher.ts';
import { PubSubSubscriptions } from '../../functions/cloud/pubsub/subscriptions.ts';
import { SYSTEM_CLOCK } from '../../functions/local/system.ts';
import { messageOf } from '../../functions/model/errors.ts';
import { holdOrders, type OrdersAfter } from '../../functions/operate/deploy/orders-after.ts';
import { readSmokeTest, type SmokeResult, type SmokeTest, smoke } from '../../functions/operate/deploy/smoke.ts';
import { runningCounts } from '../../functions/operate/running-counts.ts';
import { admit } from '../../functions/operate/upgrade.ts';
import { SHAPES, type Shape } from '../../functions/plan/deployed-functions.ts';
import { type Plan, plan } from '../../functions/plan/plan.ts';
import { databaseName, datasetName } from '../../functions/plan/resource-names.ts';
import { storedShape } from '../../functions/plan/stored-shape.ts';
import { deploy } from './deployer.ts';
import { archivesFolder, packagePipeline } from './package.ts';

interface Options {
  readonly project: string;
  readonly region: string;
  readonly shape: Shape;
  readonly shards?: number;
  readonly slots?: number;
  readonly smoke: string | boolean;
  readonly draining?: boolean;
  readonly yes?: boolean;
}

const INFRA = fileURLToPath(new URL('../', import.meta.url));

async function run(name: string, options: Options): Promise<void> {
  const { project, region, shape, shards, slots, draining = false, yes = false } = options;
  const graph = await loadPipeline(name);
  const pipeline = graph.name;
  const given = { ...(shards === undefined ? {} : { shards }), ...(slots === undefined ? {} : { slots }) };
  await deploy(
    {
      pipeline,
      plan: (running) => plan(graph, { ...running, ...given }),
      project,
      region,
      yes,
      folder: archivesFolder(pipeline),
      infra: INFRA,
      options: { shape },
      draining,
      smokeTest: await smokeTestOf(pipeline, options.smoke),
    },
    {
      shell: PROCESS_SHELL,
      package: (manifest) => packagePipeline(name, manifest),
      running: () => inStore(project, pipeline, runningCounts),
      admit: (planned) =>
        inStore(project, pipeline, (store) => admit(store, planned, SYSTEM_CLOCK.now(), { draining })),
      holdOrders: (planned) => inStore(project, pipeline, (store) => holdOrdersIn(project, planned, store)),
      smoke: (test) => smokeIn(project, pipeline, test),
      say: PROCESS_IO.out,
    },
  );
}

/** The one that is named, else the pipeline's own where there is one. */
async function smokeTestOf(pipeline: string, given: string | boolean): Promise<SmokeTest | undefined> {
  if (given === false) return undefined;
  const path = typeof given === 'string' ? given : join(INFRA, 'smoke', `${pipeline}.json`);
  if (given === true && !existsSync(path)) return undefined;
  return readSmokeTest(path, await readFile(path, 'utf8'));
}

async function inStore<T>(
  projectId: string,
  pipeline: string,
  work: (store: FirestoreStore) => Promise<T>,
): Promise<T> {
  const store = new FirestoreStore({ projectId, databaseId: databaseName(pipeline), pipeline });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function holdOrdersIn(projectId: string, planned: Plan, store: FirestoreStore): Promise<OrdersAfter> {
  const { pipeline } = planned;
  const slotsOf = (stage: string): number => planned.stage(stage).slots;
  const subscriptions = new PubSubSubscriptions({ projectId, pipeline, slotsOf });
  try {
    return await holdOrders(store, subscriptions, SYSTEM_CLOCK, storedShape(planned));
  } finally {
    await subscriptions.close();
  }
}

async function smokeIn(projectId: string, pipeline: string, test: SmokeTest): Promise<SmokeResult> {
  const { BigQuery } = await import('@google-cloud/bigquery');
  const bigQuery = new BigQuery({ projectId });
  const publisher = new Publisher({ projectId });
  try {
    return await smoke(test, {
      clock: SYSTEM_CLOCK,
      publish: (topic, data) => publisher.publish(topic, [{ data: Buffer.from(data), attributes: {} }]),
      countRows: async (table, row) => {
        const name = table.includes('.') ? table : `${datasetName(pipeline)}.${table}`;
        const columns = Object.keys(row);
        const where = columns.map((column, i) => `\`${column}\` = @p${i}`).join(' AND ');
        const params = Object.fromEntries(columns.map((column, i) => [`p${i}`, row[column]]));
        const query = `SELECT COUNT(*) AS n FROM \`${name}\` WHERE ${where}`;
        const [[counted]] = await bigQuery.query({ query, params });
        return Number((counted as { n: number }).n);
      },
    });
  } finally {
    await publisher.close();
  }
}

await new Command('deploy')
  .description('package a pipeline, apply infra/ by terraform, and check that an event becomes a row')
  .argument('<pipeline>', 'a name in functions/pipelines, or the path of a module that exports a pipeline')
  .requiredOption('--project <id>', 'the Google Cloud project')
  .option('--region <name>', 'where everything is', 'us-central1')
  .addOption(new Option('--shape <shape>').choices(SHAPES).default('functions'))
  .option('--shards <n>', "shards of a stage; fixed for a pipeline's life (default: as many as it has)", Number)
  .option('--slots <n>', 'slots of a stage (default: as many as it has)', Number)
  .option('--smoke <file>', 'the check (default: infra/smoke/<pipeline>.json where it is there)', true)
  .option('--no-smoke', 'no check')
  .option('--draining', 'also while it drains, which goes on: to mend what keeps it from its end')
  .option('--yes', 'apply without asking')
  .action((name: string, options: Options) =>
    run(name, options).catch((error: unknown) => {
      PROCESS_IO.err(`deploy: ${messageOf(error)}`);
      process.exitCode = 1;
    }),
  )
  .parseAsync();
