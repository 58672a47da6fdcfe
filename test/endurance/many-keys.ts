/**
 * A run over very many keys, each of which is seen in one minute and never again: what must be gone once its window has
 * expired, and what may stand while the run goes on.
 */
import { z } from 'zod';
import type { RawRecord } from '../../functions/engine/ingest/source-decoder.ts';
import type { Root } from '../../functions/engine/protocol/root.ts';
import {
  afterCount,
  afterProcessingTime,
  afterWatermark,
  bagState,
  boundedOutOfOrderness,
  combiningState,
  count,
  emits,
  eventTimer,
  fixedWindows,
  mapState,
  pipeline,
  processingTimer,
  setState,
  sum,
  valueState,
} from '../../functions/index.ts';
import { Embedded } from '../../functions/local/embedded.ts';
import { MemoryBus } from '../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../functions/local/memory-store.ts';
import { MemoryWarehouse } from '../../functions/local/memory-warehouse.ts';
import { run } from '../../functions/local/runner.ts';
import { SeededIds, VirtualClock } from '../../functions/local/virtual-clock.ts';
import { MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../functions/model/time.ts';
import { plan } from '../../functions/plan/plan.ts';

const Event = z.object({ id: z.string(), key: z.string(), at: z.number() });
type Event = z.infer<typeof Event>;

/** Keys a minute of event time. */
const KEYS_A_MINUTE = 6_000;
const BATCH = 2_000;
const MINUTE = 60_000;
const BEGIN = Date.UTC(2026, 0, 1);

/** How many keys each of two steps has told of, when their windows were over. */
const graph = pipeline('many-keys', (p) => {
  const events = p
    .readPubSub('events', {
      schema: Event,
      eventTime: ({ at }) => at,
      arrivalTime: ({ at }) => at,
      watermark: boundedOutOfOrderness('10s'),
    })
    .deduplicate('each-once', { by: ({ id }) => id, horizon: '5m', clock: 'event' })
    .keyBy('by-key', ({ key }) => key)
    .window('minutes', fixedWindows('1m'), {
      trigger: afterWatermark({ early: afterProcessingTime('1m'), late: afterCount(1) }),
      allowedLateness: '30s',
      accumulation: 'accumulating',
    });
  const kept = events.statefulParDo('kept', {
    emits: emits<number>(),
    state: {
      times: bagState<number>(),
      counted: combiningState(count()),
      seen: setState<string>(),
      byId: mapState<string, number>(),
      last: valueState<Event>(),
    },
    timers: { soon: eventTimer(), hour: processingTimer() },
    process({ value }, { state, timers, window }) {
      state.times.add(value.at);
      state.counted.add(value);
      state.seen.add(value.id);
      state.byId.put(value.id, value.at);
      state.last.write(value);
      timers.soon.set(window.end - 1);
      // It never comes: its window expires before.
      timers.hour.offset('1h').setRelative();
    },
    onTimer: {
      soon: ({ state }) => state.counted.add(undefined),
      hour: () => {
        throw new Error('the timer of a window that has expired has fired');
      },
    },
    onWindowExpiration: ({ state, output }) => output(state.counted.read()),
  });
  const reduced = events
    .combinePerKey('sums', count())
    .filter('on-time', (_, { pane }) => pane.timing === 'ON_TIME')
    .map('each', ({ value }) => value);
  const totals = (name: string, of: typeof reduced) =>
    of
      .keyBy(`${name}-all`, () => name)
      .combinePerKey(`${name}-total`, sum())
      .writeBigQuery(`${name}-rows`, {
        columns: { minute: 'TIMESTAMP', n: 'INT64' },
        key: ['minute'],
        row: ({ value }, { window }) => ({ minute: window.start, n: value }),
      });
  totals('kept', kept);
  totals('sums', reduced);
});

/** Two events for each key; each tenth event comes twice. */
async function* events(keys: number): AsyncGenerator<readonly RawRecord[]> {
  let batch: RawRecord[] = [];
  for (let key = 0; key < keys; key++) {
    const at = BEGIN + Math.floor(key / KEYS_A_MINUTE) * MINUTE + ((key % KEYS_A_MINUTE) * MINUTE) / KEYS_A_MINUTE;
    const record = (id: string): RawRecord => ({
      value: { id, key: `key ${key}`, at },
      id: String(batch.length),
      arrival: MIN_TIMESTAMP,
    });
    batch.push(record(`${key} a`), record(`${key} b`));
    if (key % 5 === 0) batch.push(record(`${key} b`));
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

export interface ManyKeys {
  readonly records: number;
  /** What the two steps have told of, in all. */
  readonly kept: number;
  readonly sums: number;
  /** Documents that stood at once at most, in the first quarter of the run and in the rest of it. */
  readonly documents: { readonly firstQuarter: number; readonly rest: number };
  /** Megabytes of heap in use after a collection, where node runs with --expose-gc; at most, likewise. */
  readonly heap: { readonly firstQuarter: number; readonly rest: number };
  /** What is left at the end: cells, parts, ids, outbox documents, runs, holds, timers. */
  readonly left: readonly string[];
  readonly deadLetters: number;
  readonly seconds: number;
}

const WORKING_COLLECTIONS = ['cells', 'parts', 'outbox', 'ids', 'runs', 'views'] as const;
/** Steps of the run between looks at the heap. */
const LOOK_EVERY = 25;

export async function manyKeys(keys: number, progress?: (records: number) => void): Promise<ManyKeys> {
  const clock = new VirtualClock();
  const store = new MemoryStore();
  const warehouse = new MemoryWarehouse();
  const ids = new SeededIds(1);
  const planned = plan(graph, { shards: 2, files: new Set(['events']) });
  const embedded = new Embedded({ plan: planned, store, bus: new MemoryBus(ids), warehouse, clock, ids });
  const documents = { firstQuarter: 0, rest: 0 };
  const heap = { firstQuarter: 0, rest: 0 };
  const begun = performance.now();
  let steps = 0;
  const look = (records: number): void => {
    const part = records < (keys * 2.2) / 4 ? 'firstQuarter' : 'rest';
    const standing = WORKING_COLLECTIONS.reduce((total, collection) => total + store.size(collection), 0);
    documents[part] = Math.max(documents[part], standing);
    if (steps++ % LOOK_EVERY === 0) {
      globalThis.gc?.();
      heap[part] = Math.max(heap[part], Math.round(process.memoryUsage().heapUsed / 1e6));
    }
    progress?.(records);
  };
  const inputs = new Map([['events', events(keys)]]);
  const records = await run({ embedded, inputs, clock, bundle: BATCH, progress: look });
  const total = (table: string): number => [...warehouse.rows(table)].reduce((all, { n }) => all + Number(n), 0);
  return {
    records,
    kept: total('kept_rows'),
    sums: total('sums_rows'),
    documents,
    heap,
    left: leftIn(store),
    deadLetters: store.size('deadLetters'),
    seconds: Math.round((performance.now() - begun) / 1000),
  };
}

function leftIn(store: MemoryStore): string[] {
  const documents = WORKING_COLLECTIONS.flatMap((collection) =>
    store.all(collection).map(({ id }) => `${collection}/${id}`),
  );
  const roots = store.all('roots').flatMap(({ id, body }) => {
    const { holds, open, eventDue, processingDue, cells } = body as Root;
    const isDone = holds.length === 0 && Object.keys(open).length === 0 && cells === 0;
    return isDone && eventDue === MAX_TIMESTAMP && processingDue === MAX_TIMESTAMP ? [] : [`roots/${id}`];
  });
  return [...documents, ...roots];
}
