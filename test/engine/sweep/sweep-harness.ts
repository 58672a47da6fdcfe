/** A sweep over roots that a test makes by hand: one source of messages, one of splits, one stage of two shards. */
import { messageState } from '../../../functions/engine/ingest/message-state.ts';
import type { SourceActivity } from '../../../functions/engine/ingest/source-watermark.ts';
import { ingestRootId, outboxId, type RootId } from '../../../functions/engine/protocol/names.ts';
import { newRoot, type Root, RootDraft } from '../../../functions/engine/protocol/root.ts';
import { Sweeper } from '../../../functions/engine/sweep/sweeper.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { SeededIds, VirtualClock } from '../../../functions/local/virtual-clock.ts';
import { count } from '../../../functions/model/combine.ts';
import { pipeline } from '../../../functions/model/pipeline.ts';
import { boundedOutOfOrderness, type PubSubSourceOptions } from '../../../functions/model/source.ts';
import { type EpochMillis, plus } from '../../../functions/model/time.ts';
import { fixedWindows } from '../../../functions/model/windows.ts';
import { plan } from '../../../functions/plan/plan.ts';
import type { Backlog, BacklogSample } from '../../../functions/ports/backlog.ts';
import type { Envelope, OutsideMessage } from '../../../functions/ports/bus.ts';

export const START = 1_000_000_000 as EpochMillis;
export const MINUTE = 60_000;
const schema = { parse: (value: unknown) => value };

export function sweepHarness(source: Partial<PubSubSourceOptions<unknown>> = {}) {
  const graph = pipeline('swept', (p) => {
    const events = p.readPubSub('events', { schema, watermark: boundedOutOfOrderness('1m'), ...source });
    p.flatten('all', events, p.readFile('file', { schema, path: 'file.jsonl' }))
      .keyBy('by-nothing', () => null)
      .window('minutely', fixedWindows('1m'))
      .combinePerKey('counts', count());
  });
  const planned = plan(graph, { shards: 2 });
  const clock = new VirtualClock(START);
  const store = new MemoryStore({ strict: true });
  const bus = new MemoryBus(new SeededIds(1));
  let sample: BacklogSample | Error | undefined;
  const backlog: Backlog = {
    sample: async () => {
      if (sample instanceof Error) throw sample;
      return sample;
    },
  };
  const put = async (root: Root, outbox: readonly number[] = [], outside: readonly OutsideMessage[] = []) => {
    const documents = outbox.map((number) => {
      const envelopes: Envelope[] = [];
      return { collection: 'outbox' as const, id: outboxId(root.id, number), body: { envelopes, outside } };
    });
    await store.commit({
      preconditions: [],
      sets: [{ collection: 'roots', id: root.id, body: root }, ...documents],
      deletes: [],
    });
  };
  return {
    planned,
    clock,
    store,
    bus,
    put,
    sample: (next: BacklogSample | Error | undefined) => {
      sample = next;
    },
    sweeper: () => new Sweeper({ plan: planned, store, bus, clock, backlog }),
    root: (id: RootId): Root | undefined =>
      store.all('roots').find((document) => document.id === id)?.body as Root | undefined,
    ids: (collection: 'roots' | 'outbox' | 'settled'): string[] => store.all(collection).map(({ id }) => id),
    advance: (millis: number) => clock.advanceTo(plus(clock.now(), millis)),
  };
}

/** An ingest root that has given numbers 1 and 2 to one shard and 1 to the other, written at `at`. */
export function instanceRoot(incarnation: string, at: EpochMillis, activity?: SourceActivity): Root {
  const draft = new RootDraft(newRoot(ingestRootId('events', incarnation), 1));
  draft.processingTime = at;
  draft.give('counts~0', at, draft.nextDocument());
  const second = draft.nextDocument();
  draft.give('counts~0', at, second);
  draft.give('counts~1', at, second);
  draft.extra = activity ?? messageState({});
  return draft.finish('n', 1);
}

/** A shard that has taken numbers of senders. */
export function shardRoot(shard: number, taken: Readonly<Record<RootId, readonly number[]>>): Root {
  const draft = new RootDraft(newRoot(`counts~${shard}`, 1));
  for (const sender in taken) for (const number of taken[sender]!) draft.take(sender, number);
  return draft.finish('n', 1);
}
