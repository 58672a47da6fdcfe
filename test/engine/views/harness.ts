/** Drives a pipeline step by step through the embedded engine, under a virtual clock. */
import { Embedded } from '../../../functions/local/embedded.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { MemoryWarehouse } from '../../../functions/local/memory-warehouse.ts';
import { SeededIds, VirtualClock } from '../../../functions/local/virtual-clock.ts';
import type { Graph } from '../../../functions/model/graph.ts';
import type { PCollection } from '../../../functions/model/collection.ts';
import type { Pipeline } from '../../../functions/model/pipeline.ts';
import { boundedOutOfOrderness } from '../../../functions/model/source.ts';
import { epochMillis, type EpochMillis } from '../../../functions/model/time.ts';
import type { DeadLetter } from '../../../functions/engine/dead-letter.ts';
import type { OpenSource } from '../../../functions/engine/views/loader.ts';
import type { Root } from '../../../functions/engine/protocol/root.ts';
import { plan } from '../../../functions/plan/plan.ts';
import type { BusMessage } from '../../../functions/ports/bus.ts';
import type { Store } from '../../../functions/ports/store.ts';

/** An element, or (without value) only a mark that moves the source's watermark. */
export interface Record<T> {
  readonly at: number;
  readonly value?: T;
}

/** A source whose watermark is the largest time that it was given. */
export function source<T>(p: Pipeline, name: string): PCollection<T> {
  return p
    .readFile<Record<T>>(name, {
      schema: { parse: (input) => input as Record<T> },
      eventTime: ({ at }) => at,
      watermark: boundedOutOfOrderness(0),
      maxAhead: '300000d',
    })
    .filter(`${name}-elements`, ({ value }) => value !== undefined)
    .map(`${name}-values`, ({ value }) => value as T);
}

/** Where a test reads what came out. */
export function capture<T>(collection: PCollection<T>, name = 'out'): void {
  collection.writePubSub(name, {
    data: (value, { timestamp, window }) => ({ value, timestamp, window: [window.start, window.end] }),
  });
}

export interface Captured {
  readonly value: unknown;
  readonly timestamp: number;
  readonly window: readonly [number, number];
}

export interface HarnessOptions {
  readonly shards?: number;
  /** Whether the store copies what it is given. Default true. */
  readonly strict?: boolean;
  /** What this one takes over from: the same store, other instances. */
  readonly after?: Harness;
  readonly clock?: VirtualClock;
  /** Opens the sources of views that refresh. */
  readonly openSource?: OpenSource;
  /** Wraps the store, to count or to make trouble. */
  readonly wrap?: (store: MemoryStore) => Store;
}

export class Harness {
  readonly store: MemoryStore;
  readonly clock: VirtualClock;
  readonly bus: MemoryBus;
  readonly embedded: Embedded;
  /** Messages that the bus loses. */
  lose: (message: BusMessage) => boolean = () => false;
  readonly #records = new Map<string, number>();

  private constructor(graph: Graph, options: HarnessOptions) {
    const { shards = 2, wrap, strict = true, after, clock = new VirtualClock(epochMillis(0)) } = options;
    this.clock = clock;
    this.store = after?.store ?? new MemoryStore({ strict });
    const ids = after === undefined ? new SeededIds(1) : new SeededIds(2, 'second');
    this.bus = new MemoryBus(ids);
    const send = this.bus.send.bind(this.bus);
    this.bus.send = (messages) => send(messages.filter((message) => !this.lose(message)));
    this.embedded = new Embedded({
      plan: plan(graph, { shards }),
      store: wrap?.(this.store) ?? this.store,
      bus: this.bus,
      warehouse: new MemoryWarehouse(),
      clock: this.clock,
      ids,
      ...(options.openSource === undefined ? {} : { openSource: options.openSource }),
    });
  }

  static async start(graph: Graph, options: HarnessOptions = {}): Promise<Harness> {
    const harness = new Harness(graph, options);
    await harness.embedded.start();
    return harness;
  }

  /** Gives a source records, as one bundle, and lets everything run as far as it goes without time passing. */
  async send(name: string, ...records: Record<unknown>[]): Promise<void> {
    await this.#ingest(name, records, false);
    await this.settle();
  }

  /** Moves a source's watermark. */
  async watermark(name: string, at: number): Promise<void> {
    await this.send(name, { at });
  }

  async end(...names: string[]): Promise<void> {
    for (const name of names) await this.#ingest(name, [], true);
    await this.settle();
  }

  /** Processing time passes. */
  async advance(millis: number): Promise<void> {
    this.clock.advanceTo(epochMillis(this.clock.now() + millis));
    await this.settle();
  }

  /** Lets who waits on the clock go on, until `work` is done. */
  wakeSleepers(work: Promise<unknown>): void {
    let done = false;
    const over = (): void => {
      done = true;
    };
    work.then(over, over);
    const wake = (): void => {
      if (done) return;
      const next = this.clock.nextWake();
      if (next !== undefined) this.clock.advanceTo(next);
      setImmediate(wake);
    };
    wake();
  }

  /** Sweeps and delivers until that changes nothing any more. */
  async settle(): Promise<void> {
    await this.embedded.deliver();
    for (let round = 0; round < 100; round++) {
      const before = this.store.counts.commits;
      await this.embedded.sweep();
      await this.embedded.deliver();
      if (this.store.counts.commits === before) return;
    }
    throw new Error('the pipeline does not come to rest');
  }

  /** All inputs end, and time passes until nothing is left to do. */
  async finish(...names: string[]): Promise<void> {
    await this.end(...names);
    for (let minute = 0; minute < 5; minute++) {
      await this.advance(60_000);
      for (const name of names) await this.embedded.settle(name);
    }
    await this.embedded.stop();
  }

  /** Messages of a topic; what was published again under the same id counts once. */
  out(topic = 'out'): Captured[] {
    const messages = this.bus.published.filter((message) => message.topic === topic);
    const byId = new Map(messages.map(({ attributes, data }) => [attributes['id'], JSON.parse(data) as Captured]));
    return [...byId.values()];
  }

  values(topic = 'out'): unknown[] {
    return this.out(topic).map(({ value }) => value);
  }

  deadLetters(): DeadLetter[] {
    return this.store.all('deadLetters').map(({ body }) => body as DeadLetter);
  }

  /** Documents that hold state of elements; empty once everything has ended. */
  remains(): string[] {
    return (['cells', 'parts', 'runs', 'views', 'ids'] as const).flatMap((collection) =>
      this.store.all(collection).map(({ id }) => `${collection}/${id}`),
    );
  }

  root(id: string): Root {
    return this.store.all('roots').find((document) => document.id === id)!.body as Root;
  }

  async outputWatermark(stage: string): Promise<EpochMillis | undefined> {
    const { watermarks } = await this.embedded.sweep();
    return watermarks.output[stage];
  }

  async #ingest(name: string, values: readonly unknown[], ended: boolean): Promise<void> {
    const decoder = this.embedded.decoder(name);
    const records = values.map((value) => {
      const number = (this.#records.get(name) ?? 0) + 1;
      this.#records.set(name, number);
      const raw = { value, id: String(number), arrival: this.clock.now() };
      return { raw, decoded: decoder.decode(raw) };
    });
    await this.embedded.ingest(name, records, ended);
  }
}
