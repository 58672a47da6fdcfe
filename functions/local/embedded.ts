/**
 * A whole pipeline in one process: the engine over in-memory ports, driven step by step by whoever owns it (the runner,
 * the testing kit). Nothing happens between steps, so a run under a virtual clock is repeatable.
 */
import { type AssemblySetting, assembleShard, viewReader } from '../engine/assembly.ts';
import { chainOf } from '../engine/chain/stage-chain.ts';
import type { Chain } from '../engine/chain/chain.ts';
import { type ReadRecord, SplitReader } from '../engine/ingest/split-reader.ts';
import type { SourceMessage } from '../engine/ingest/source-message.ts';
import { SourceDecoder } from '../engine/ingest/source-decoder.ts';
import { parseShardId, type RootId } from '../engine/protocol/names.ts';
import type { Root, SettledFacts } from '../engine/protocol/root.ts';
import type { Watermarks } from '../engine/protocol/watermarks.ts';
import type { Shard } from '../engine/shard/shard.ts';
import { type BundleCounts, noCounts } from '../engine/shard/work.ts';
import type { EnrichCaller } from '../engine/enrich/caller.ts';
import type { Flusher } from '../engine/sink/flusher.ts';
import type { OpenSource } from '../engine/views/loader.ts';
import { dueTime, type FlushPolicy } from '../engine/sink/sink-state.ts';
import { sinkState } from '../engine/sink/sink-work.ts';
import { type SweepResult, Sweeper } from '../engine/sweep/sweeper.ts';
import { type EpochMillis, earlier, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../model/time.ts';
import type { Plan, PlannedSource, Stage } from '../plan/plan.ts';
import type { BusMessage } from '../ports/bus.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { Predictor } from '../ports/predictor.ts';
import type { Warehouse } from '../ports/warehouse.ts';
import type { Store } from '../ports/store.ts';
import { MemoryBacklog } from './memory-backlog.ts';
import type { MemoryBus } from './memory-bus.ts';
import { MessageSources } from './message-sources.ts';

export interface EmbeddedOptions {
  readonly plan: Plan;
  readonly store: Store;
  readonly bus: MemoryBus;
  readonly warehouse: Warehouse;
  /** Asks models; needed where the pipeline has any. */
  readonly predictor?: Predictor;
  /** Whether somebody moves the clock while calls to models are under way, so that they may wait. Default false. */
  readonly waits?: boolean;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Default 1. */
  readonly epoch?: number;
  /** Default 1. */
  readonly topology?: number;
  /** Whether tables are flushed by age; a run whose tables nobody reads before its end may leave it. Default true. */
  readonly flushByAge?: boolean;
  /** Ingest instances of each source of messages. Default 1. */
  readonly instances?: number;
  /** Of the sources of messages. Default: one that is exact at any time. */
  readonly backlog?: MemoryBacklog;
  /** Opens the sources of views that refresh. */
  readonly openSource?: OpenSource;
}

const SPLIT = '0';
/** Characters that are delivered to shards at a time. */
const MOST_UNDER_WAY = 2_000_000;
/** A flush into memory costs little, and its rows should not grow old. */
const ROWS_IN_MEMORY = 5_000;

export class Embedded {
  readonly plan: Plan;
  /** What all stages and sources of messages have counted, by their names. */
  readonly counts = new Map<string, BundleCounts>();
  readonly #options: EmbeddedOptions;
  readonly #setting: AssemblySetting;
  readonly #shards = new Map<string, Shard>();
  readonly #processingDue = new Map<string, EpochMillis>();
  readonly #flushers: Flusher[] = [];
  readonly #callers: EnrichCaller[] = [];
  readonly #readers = new Map<string, SplitReader>();
  readonly #decoders = new Map<string, SourceDecoder>();
  readonly #messages: MessageSources;
  readonly #chains: Chain[] = [];
  readonly #sweeper: Sweeper;
  readonly #pending = new Set<Promise<void>>();
  /** Which of two messages' stages comes later in the pipeline. */
  readonly #isLater: (one: BusMessage, other: BusMessage) => number;
  #settled: ReadonlyMap<RootId, SettledFacts> = new Map();
  #failure: unknown;

  constructor(options: EmbeddedOptions) {
    const {
      plan,
      store,
      bus,
      warehouse,
      clock,
      ids,
      epoch = 1,
      topology = 1,
      flushByAge = true,
      instances = 1,
    } = options;
    const { backlog = new MemoryBacklog(clock), predictor, waits = false, openSource } = options;
    this.plan = plan;
    this.#options = options;
    const place = new Map(plan.stages.map(({ id }, i) => [id, i]));
    const placeOf = ({ target }: BusMessage): number => place.get(parseShardId(target).stage) ?? 0;
    this.#isLater = (one, other) => placeOf(other) - placeOf(one);
    this.#sweeper = new Sweeper({ plan, store, bus, clock, backlog, epoch, topology });
    const inputWatermarkOf = (stage: string): EpochMillis => this.#sweeper.watermarks.input[stage] ?? MIN_TIMESTAMP;
    const counted = (stage: string, counts: BundleCounts): void => this.#count(stage, counts);
    const byAge = (own: FlushPolicy): FlushPolicy =>
      flushByAge ? own : { ...own, rows: Math.min(own.rows, ROWS_IN_MEMORY), every: MAX_TIMESTAMP };
    const ports = { store, bus, warehouse, clock, ids, views: viewReader(plan, store) };
    const facts = { pipeline: plan.pipeline, topology, epoch, waits };
    const asks = {
      ...(predictor === undefined ? {} : { predictor }),
      ...(openSource === undefined ? {} : { openSource }),
    };
    this.#setting = { ...ports, ...facts, ...asks, inputWatermarkOf, counted, flushPolicy: byAge };
    for (const stage of plan.stages) {
      this.counts.set(stage.id, noCounts());
      for (let shard = 0; shard < stage.shards; shard++) this.#addShard(stage, shard);
    }
    for (const source of plan.sources) {
      if (source.reader === 'splits') this.#addSplit(source);
      else this.counts.set(source.id, noCounts());
    }
    this.#messages = new MessageSources(plan, this.#setting, backlog, instances);
    this.#chains.push(...this.#messages.chains);
  }

  /** Sets up the steps and opens the sources. */
  async start(): Promise<void> {
    for (const chain of this.#chains) await chain.setup();
    for (const reader of this.#readers.values()) await reader.open();
  }

  async stop(): Promise<void> {
    for (const chain of this.#chains) await chain.teardown();
  }

  /** The newest published watermarks. */
  get watermarks(): Watermarks {
    return this.#sweeper.watermarks;
  }

  decoder(source: string): SourceDecoder {
    return this.#decoders.get(source)!;
  }

  /**
   * Commits records of a source; what they send waits on the bus.
   * @param watermark the source's from now on, whatever its policy says
   */
  async ingest(source: string, records: readonly ReadRecord[], ended: boolean, watermark?: EpochMillis): Promise<void> {
    let taken = 0;
    do taken += await this.ingestSome(source, records.slice(taken), ended, watermark);
    while (taken < records.length);
  }

  /**
   * Commits records in one commit, as far as what they send is not too much for one.
   * @returns how many were taken, from the first on
   */
  ingestSome(source: string, records: readonly ReadRecord[], ended: boolean, watermark?: EpochMillis): Promise<number> {
    const reader = this.#readers.get(source)!;
    return reader.commit(records, ended, this.#settled.get(reader.id), watermark);
  }

  /**
   * Delivers a message of a source that is not read by position, to one of its instances. What it sends waits on the bus.
   * @returns when it was acknowledged; rejects when it has to be delivered again
   */
  offer(source: string, message: SourceMessage, instance = 0): Promise<void> {
    return this.#messages.offer(source, message, instance);
  }

  /** Lets a source that has ended drop what sweeps have found to be taken; instances that take messages learn it themselves. */
  async settle(source: string, watermark?: EpochMillis): Promise<void> {
    const reader = this.#readers.get(source);
    const facts = reader && this.#settled.get(reader.id);
    if (reader !== undefined && (facts !== undefined || reader.hasOutside))
      await reader.commit([], reader.state.ended, facts, watermark);
  }

  /** Computes watermarks; the ticks wait on the bus. */
  async sweep(): Promise<SweepResult> {
    const result = await this.#sweeper.sweep();
    this.#settled = result.settled;
    return result;
  }

  /**
   * Delivers until the bus is empty and every shard is idle. Of much that waits, what is for the last stages goes first and
   * a part at a time, so that what waits between stages stays bounded.
   * @throws what a shard could not get over
   */
  async deliver(): Promise<void> {
    for (;;) {
      const messages = this.#options.bus.take(MOST_UNDER_WAY, this.#isLater);
      if (messages.length === 0 && this.#pending.size === 0) break;
      for (const message of messages) {
        const shard = this.#shards.get(message.target);
        if (shard !== undefined) this.#track(shard.offer(message));
      }
      while (this.#pending.size > 0) await Promise.all(this.#pending);
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Shows everything that waits to its models, and writes everything that waits for a table. */
  async flush(): Promise<void> {
    for (const caller of this.#callers) await caller.flush();
    if (this.#callers.length > 0) await this.deliver();
    for (const flusher of this.#flushers) await flusher.flushAll();
  }

  /** When the next processing-time timer of any shard is due. */
  nextProcessingDue(): EpochMillis {
    let next: EpochMillis = MAX_TIMESTAMP;
    for (const due of this.#processingDue.values()) next = earlier(next, due);
    return next;
  }

  #addShard(stage: Stage, number: number): void {
    const assembled = assembleShard(this.plan, stage, number, this.#setting);
    const { shard } = assembled;
    this.#shards.set(shard.id, shard);
    if (assembled.kind === 'keyed') {
      this.#chains.push(assembled.chain);
      shard.onCommitted = (root) => this.#processingDue.set(root.id, root.processingDue);
      return;
    }
    if (assembled.kind === 'view') {
      shard.onCommitted = (root) => {
        this.#processingDue.set(root.id, root.processingDue);
        this.#track(assembled.publisher.committed(root));
      };
      if (assembled.chain !== undefined) this.#chains.push(assembled.chain);
      return;
    }
    if (assembled.kind === 'enrich') {
      const { caller } = assembled;
      this.#chains.push(assembled.chain);
      this.#callers.push(caller);
      shard.onCommitted = (root) => {
        this.#processingDue.set(root.id, root.processingDue);
        const driven = caller.isDue(root) ? caller.drive() : undefined;
        if (driven !== undefined) this.#track(driven);
      };
      return;
    }
    const { flusher, policy } = assembled;
    this.#flushers.push(flusher);
    shard.onCommitted = (root) => this.#flushWhenDue(root, flusher, policy);
  }

  #addSplit(source: PlannedSource): void {
    const chain = chainOf(this.plan, source, this.#setting.inputWatermarkOf);
    this.#chains.push(chain);
    this.#readers.set(source.id, new SplitReader(source, SPLIT, this.#setting, chain));
    this.#decoders.set(source.id, new SourceDecoder(source.id, source.node.source));
  }

  #flushWhenDue(root: Root, flusher: Flusher, policy: FlushPolicy): void {
    const state = sinkState(root);
    const due = dueTime(state, policy);
    this.#processingDue.set(root.id, due);
    if (due <= root.processingTime) this.#track(flusher.flushDue());
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }

  #count(stage: string, counts: BundleCounts): void {
    const total = this.counts.get(stage)!;
    total.elements += counts.elements;
    total.duplicates += counts.duplicates;
    total.late += counts.late;
    total.deadLetters += counts.deadLetters;
    total.panes.EARLY += counts.panes.EARLY;
    total.panes.ON_TIME += counts.panes.ON_TIME;
    total.panes.LATE += counts.panes.LATE;
  }
}
