/**
 * `npm run bench:cold`: from the start of a function's process to its first answer, bundled and built as the platform does
 * it, beside bare functions that load the same clients. Runs take turns, so that what else the machine does meets all of them.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPubSubParts } from '../../../emulators/dev/pub-sub-parts.ts';
import { freePort } from '../../../emulators/launch-probe.ts';
import { startEmulators } from '../../../emulators/launch.ts';
import { openClients } from '../../../emulators/relay/clients.ts';
import { pushBody } from '../../../emulators/relay/wire.ts';
import { bundleEntry, bundlePipeline } from '../../../functions/cloud/bundle/bundle.ts';
import { warmBundle } from '../../../functions/cloud/bundle/compile-cache.ts';
import { encodeMessage } from '../../../functions/cloud/pubsub/message.ts';
import { epochMillis, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import flights from '../../../functions/pipelines/flights.ts';
import { manifestOf } from '../../../functions/plan/manifest.ts';
import { plan } from '../../../functions/plan/plan.ts';
import { QUERIES } from '../../../functions/ports/queries.ts';
import { COLLECTIONS } from '../../../functions/ports/store.ts';

const ROUNDS = Number(process.argv[2] ?? 9);
const PROJECT = 'demo-cold';
/** What a function may take longer than a bare one, in milliseconds. */
const BOUND = 150;
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const OUT = here('../../../dist/bench-cold');
const FRAMEWORK = join(dirname(createRequire(import.meta.url).resolve('@google-cloud/functions-framework')), 'main.js');

interface Candidate {
  readonly name: string;
  readonly main: string;
  readonly path: string;
  readonly body: Buffer;
  readonly environment: Readonly<Record<string, string>>;
  readonly times: number[];
}

const planned = plan(flights);
const manifest = manifestOf(planned, { queries: QUERIES, collections: COLLECTIONS });
const emulators = await startEmulators({ projectId: PROJECT });
const clients = await openClients(PROJECT, emulators.pubsubHost);
try {
  await createPubSubParts(clients, PROJECT, manifest);
  const ours = await bundlePipeline({
    module: here('../../../functions/pipelines/flights.ts'),
    outDir: join(OUT, 'flights'),
    flavour: 'local',
  });
  await warmBundle(dirname(ours.main));
  const bare = async (name: string): Promise<string> => (await bundleEntry(here(`./${name}.ts`), join(OUT, name))).main;
  const candidates: Candidate[] = [
    candidate('bare', await bare('bare'), '/', pushOf({ hello: 1 })),
    candidate('bare, Firestore', await bare('bare-firestore'), '/', pushOf({ hello: 1 })),
    candidate('bare, Firestore and Pub/Sub', await bare('bare-firestore-pubsub'), '/', pushOf({ hello: 1 })),
    candidate('a stage, a tick', ours.main, '/stages/delays', tick(), environmentOf('delays--0')),
    candidate('a source, a message', ours.main, '/sources/flights', flight(), environmentOf('ingest--flights')),
  ];
  for (let round = 0; round < ROUNDS; round++) for (const each of candidates) each.times.push(await measure(each));
  report(candidates);
} finally {
  await clients.close();
  await emulators.stop();
}

function candidate(
  name: string,
  main: string,
  path: string,
  body: Buffer,
  environment: Readonly<Record<string, string>> = {},
): Candidate {
  return { name, main, path, body, environment, times: [] };
}

function environmentOf(id: string): Record<string, string> {
  const { environment } = manifest.functions.find((each) => each.id === id)!;
  // No sweep beside the first request: it is measured by itself.
  return { ...environment, MILLRACE_IDENTITY: 'none', MILLRACE_TUNING: '{"sweepEvery":0}' };
}

/** Brings nothing, so that it costs one read. */
function tick(): Buffer {
  const message = {
    kind: 'tick',
    target: 'delays~0',
    inputWatermark: MIN_TIMESTAMP,
    outputWatermark: MIN_TIMESTAMP,
    processingTime: epochMillis(Date.now()),
    settled: {},
    gone: [],
  } as const;
  return pushBody('projects/p/subscriptions/s', { ...encodeMessage(message, 'flights'), messageId: '1' }, undefined);
}

function flight(): Buffer {
  return pushOf({ date: '2001/01/01 06:55', delay: -19, distance: 1797, origin: 'LAX', destination: 'BNA' });
}

function pushOf(data: unknown): Buffer {
  const message = {
    data: Buffer.from(JSON.stringify(data)),
    messageId: '1',
    publishTime: { seconds: Math.floor(Date.now() / 1_000) },
  };
  return pushBody('projects/p/subscriptions/s', message, undefined);
}

async function measure({ main, path, body, environment }: Candidate): Promise<number> {
  const port = await freePort();
  const started = performance.now();
  const child = spawn(process.execPath, [FRAMEWORK, '--target=millrace', `--source=${main}`, `--port=${port}`], {
    env: { ...process.env, ...emulators.environment, ...environment, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    for (;;) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        body: new Uint8Array(body),
        headers: { 'content-type': 'application/json' },
      }).catch(() => undefined);
      if (response?.status === 204) return performance.now() - started;
      if (response !== undefined) throw new Error(`${main} answered ${response.status}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  } finally {
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
  }
}

function report(candidates: readonly Candidate[]): void {
  console.log(`process start to first answer, bundled, ${ROUNDS} runs each: median (least), milliseconds`);
  for (const { name, times } of candidates)
    console.log(`  ${name.padEnd(28)} ${median(times).toFixed(0).padStart(5)}  (${Math.min(...times).toFixed(0)})`);
  compare(candidates[3]!, candidates[1]!);
  compare(candidates[4]!, candidates[2]!);
}

function compare(ours: Candidate, bare: Candidate): void {
  const differences = ours.times.map((time, round) => time - bare.times[round]!);
  const more = median(differences);
  const verdict = more <= BOUND ? 'within' : 'ABOVE';
  console.log(`  ${ours.name}: ${more.toFixed(0)} ms more than '${bare.name}', ${verdict} the bound of ${BOUND}`);
  if (more > BOUND) process.exitCode = 1;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
