/**
 * `npm run bench:emulators`: messages a second, one event a message, from a topic into state: flights as deployed beside the
 * function that somebody would write by hand. Same emulators, same relay, same concurrency, both bundled, in one run.
 *
 *     npm run bench:emulators -- [FLIGHTS] [CONCURRENCY] [COMMIT_EVERY_MS]
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startFunctionProcess } from '../../../emulators/dev/function-process.ts';
import { startLocalCloud } from '../../../emulators/dev/local-cloud.ts';
import { startEmulators } from '../../../emulators/launch.ts';
import { type Clients, ONCE, openClients } from '../../../emulators/relay/clients.ts';
import { startRelay } from '../../../emulators/relay/relay.ts';
import { bundleEntry, bundlePipeline } from '../../../functions/cloud/bundle/bundle.ts';
import { DEFAULT_TUNING } from '../../../functions/cloud/configuration.ts';
import type { Millis } from '../../../functions/model/time.ts';
import flights from '../../../functions/pipelines/flights.ts';
import { type Flight, realFlights } from '../../emulators/flights-data.ts';

const FLIGHTS = Number(process.argv[2] ?? 20_000);
const CONCURRENCY = Number(process.argv[3] ?? 2_000);
/** Of the hand-written function and of our ingest: one takes 1,000 requests at once, as on Cloud Run. */
const INSTANCES = Math.ceil(CONCURRENCY / 1_000);
const COMMIT_EVERY = Number(process.argv[4] ?? DEFAULT_TUNING.commitEvery);
/** The hand-written function gets fewer messages, since it is slower; both are measured over all of theirs. */
const BY_HAND = Math.max(500, Math.round(FLIGHTS / 10));
const WARM_UP = 500;
const BOUND = 10;
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const OUT = here('../../../dist/bench-emulators');

const module = here('../../../functions/pipelines/flights.ts');
const input = await realFlights(20_000);
const emulators = await startEmulators({ projectId: 'demo-bench' });
try {
  const byHand = await handWritten();
  const ours = await deployed();
  const times = ours / byHand;
  console.log(
    `messages a second into state, one event a message, ${CONCURRENCY} pushes in flight, ${INSTANCES} instances`,
  );
  console.log(`  hand-written  ${byHand.toFixed(0).padStart(6)}  (${BY_HAND} messages)`);
  console.log(`  flights       ${ours.toFixed(0).padStart(6)}  (${FLIGHTS} messages, a commit in ${COMMIT_EVERY} ms)`);
  console.log(`  ${times.toFixed(1)} times, ${times >= BOUND ? 'at least' : 'BELOW'} the ${BOUND} that are asked`);
  if (times < BOUND) process.exitCode = 1;
} finally {
  await emulators.stop();
}

async function handWritten(): Promise<number> {
  const projectId = 'demo-by-hand';
  const clients = await openClients(projectId, emulators.pubsubHost);
  const topic = `projects/${projectId}/topics/flights`;
  await clients.publisher.createTopic({ name: topic }, ONCE);
  const subscription = { name: `projects/${projectId}/subscriptions/by-hand`, topic, ackDeadlineSeconds: 60 };
  await clients.subscriber.createSubscription(subscription, ONCE);
  const { main } = await bundleEntry(here('./hand-written.ts'), join(OUT, 'hand-written'));
  const environment = { ...emulators.environment, GOOGLE_CLOUD_PROJECT: projectId };
  const one = { id: 'by-hand', environment: {}, timeoutSeconds: 60 };
  const running = await Promise.all(
    Array.from({ length: INSTANCES }, () => startFunctionProcess(one, { environment, source: main })),
  );
  const relay = await startRelay({
    projectId,
    pubsubHost: emulators.pubsubHost,
    routes: [
      {
        subscription: 'by-hand',
        url: running.map(({ url }) => `${url}/`),
        concurrency: CONCURRENCY,
        retryBackoff: { minimum: 100, maximum: 2_000 },
      },
    ],
  });
  const done = async (): Promise<number> => relay.stats()[0]!.acknowledged;
  try {
    return await rate(clients, topic, BY_HAND, done, (paused) =>
      paused ? relay.pause('by-hand') : relay.resume('by-hand'),
    );
  } finally {
    await relay.stop();
    await Promise.all(running.map(({ process: each }) => each.stop()));
    await clients.close();
  }
}

async function deployed(): Promise<number> {
  const { main } = await bundlePipeline({ module, outDir: join(OUT, 'flights'), flavour: 'local' });
  const cloud = await startLocalCloud({
    graph: flights,
    module,
    source: main,
    emulators,
    projectId: 'demo-flights',
    concurrency: CONCURRENCY,
    ingestInstances: INSTANCES,
    tuning: { commitEvery: COMMIT_EVERY as Millis },
  });
  const source = 'millrace-flights--ingest--flights';
  // Done is what a keyed stage has committed to its state, not what the source was told.
  const done = async (): Promise<number> =>
    (await cloud.functions.get('delays--0')![0]!.status()).stages['delays']?.elements ?? 0;
  try {
    const topic = `projects/${cloud.projectId}/topics/flights`;
    return await rate(cloud.clients, topic, FLIGHTS, done, (paused) =>
      paused ? cloud.relay.pause(source) : cloud.relay.resume(source),
    );
  } finally {
    await cloud.stop();
  }
}

/** Warms everything up, then measures messages that all wait at the topic when it begins. */
async function rate(
  clients: Clients,
  topic: string,
  count: number,
  done: () => Promise<number>,
  pause: (paused: boolean) => void,
): Promise<number> {
  await publish(clients, topic, WARM_UP);
  await until(done, WARM_UP);
  pause(true);
  await publish(clients, topic, count);
  const started = performance.now();
  pause(false);
  await until(done, WARM_UP + count);
  return count / ((performance.now() - started) / 1_000);
}

async function publish({ publisher }: Clients, topic: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 500) {
    const some: Flight[] = Array.from(
      { length: Math.min(500, count - from) },
      (_, i) => input[(from + i) % input.length]!,
    );
    const messages = some.map((flight) => ({ data: Buffer.from(JSON.stringify(flight)) }));
    await publisher.publish({ topic, messages });
  }
}

async function until(done: () => Promise<number>, count: number): Promise<void> {
  while ((await done()) < count) await new Promise((resolve) => setTimeout(resolve, 50));
}
