/**
 * A pipeline under test: the engine itself, in one process, under a virtual clock. Time moves and watermarks advance only
 * when the test says so, and after each step everything has run as far as it can.
 */
import type { DeadLetter } from '../../engine/dead-letter.ts';
import { splitState } from '../../engine/ingest/split-reader.ts';
import { ingestRootId, shardId } from '../../engine/protocol/names.ts';
import { sinkState } from '../../engine/sink/sink-work.ts';
import type { Root } from '../../engine/protocol/root.ts';
import type { InspectedWindow } from '../../engine/stateful/inspect.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { type Graph, LATE_OUTPUT, MAIN_OUTPUT } from '../../model/graph.ts';
import type { Instant } from '../../model/instant.ts';
import type { Key } from '../../model/key.ts';
import type { LateRecord } from '../../model/late.ts';
import {
  type Duration,
  type EpochMillis,
  earlier,
  later,
  MAX_TIMESTAMP,
  MIN_TIMESTAMP,
  type Millis,
  millis,
  plus,
} from '../../model/time.ts';
import { type Plan, plan } from '../../plan/plan.ts';
import type { OutsideMessage } from '../../ports/bus.ts';
import type { Row } from '../../ports/warehouse.ts';
import { Embedded } from '../embedded.ts';
import { MemoryBus } from '../memory-bus.ts';
import { MemoryStore } from '../memory-store.ts';
import { MemoryWarehouse } from '../memory-warehouse.ts';
import { SeededIds, VirtualClock } from '../virtual-clock.ts';
import { MemoryPredictor } from '../memory-predictor.ts';
import { checkTest } from './check-options.ts';
import { Crash, Deaths, MortalStore } from './crash.ts';
import { checkRepeatable } from './ingest-check.ts';
import { KnownNames } from './known-names.ts';
import type { TestOptions, Troubles } from './test-options.ts';
import { instantOf, readRecords } from './test-source.ts';
import { stateOf } from './state-of.ts';
import { type Seen, seen, unwatched, watched } from './watch.ts';

/** What a lost message waits for before it is sent again. */
const MINUTE = 60_000 as Millis;
const MOST_ROUNDS = 100_000;
/** Documents that hold something of elements; none are left when all has ended. */
const KEPT_COLLECTIONS = ['cells', 'parts', 'outbox', 'ids', 'runs', 'views'] as const;

export class TestPipeline {
  readonly store = new MemoryStore({ strict: true });
  readonly plan: Plan;
  readonly #options: TestOptions;
  readonly #troubles: Troubles;
  readonly #deaths = new Deaths();
  readonly #clock: TestClock;
  readonly #bus: RememberingBus;
  readonly #warehouse = new MemoryWarehouse();
  readonly #ids: SeededIds;
  readonly #watermarks = new Map<string, EpochMillis>();
  readonly #sent = new Map<string, number>();
  readonly #names: KnownNames;
  #process: { readonly embedded: Embedded; readonly store: MortalStore | undefined };

