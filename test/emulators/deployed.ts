/** Pipelines deployed on the emulators, for the suites that drive them: publish, wait, look at what came out. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import {
  type BothEmulators,
  type LocalCloud,
  type LocalCloudOptions,
  startLocalCloud,
} from '../../emulators/dev/local-cloud.ts';
import { startEmulators } from '../../emulators/launch.ts';
import { bundlePipeline } from '../../functions/cloud/bundle/bundle.ts';
import { warmBundle } from '../../functions/cloud/bundle/compile-cache.ts';
import type { Tuning } from '../../functions/cloud/configuration.ts';
import type { DeadLetter } from '../../functions/engine/dead-letter.ts';
import type { BundleCounts } from '../../functions/engine/shard/work.ts';
import type { Root } from '../../functions/engine/protocol/root.ts';
import type { Millis } from '../../functions/model/time.ts';
import { DEAD_LETTERS_BY_TIME } from '../../functions/ports/queries.ts';
import type { Collection } from '../../functions/ports/store.ts';
import { noCounts } from '../../functions/engine/shard/work.ts';

/** What happens in minutes in the cloud happens in seconds here; the order of things is the same. */
export const QUICK: Tuning = {
  commitEvery: 50 as Millis,
  sweepEvery: 500 as Millis,
  republishAfter: 2_000 as Millis,
  retireAfter: 3_000 as Millis,
  slice: 500 as Millis,
  idleAfter: 1_000 as Millis,
  flushEvery: 1_000 as Millis,
};
/** As late as Cloud Monitoring relative to its own pace: a sample is seen two periods after it was taken. */
export const QUICK_MONITORING = { sampleEveryMillis: 250, visibleAfterMillis: 500 };

export interface Deployed extends LocalCloud {
  /** Lines that functions have printed at WARNING or above. */
  readonly complaints: readonly string[];
}

let emulators: BothEmulators;
let deployments = 0;

/** Where this file's bundles are: in the project, so that functions-framework is found. */
const BUNDLES = fileURLToPath(new URL(`../../dist/test-deployed-${process.pid}`, import.meta.url));
const bundles = new Map<string, Promise<string>>();

/** Starts emulators for the file; call once, at its top. */
export function useEmulators(): void {
  beforeAll(async () => {
    emulators = await startEmulators({ projectId: 'demo-deployed' });
  });
  afterAll(async () => {
    await emulators?.stop();
    await rm(BUNDLES, { recursive: true, force: true });
  });
}

/** What functions load, built as for a cloud, once a file: a process starts from it in a third of the time. */
function bundleOf(module: string): Promise<string> {
  let bundle = bundles.get(module);
  if (bundle === undefined) {
    const outDir = join(BUNDLES, String(bundles.size));
    bundle = bundlePipeline({ module, outDir, flavour: 'local' }).then(async ({ main }) => {
      await warmBundle(outDir);
      return main;
    });
    bundles.set(module, bundle);
  }
  return bundle;
}

/** Deploys in a project of its own, so that nothing of another test is there; or in one that is named, again. */
export async function deploy(options: Omit<LocalCloudOptions, 'emulators'>): Promise<Deployed> {
  const complaints: string[] = [];
  const projectId = options.projectId ?? `demo-deployed-${process.pid}-${deployments++}`;
  const source = options.source ?? (await bundleOf(options.module));
  const cloud = await startLocalCloud({
    tuning: QUICK,
    monitoring: QUICK_MONITORING,
    sweepEveryMillis: 1_000,
    ...options,
    source,
    emulators,
    projectId,
    onOutput: (id, text) => {
      for (const line of text.split('\n'))
        if (line !== '' && !line.includes('"INFO"')) complaints.push(`${id}: ${line}`);
    },
  });
  return { ...cloud, complaints };
}

/** Publishes records as JSON, in order, some at a time. */
export async function publish(cloud: LocalCloud, topic: string, records: readonly unknown[]): Promise<void> {
  const path = `projects/${cloud.projectId}/topics/${topic}`;
  for (let from = 0; from < records.length; from += 500) {
    const messages = records.slice(from, from + 500).map((record) => ({ data: Buffer.from(JSON.stringify(record)) }));
    await cloud.clients.publisher.publish({ topic: path, messages });
  }
}

/** Waits until it holds. @throws with what `look` gave last, when the time is over */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  holds: (seen: T) => boolean,
  seconds = 90,
): Promise<T> {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`not so after ${seconds} s: ${what}; now ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** All that a source's subscription has delivered and got acknowledged, dropped ones included. */
export function acknowledged(cloud: LocalCloud, subscription: string): number {
  return cloud.relay.stats().find((route) => route.subscription === subscription)!.acknowledged;
}

export async function letters(cloud: LocalCloud): Promise<DeadLetter[]> {
  const found: DeadLetter[] = [];
  let after: string | undefined;
  do {
    const page = { limit: 300, ...(after === undefined ? {} : { after }) };
    const { documents, cursor } = await cloud.store.query(DEAD_LETTERS_BY_TIME, { status: 'dead' }, page);
    found.push(...documents.map(({ body }) => body as DeadLetter));
    after = cursor;
  } while (after !== undefined);
  return found;
}

/** What the roots have under way, and how many documents wait beside them. */
export async function underWay(cloud: LocalCloud) {
  const roots = (await cloud.store.roots()).map(({ body }) => body as Root);
  return {
    open: roots.reduce((sum, root) => sum + Object.keys(root.open).length, 0),
    outbox: await documentsIn(cloud, 'outbox'),
    runs: await documentsIn(cloud, 'runs'),
  };
}

/** How many documents a collection has, asked of the emulator itself. */
export async function documentsIn(cloud: LocalCloud, collection: Collection): Promise<number> {
  const parent = `projects/${cloud.projectId}/databases/(default)/documents/millrace/${cloud.plan.pipeline}`;
  const answer = await fetch(`http://${cloud.emulators.firestoreHost}/v1/${parent}:runAggregationQuery`, {
    method: 'POST',
    headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
    body: JSON.stringify({
      structuredAggregationQuery: {
        structuredQuery: { from: [{ collectionId: collection }] },
        aggregations: [{ alias: 'n', count: {} }],
      },
    }),
  });
  const [first] = (await answer.json()) as { result: { aggregateFields: { n: { integerValue: string } } } }[];
  return Number(first?.result.aggregateFields.n.integerValue);
}

/** What the instances that run now have counted, together. */
export async function counted(cloud: LocalCloud, stage: string): Promise<BundleCounts> {
  const total = noCounts();
  for (const instances of cloud.functions.values())
    for (const instance of instances) {
      const counts = (await instance.status()).stages[stage];
      if (counts === undefined) continue;
      total.elements += counts.elements;
      total.duplicates += counts.duplicates;
      total.late += counts.late;
      total.deadLetters += counts.deadLetters;
    }
  return total;
}
