/** Runs a pipeline embedded, with trouble where a test asks for it, and hands out all that is left. */
import type { DeadLetter } from '../../functions/engine/dead-letter.ts';
import type { RawRecord } from '../../functions/engine/ingest/source-decoder.ts';
import { Embedded } from '../../functions/local/embedded.ts';
import { type BusTroubles, MemoryBus } from '../../functions/local/memory-bus.ts';
import { MemoryPredictor } from '../../functions/local/memory-predictor.ts';
import { MemoryWarehouse } from '../../functions/local/memory-warehouse.ts';
import { run } from '../../functions/local/runner.ts';
import { SeededIds, VirtualClock } from '../../functions/local/virtual-clock.ts';
import type { Graph } from '../../functions/model/graph.ts';
import { MIN_TIMESTAMP } from '../../functions/model/time.ts';
import { plan } from '../../functions/plan/plan.ts';
import type { OutsideMessage } from '../../functions/ports/bus.ts';
import type { Row } from '../../functions/ports/warehouse.ts';
import { FaultyStore, type StoreFaults } from './faulty-store.ts';

export interface Trouble {
  readonly shards?: number;
  readonly bundle?: number;
  readonly bus?: BusTroubles;
  readonly store?: StoreFaults;
  readonly seed?: number;
  /** Answers in a model's place. */
  readonly model?: (instance: unknown) => unknown;
}

export interface Outcome {
  readonly rows: (table: string) => readonly Row[];
  readonly letters: readonly DeadLetter[];
  /** Messages published to topics outside; some may be there twice. */
  readonly published: readonly OutsideMessage[];
  readonly late: number;
  /** What is left in the store, beside the roots, the pipeline's own document and the dead letters: collection by collection. */
  readonly left: readonly string[];
  readonly embedded: Embedded;
}

const WORKING_COLLECTIONS = ['cells', 'parts', 'outbox', 'ids', 'runs', 'views', 'settled'] as const;

export async function runEmbedded(
  graph: Graph,
  inputs: Readonly<Record<string, readonly unknown[]>>,
  trouble: Trouble = {},
): Promise<Outcome> {
  const { shards = 4, bundle = 100, bus: troubles = {}, store: faults = {}, seed = 1 } = trouble;
  const clock = new AlwaysAwakeClock();
  const bus = new MemoryBus(new SeededIds(seed), troubles);
  const store = new FaultyStore(new SeededIds(seed + 1), faults);
  const warehouse = new MemoryWarehouse();
  const ids = new SeededIds(seed + 2);
  const planned = plan(graph, { shards, files: new Set(Object.keys(inputs)) });
  const predictor = trouble.model === undefined ? {} : { predictor: new MemoryPredictor(trouble.model) };
  const embedded = new Embedded({ plan: planned, store, bus, warehouse, clock, ids, ...predictor });
  const feeds = new Map(Object.entries(inputs).map(([source, records]) => [source, feed(records)]));
  await run({ embedded, inputs: feeds, clock, bundle });
  let late = 0;
  for (const counts of embedded.counts.values()) late += counts.late;
  return {
    rows: (table) => [...warehouse.rows(table)],
    letters: store.all('deadLetters').map(({ body }) => body as DeadLetter),
    published: bus.published,
    late,
    left: WORKING_COLLECTIONS.flatMap((collection) => store.all(collection).map(({ id }) => `${collection}/${id}`)),
    embedded,
  };
}

/** Waits between tries take no time, since nobody moves the clock while a bundle runs. */
class AlwaysAwakeClock extends VirtualClock {
  override sleep(): Promise<void> {
    return Promise.resolve();
  }
}

async function* feed(records: readonly unknown[]): AsyncGenerator<readonly RawRecord[]> {
  yield records.map((value, i) => ({ value, id: String(i + 1), arrival: MIN_TIMESTAMP }));
}
