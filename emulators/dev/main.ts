/** `npm run dev -- <pipeline>`: a pipeline as it is deployed, on this machine. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadPipeline } from '../../functions/cli/load-pipeline.ts';
import { SYSTEM_CLOCK } from '../../functions/local/system.ts';
import { ConfigurationError, MillraceError, messageOf } from '../../functions/model/errors.ts';
import type { Millis } from '../../functions/model/time.ts';
import type { Plan } from '../../functions/plan/plan.ts';
import { datasetName } from '../../functions/plan/resource-names.ts';
import { startEmulators } from '../launch.ts';
import { startVertex } from '../vertex/server.ts';
import { type LocalCloud, type LocalCloudOptions, startLocalCloud } from './local-cloud.ts';
import { type DevOptions, devOptions, USAGE } from './options.ts';
import { Screen } from './screen.ts';
import { sendFile } from './send-file.ts';
import { startBigQueryProcess } from './servers.ts';
import { statusLines, statusOf } from './status-lines.ts';

const PROJECT = 'demo-millrace';
const LOOK_EVERY_MILLIS = 1_000;
/** Who watches does not want to wait for what takes minutes in the cloud. */
const BRISK: Pick<LocalCloudOptions, 'tuning' | 'monitoring' | 'sweepEveryMillis'> = {
  tuning: {
    sweepEvery: 2_000 as Millis,
    slice: 2_000 as Millis,
    idleAfter: 10_000 as Millis,
    flushEvery: 5_000 as Millis,
  },
  monitoring: { sampleEveryMillis: 2_000, visibleAfterMillis: 2_000 },
  sweepEveryMillis: 5_000,
};

async function dev(options: DevOptions, signal: AbortSignal): Promise<void> {
  const module = options.pipeline.includes('/') ? resolve(options.pipeline) : pipelinePath(options.pipeline);
  const graph = await loadPipeline(options.pipeline.includes('/') ? module : options.pipeline);
  const screen = new Screen(process.stdout);
  const ends: (() => Promise<unknown>)[] = [];
  const { shards, slots, shape, instances } = options;
  try {
    const started = [
      startEmulators({ projectId: PROJECT }),
      startBigQueryProcess(PROJECT, datasetName(graph.name)),
      startVertex(),
    ] as const;
    for (const one of started)
      ends.push(() =>
        one.then(
          (running) => running.stop(),
          () => undefined,
        ),
      );
    const [emulators, bigQuery, vertex] = await Promise.all(started);
    const cloud = await startLocalCloud({
      graph,
      module,
      shape,
      instances,
      emulators,
      projectId: PROJECT,
      bigQueryUrl: bigQuery.url,
      vertexUrl: vertex.url,
      ...(shards === undefined ? {} : { shards }),
      ...(slots === undefined ? {} : { slots }),
      ...(options.slow ? {} : BRISK),
      onOutput: (id, text) => screen.print(problemsIn(id, text)),
    });
    ends.push(() => cloud.stop());
    screen.print(addresses(cloud, options.pipeline, bigQuery.url, vertex.url));
    await run(cloud, options, screen, signal);
  } finally {
    screen.end();
    for (const end of ends.reverse()) await end();
  }
}

/** Sends the files and shows the status until it is told to end. */
async function run(cloud: LocalCloud, options: DevOptions, screen: Screen, signal: AbortSignal): Promise<void> {
  let failure: unknown;
  for (const { id, process } of [...cloud.functions.values()].flat())
    void process.ended.then((how) => {
      failure ??= new ConfigurationError(`function ${id} has ended by itself: ${how}`);
    });
  const sending = [...options.send].map(async ([source, file]) => {
    try {
      const topic = topicOf(cloud.plan, source, cloud.projectId);
      const sent = await sendFile(cloud.clients, topic, file, options.rate, signal);
      screen.print([`sent ${sent} records of ${file} to ${source}`]);
    } catch (error) {
      failure = error;
    }
  });
  while (!signal.aborted) {
    if (failure !== undefined) throw failure;
    const now = SYSTEM_CLOCK.now();
    screen.show(statusLines(await statusOf(cloud), now));
    await SYSTEM_CLOCK.sleep(LOOK_EVERY_MILLIS as Millis, signal);
  }
  await Promise.all(sending);
}

function topicOf(plan: Plan, source: string, projectId: string): string {
  const found = plan.sources.find(({ id }) => id === source);
  if (found === undefined)
    throw new ConfigurationError(
      `--send: '${source}' is no source of pipeline '${plan.pipeline}'; its sources are ${plan.sources.map(({ id }) => id).join(', ')}`,
    );
  return `projects/${projectId}/topics/${found.node.source.topic}`;
}

/** @param pipeline as it was named on the command line */
function addresses(cloud: LocalCloud, pipeline: string, bigQuery: string, vertex: string): string[] {
  const { emulators, functions, manifest, plan } = cloud;
  const variables = [
    `PUBSUB_EMULATOR_HOST=${emulators.pubsubHost}`,
    `FIRESTORE_EMULATOR_HOST=${emulators.firestoreHost}`,
    `BIGQUERY_EMULATOR_HOST=${bigQuery}`,
    `MILLRACE_PIPELINE=${pipeline}`,
  ];
  return [
    `pipeline ${plan.pipeline} is up`,
    `  Pub/Sub    PUBSUB_EMULATOR_HOST=${emulators.pubsubHost}  project ${cloud.projectId}`,
    `  Firestore  FIRESTORE_EMULATOR_HOST=${emulators.firestoreHost}  under millrace/${plan.pipeline}`,
    `  BigQuery   BIGQUERY_EMULATOR_HOST=${bigQuery}  dataset ${manifest.dataset}`,
    `  models     ${vertex}`,
    ...plan.sources.map(({ id, node }) => `  source     ${id}: publish JSON to topic ${node.source.topic}`),
    ...[...functions].map(([id, running]) => `  function   ${id}: ${running.map(({ url }) => url).join(' ')}`),
    'To look at it as an operator does, in another terminal:',
    `  export ${variables.join(' ')}`,
    '  npx millrace status --emulators',
    'Ctrl-C ends it all.',
  ];
}

/** What functions print that somebody should see: warnings and errors, and whatever is no log line. */
function problemsIn(id: string, text: string): string[] {
  return text.split('\n').flatMap((line) => {
    if (line.trim() === '') return [];
    const log = parsed(line);
    if (log === undefined) return [`${id}: ${line}`];
    return log.severity === 'INFO' || log.severity === 'DEBUG' ? [] : [`${id}: ${log.severity} ${log.message}`];
  });
}

function parsed(line: string): { readonly severity?: string; readonly message?: string } | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function pipelinePath(name: string): string {
  return fileURLToPath(new URL(`../../functions/pipelines/${name}.ts`, import.meta.url));
}

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
try {
  const options = devOptions(process.argv.slice(2));
  if (options === undefined) console.log(USAGE);
  else await dev(options, stopping.signal);
} catch (error) {
  console.error(error instanceof MillraceError ? `dev: ${error.message}` : messageOf(error));
  process.exitCode = 1;
}