  /** @internal Use `testPipeline`. */
  constructor(graph: Graph, options: TestOptions) {
    checkTest(graph, options);
    const { shards = 2, watch, troubles = {}, seed = 1, startAt = 0 } = options;
    this.#options = options;
    this.#troubles = troubles;
    this.#ids = new SeededIds(seed);
    this.#clock = new TestClock(instantOf('startAt', startAt));
    const { everyMessageTwice = false, lost = 0, reordered = false } = troubles;
    this.#bus = new RememberingBus(new SeededIds(seed + 1), {
      twice: everyMessageTwice ? 1 : 0,
      lost,
      shuffled: reordered,
    });
    const sources = graph.nodes.filter(({ kind }) => kind === 'source').map(({ name }) => name);
    const seenBy = watched(graph, watch === undefined ? undefined : new Set(watch));
    this.plan = plan(seenBy, { shards, files: new Set(sources) });
    this.#names = new KnownNames(this.plan);
    this.#process = this.#begin();
  }

  /** @internal */
  async start(): Promise<this> {
    await this.#surviving(() => this.#process.embedded.start());
    return this;
  }

  /** Processing time now. */
  get now(): number {
    return this.#clock.now();
  }

  /** What was read from and written to the store so far, in documents. */
  get documents(): { readonly reads: number; readonly writes: number; readonly deletes: number } {
    const { reads, writes, deletes } = this.store.counts;
    return { reads, writes, deletes };
  }

  /** Gives a source values, as one bundle. They go through its schema; their event times are as its options say. */
  async send(source: string, ...values: readonly unknown[]): Promise<void> {
    const { embedded } = this.#process;
    this.#names.source(source);
    const planned = this.plan.sources.find(({ id }) => id === source)!;
    const sent = this.#sent.get(source) ?? 0;
    const records = readRecords(embedded.decoder(source), values, sent + 1, this.#clock.now());
    if (this.#troubles.checkIngest) await checkRepeatable(this.plan, planned, records);
    this.#sent.set(source, sent + values.length);
    await this.#surviving(async () => {
      const taken = this.#position(source) - sent;
      if (taken === 0 || taken < records.length) await this.#ingest(source, records.slice(taken), false);
    });
    await this.#settle();
  }

  /** Moves the watermark of a source, or of all; it never moves back. */
  async advanceWatermark(to: Instant, source?: string): Promise<void> {
    if (source !== undefined) this.#names.source(source);
    await this.#advanceWatermark(instantOf('advanceWatermark(to)', to), source);
  }

  /** Ends a source, or all: their watermarks are at the end of time. */
  async advanceWatermarkToInfinity(source?: string): Promise<void> {
    if (source !== undefined) this.#names.source(source);
    await this.#advanceWatermark(MAX_TIMESTAMP, source);
  }

  /** Processing time passes, in one step. */
  async advanceProcessingTime(by: Duration): Promise<void> {
    this.#clock.advanceTo(plus(this.#clock.now(), millis('advanceProcessingTime(by)', by)));
    await this.#settle();
  }

  /** Ends all sources and lets time pass until nothing is left to do. */
  async drain(): Promise<void> {
    await this.advanceWatermarkToInfinity();
    for (let round = 0; round < MOST_ROUNDS && !this.#isAtRest(); round++) {
      const due = earlier(this.#process.embedded.nextProcessingDue(), plus(this.#clock.now(), 60 * MINUTE));
      this.#clock.advanceTo(later(due, plus(this.#clock.now(), MINUTE)));
      await this.#settle();
    }
    await this.#flush();
    await this.#process.embedded.deliver();
    await this.#process.embedded.stop();
  }

  /** What a transform has emitted so far, with timestamps, windows and panes. @param output a further output, by its tag's name */
  panes(transform: string, output: string = MAIN_OUTPUT): readonly Seen[] {
    this.#names.output(transform, output);
    if (this.#options.watch !== undefined && !this.#options.watch.includes(transform))
      throw new ConfigurationError(`'${transform}' is not watched; add it to { watch: […] }`);
    return seen(this.#bus.published, transform, output);
  }

  /** The values that a transform has emitted so far; `T` is believed. */
  outputs<T = unknown>(transform: string, output: string = MAIN_OUTPUT): readonly T[] {
    return this.panes(transform, output).map(({ value }) => value as T);
  }

  /** What came too late, of one step or of all. */
  late(step?: string): readonly LateRecord<unknown, unknown>[] {
    if (step !== undefined) this.#names.stage(step);
    const steps = step === undefined ? this.plan.stages.map(({ id }) => id) : [step];
    const read = steps.flatMap((name) => seen(this.#bus.published, name, LATE_OUTPUT).map(({ value }) => value));
    const letters = this.#letters().filter((letter) => letter.kind === 'late' && steps.includes(letter.stage));
    return [...(read as LateRecord<unknown, unknown>[]), ...letters.map(lateRecordOf)];
  }

  /** What failed for good. Late elements are not among it. */
  deadLetters(): readonly DeadLetter[] {
    return this.#letters().filter(({ kind }) => kind !== 'late');
  }

  /** Messages that the pipeline has published. */
  messages(topic: string): readonly OutsideMessage[] {
    this.#names.topic(topic);
    return unwatched(this.#bus.published).filter((message) => message.topic === topic);
  }

  /** The rows of a table. Writes what waits for it first. */
  async rows(table: string): Promise<readonly Row[]> {
    this.#names.table(table);
    await this.#flush();
    return [...this.#warehouse.rows(table)];
  }

  /**
   * What a stateful step keeps for a key, window by window, as its code would read it.
   * @throws {ConfigurationError} for a stage that is none
   */
  stateOf(stage: string, key: Key): Promise<readonly InspectedWindow[]> {
    return stateOf(this.store, this.plan.stage(stage), key, this.#clock.now());
  }

  /** The input watermark of a stage, epoch milliseconds. */
  inputWatermark(stage: string): number {
    this.#names.stage(stage);
    return this.#process.embedded.watermarks.input[stage] ?? MIN_TIMESTAMP;
  }

  /** The output watermark of a stage or source, epoch milliseconds. */
  outputWatermark(stage: string): number {
    this.#names.stageOrSource(stage);
    return this.#process.embedded.watermarks.output[stage] ?? MIN_TIMESTAMP;
  }

  /** The names of all documents that hold something of elements; empty when all has ended. */
  remains(): readonly string[] {
    return KEPT_COLLECTIONS.flatMap((collection) => this.store.all(collection).map(({ id }) => `${collection}/${id}`));
  }

  #letters(): DeadLetter[] {
    return this.store.all('deadLetters').map(({ body }) => body as DeadLetter);
  }

  #begin(): { readonly embedded: Embedded; readonly store: MortalStore | undefined } {
    const store = this.#troubles.crashAfterCommits ? new MortalStore(this.store, this.#deaths) : undefined;
    const { model } = this.#options;
    const embedded = new Embedded({
      plan: this.plan,
      store: store ?? this.store,
      bus: this.#bus,
      warehouse: this.#warehouse,
      clock: this.#clock,
      ids: this.#ids,
      ...(model === undefined ? {} : { predictor: new MemoryPredictor(model) }),
    });
    return { embedded, store };
  }

  /** Does something again in a new process as often as one dies over it. It must be safe to do again. */
  async #surviving(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
      await this.#bus.bringAgain();
      this.#process = this.#begin();
      await this.#surviving(() => this.#process.embedded.start());
    }
  }

  async #ingest(source: string, records: Parameters<Embedded['ingest']>[1], ended: boolean): Promise<void> {
    await this.#process.embedded.ingest(source, records, ended, this.#watermarks.get(source) ?? MIN_TIMESTAMP);
  }

  async #advanceWatermark(to: EpochMillis, only: string | undefined): Promise<void> {
    for (const { id } of this.plan.sources) {
      if (only !== undefined && id !== only) continue;
      this.#watermarks.set(id, later(this.#watermarks.get(id) ?? MIN_TIMESTAMP, to));
      const isThere = (): boolean => this.#splitOf(id).watermark >= to;
      await this.#surviving(async () => {
        if (!isThere()) await this.#ingest(id, [], to >= MAX_TIMESTAMP);
      });
    }
    await this.#settle();
  }

  #position(source: string): number {
    return this.#splitOf(source).position;
  }

  #splitOf(source: string): ReturnType<typeof splitState> {
    const stored = this.store.all('roots').find(({ id }) => id === ingestRootId(source, '0'));
    return splitState(stored!.body as Root);
  }

  /** Sweeps and delivers until that changes nothing any more. */
  async #settle(): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const before = this.store.counts.commits;
      await this.#surviving(async () => {
        await this.#process.embedded.deliver();
        await this.#process.embedded.sweep();
        await this.#process.embedded.deliver();
      });
      if (this.store.counts.commits > before) continue;
      for (const { id } of this.plan.sources) {
        const watermark = this.#watermarks.get(id) ?? MIN_TIMESTAMP;
        await this.#surviving(() => this.#process.embedded.settle(id, watermark));
      }
      if (!this.#mayLose || !this.#hasOpen()) return;
      this.#clock.advanceTo(plus(this.#clock.now(), MINUTE));
    }
    throw new Error(`pipeline '${this.plan.pipeline}' does not come to rest`);
  }

  get #mayLose(): boolean {
    return (this.#troubles.lost ?? 0) > 0 || this.#troubles.crashAfterCommits === true;
  }

  /** Writes what waits for tables; what a dead process was about to write, when it is no longer believed to be at it. */
  async #flush(): Promise<void> {
    await this.#surviving(() => this.#process.embedded.flush());
    while (this.#isWriting()) {
      this.#clock.advanceTo(plus(this.#clock.now(), MINUTE));
      await this.#settle();
      await this.#surviving(() => this.#process.embedded.flush());
    }
  }

  #isWriting(): boolean {
    const tables = this.plan.stages.filter(({ head }) => head.kind === 'writeBigQuery').map(({ id }) => shardId(id, 0));
    return this.#roots().some((root) => tables.includes(root.id) && sinkState(root).claim !== null);
  }

  #roots(): Root[] {
    return this.store.all('roots').map(({ body }) => body as Root);
  }

  #hasOpen(): boolean {
    return this.#roots().some(({ open, outside }) => Object.keys(open).length + outside.length > 0);
  }

  #isAtRest(): boolean {
    const ended = this.plan.stages.every(({ id }) => this.outputWatermark(id) >= MAX_TIMESTAMP);
    return ended && !this.#hasOpen() && this.store.size('outbox') === 0;
  }
}

function lateRecordOf({
  key,
  value,
  count,
  timestamp,
  windows,
  watermark,
  code,
}: DeadLetter): LateRecord<unknown, unknown> {
  const reason = code === 'LATE_EXPIRED' ? 'expired' : 'closed';
  return { key, value, count, timestamp: timestamp!, window: windows![0]!, watermark: watermark!, reason };
}

/** Waits between tries take no time, since nobody moves the clock while a bundle runs. */
/** Nobody waits on it in earnest, and nothing that is waited for takes time: what may be cut short, as a timeout, is. */
class TestClock extends VirtualClock {
  override sleep(_delay: Millis, signal?: AbortSignal): Promise<void> {
    if (signal === undefined || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }
}

/** Brings again what a process has taken and died over. */
class RememberingBus extends MemoryBus {
  #taken: ReturnType<MemoryBus['take']> = [];

  override take(...how: Parameters<MemoryBus['take']>): ReturnType<MemoryBus['take']> {
    this.#taken = super.take(...how);
    return this.#taken;
  }

  async bringAgain(): Promise<void> {
    await this.send(this.#taken);
    this.#taken = [];
  }
}
