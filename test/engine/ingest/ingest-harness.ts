/** One source of messages into one keyed stage, over a store and a bus that a test looks into. */
import { chainOf } from '../../../functions/engine/chain/stage-chain.ts';
import type { DeadLetter } from '../../../functions/engine/dead-letter.ts';
import { decodeBody, type Incoming } from '../../../functions/engine/element-codec.ts';
import { MessageIngest } from '../../../functions/engine/ingest/message-ingest.ts';
import type { SourceMessage } from '../../../functions/engine/ingest/source-message.ts';
import type { Root } from '../../../functions/engine/protocol/root.ts';
import type { ShardSetting } from '../../../functions/engine/shard/shard.ts';
import type { BundleCounts } from '../../../functions/engine/shard/work.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { SeededIds, VirtualClock } from '../../../functions/local/virtual-clock.ts';
import { count } from '../../../functions/model/combine.ts';
import { pipeline } from '../../../functions/model/pipeline.ts';
import type { PubSubSourceOptions } from '../../../functions/model/source.ts';
import { type EpochMillis, type Millis, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import { fixedWindows } from '../../../functions/model/windows.ts';
import { plan } from '../../../functions/plan/plan.ts';
import type { Envelope } from '../../../functions/ports/bus.ts';
import type { Store } from '../../../functions/ports/store.ts';

export interface Event {
  readonly key: string;
  readonly at: number;
  /** How many elements it becomes at ingest. Default 1. */
  readonly times?: number;
  readonly order?: string;
}

const schema = {
  parse(input: unknown): Event {
    if (typeof (input as Event | null)?.key !== 'string') throw new Error('key: expected a text');
    return input as Event;
  },
};

export const START = 1_000_000_000 as EpochMillis;

export interface HarnessOptions {
  readonly source?: Partial<PubSubSourceOptions<Event>>;
  readonly cadence?: number;
  /** Put between the engine and the store. */
  readonly around?: (store: MemoryStore) => Store;
}

export function ingestHarness(options: HarnessOptions = {}) {
  const graph = pipeline('events', (p) => {
    p.readPubSub('events', { schema, eventTime: ({ at }) => at, ...options.source })
      .flatMap('repeat', (event) => Array.from({ length: event.times ?? 1 }, () => event))
      .map('check', (event) => {
        if (event.key === 'poison') throw new Error('poison');
        return event;
      })
      .keyBy('by-key', ({ key }) => key)
      .window('minutely', fixedWindows('1m'))
      .combinePerKey('counts', count<Event>());
  });
  const planned = plan(graph, { shards: 1 });
  const clock = new VirtualClock(START);
  const ids = new SeededIds(1);
  const stored = new MemoryStore({ strict: true });
  const bus = new MemoryBus(ids);
  const counted: BundleCounts[] = [];
  const told: DeadLetter[] = [];
  const setting: ShardSetting = {
    pipeline: 'events',
    store: options.around?.(stored) ?? stored,
    bus,
    clock,
    ids,
    topology: 1,
    inputWatermarkOf: () => MIN_TIMESTAMP,
    counted: (_, counts) => counted.push(counts),
    deadLettered: (letters) => told.push(...letters),
  };
  const source = planned.sources[0]!;
  const start = (): MessageIngest =>
    new MessageIngest({
      source,
      setting,
      chain: chainOf(planned, source, setting.inputWatermarkOf),
      cadence: (options.cadence ?? 0) as Millis,
    });
  return {
    planned,
    clock,
    store: stored,
    bus,
    setting,
    counted,
    told,
    start,
    roots: (): Root[] => stored.all('roots').map(({ body }) => body as Root),
    letters: (): DeadLetter[] => stored.all('deadLetters').map(({ body }) => body as DeadLetter),
    envelopes: (): Envelope[] => bus.take().filter((message): message is Envelope => message.kind === 'envelope'),
  };
}

export function message(id: string, event: unknown, publishedAfter = 0): SourceMessage {
  return { id, publishTime: (START + publishedAfter) as EpochMillis, data: event, attributes: {} };
}

export function elementsOf(envelopes: readonly Envelope[]): Incoming[] {
  return envelopes.flatMap(({ body }) => decodeBody(body));
}
