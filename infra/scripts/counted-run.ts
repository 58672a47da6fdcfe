/**
 * Counts what a pipeline does for a while at a steady rate of events: the real engine on in-memory ports under a virtual
 * clock. Whatever arrives between two commits is one bundle, as group commit makes it; sweeps come every five seconds, as
 * busy instances make them.
 */
import type { SourceMessage } from '../../functions/engine/ingest/source-message.ts';
import { encodeMessage } from '../../functions/cloud/pubsub/message.ts';
import { parseShardId } from '../../functions/engine/protocol/names.ts';
import { Embedded } from '../../functions/local/embedded.ts';
import { MemoryBus } from '../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../functions/local/memory-store.ts';
import { MemoryWarehouse } from '../../functions/local/memory-warehouse.ts';
import { SeededIds, VirtualClock } from '../../functions/local/virtual-clock.ts';
import type { Graph } from '../../functions/model/graph.ts';
import { type EpochMillis, plus } from '../../functions/model/time.ts';
import { COMMIT_INTERVAL, EVENTS_AN_INSTANCE } from '../../functions/plan/operations.ts';
import { plan } from '../../functions/plan/plan.ts';
import { PRICES } from '../../functions/plan/prices.ts';
import type { BusMessage } from '../../functions/ports/bus.ts';
import type { MergeJob, MergeOutcome } from '../../functions/ports/warehouse.ts';

/** What happened, per second. */
export interface Counted {
  readonly events: number;
  /** Pushes of envelopes and ticks to stages. */
  readonly stagePushes: number;
  /** Of stages, published and delivered, each request with its minimum. */
  readonly stageBytes: number;
  readonly reads: number;
  readonly writes: number;
  readonly deletes: number;
  readonly merges: number;
}

export interface CountedRunOptions {
  readonly graph: Graph;
  readonly eventsPerSecond: number;
  /** An event that happens at `now`. */
  readonly event: (ids: SeededIds, now: EpochMillis) => unknown;
  /** Counted, in virtual seconds; so long that windows open and close. */
  readonly seconds: number;
  /** Before that, not counted, so that caches and cells are there. */
  readonly warmUpSeconds: number;
}

const START = Date.UTC(2026, 0, 1) as EpochMillis;
const SWEEP_SECONDS = 5;
const { leastBytesARequest } = PRICES.pubSub;

export async function countedRun(options: CountedRunOptions): Promise<Counted> {
  const { graph, eventsPerSecond, seconds, warmUpSeconds } = options;
  const clock = new VirtualClock(START);
  const ids = new SeededIds(1);
  const planned = plan(graph);
  const instances = Math.max(1, Math.ceil(eventsPerSecond / EVENTS_AN_INSTANCE));
  const store = new MemoryStore();
  const bus = new CountingBus(planned.pipeline, new SeededIds(2));
  const warehouse = new CountingWarehouse();
  const embedded = new Embedded({ plan: planned, store, bus, warehouse, clock, ids: new SeededIds(3), instances });
  await embedded.start();

  const step = Math.max(COMMIT_INTERVAL, 1 / eventsPerSecond);
  let events = 0;
  let swept = 0;
  const runUntil = async (end: number): Promise<void> => {
    for (let at = (clock.now() - START) / 1_000 + step; at <= end; at += step) {
      clock.advanceTo(plus(START, Math.round(at * 1_000)));
      const due = Math.floor(at * eventsPerSecond) - events;
      const offers = Array.from({ length: due }, (_, i) => {
        const message: SourceMessage = {
          id: String(events + i),
          publishTime: clock.now(),
          data: options.event(ids, clock.now()),
          attributes: {},
        };
        return embedded.offer(planned.sources[0]!.id, message, i % instances);
      });
      events += due;
      await Promise.all(offers);
      await embedded.deliver();
      if (at - swept < SWEEP_SECONDS) continue;
      swept = at;
      await embedded.sweep();
      await embedded.deliver();
      // In the cloud, whose turn it is to sweep is read and written.
      store.counts.reads += 1;
      store.counts.writes += 1;
    }
  };
  await runUntil(warmUpSeconds);
  const before = { ...store.counts, pushes: bus.pushes, bytes: bus.bytes, merges: warehouse.merges, events };
  await runUntil(warmUpSeconds + seconds);
  await embedded.stop();
  const perSecond = (total: number, atFirst: number): number => (total - atFirst) / seconds;
  return {
    events: perSecond(events, before.events),
    stagePushes: perSecond(bus.pushes, before.pushes),
    stageBytes: perSecond(bus.bytes, before.bytes),
    reads: perSecond(store.counts.reads, before.reads),
    writes: perSecond(store.counts.writes, before.writes),
    deletes: perSecond(store.counts.deletes, before.deletes),
    merges: perSecond(warehouse.merges, before.merges),
  };
}

/** Counts as Pub/Sub bills: a publish request a topic, a push a message. */
class CountingBus extends MemoryBus {
  readonly #pipeline: string;
  pushes = 0;
  bytes = 0;

  constructor(pipeline: string, ids: SeededIds) {
    super(ids);
    this.#pipeline = pipeline;
  }

  override async send(messages: readonly BusMessage[]): Promise<void> {
    const published = new Map<string, number>();
    for (const message of messages) {
      const { data, attributes } = encodeMessage(message, this.#pipeline);
      const bytes = data.length + JSON.stringify(attributes).length;
      const { stage } = parseShardId(message.target);
      published.set(stage, (published.get(stage) ?? 0) + bytes);
      this.pushes += 1;
      this.bytes += Math.max(leastBytesARequest, bytes);
    }
    for (const bytes of published.values()) this.bytes += Math.max(leastBytesARequest, bytes);
    await super.send(messages);
  }
}

class CountingWarehouse extends MemoryWarehouse {
  merges = 0;

  override async merge(job: MergeJob): Promise<MergeOutcome> {
    this.merges += 1;
    return super.merge(job);
  }
}
