import type { DeadLetter } from '../../functions/engine/dead-letter.ts';
import { readDeadLetter } from '../../functions/engine/dead-letter-document.ts';
import type { ReadRecord } from '../../functions/engine/ingest/split-reader.ts';
import { Embedded, type EmbeddedOptions } from '../../functions/local/embedded.ts';
import { MemoryBacklog } from '../../functions/local/memory-backlog.ts';
import { MemoryBus } from '../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../functions/local/memory-store.ts';
import { MemoryWarehouse } from '../../functions/local/memory-warehouse.ts';
import { SeededIds, VirtualClock } from '../../functions/local/virtual-clock.ts';
import type { Graph } from '../../functions/model/graph.ts';
import { type EpochMillis, MIN_TIMESTAMP, plus } from '../../functions/model/time.ts';
import type { LetterFilter } from '../../functions/operate/dead-letters/filter.ts';
import { findLetters } from '../../functions/operate/dead-letters/letters.ts';
import type { Patch } from '../../functions/operate/replay/patch.ts';
import { replayLetters, type ReplayOptions } from '../../functions/operate/replay/replay-letters.ts';
import type { ReplayOutcome, ReplaySetting } from '../../functions/operate/replay/replayer.ts';
import { type Plan, plan } from '../../functions/plan/plan.ts';
import type { Warehouse } from '../../functions/ports/warehouse.ts';

const START = 1_700_100_000_000 as EpochMillis;

/** A pipeline that a test feeds, sweeps and operates step by step. */
export class Driven {
  readonly clock = new VirtualClock(START);
  readonly store = new MemoryStore({ strict: true });
  readonly ids = new SeededIds(7);
  readonly bus = new MemoryBus(new SeededIds(3));
  readonly backlog = new MemoryBacklog(this.clock);
  readonly warehouse: MemoryWarehouse & Warehouse;
  readonly plan: Plan;
  readonly embedded: Embedded;
  #records = 0;

  /** @param sources whether they are read as files, or take messages */
  constructor(
    graph: Graph,
    warehouse = new MemoryWarehouse(),
    more: Partial<EmbeddedOptions> = {},
    sources: 'files' | 'messages' = 'files',
  ) {
    this.warehouse = warehouse;
    const names = graph.nodes.filter(({ kind }) => kind === 'source').map(({ name }) => name);
    this.plan = plan(graph, { files: new Set(sources === 'files' ? names : []), shards: 2 });
    const { store, bus, clock, ids, backlog } = this;
    this.embedded = new Embedded({ plan: this.plan, store, bus, warehouse, clock, ids, backlog, ...more });
  }

  async start(): Promise<this> {
    await this.embedded.start();
    return this;
  }

  /** Feeds values to a source and lets all of it be taken. A text stands for a line that is no JSON. */
  async feed(source: string, values: readonly unknown[], ended = false): Promise<void> {
    await this.embedded.ingest(
      source,
      values.map((value) => this.#read(source, value)),
      ended,
    );
    await this.settle();
  }

  /** Delivers and sweeps until nothing moves. */
  async settle(): Promise<void> {
    for (let i = 0; i < 6; i++) {
      await this.embedded.deliver();
      await this.embedded.sweep();
      await this.embedded.deliver();
    }
  }

  async pass(millis: number): Promise<void> {
    this.clock.advanceTo(plus(this.clock.now(), millis));
    await this.settle();
  }

  /** Moves time along until something that sleeps has come to its end. */
  async until<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    const noted = work.finally(() => {
      ended = true;
    });
    while (!ended) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = this.clock.nextWake();
      if (next !== undefined) this.clock.advanceTo(next);
    }
    return noted;
  }

  async letters(filter: LetterFilter = {}): Promise<DeadLetter[]> {
    const letters: DeadLetter[] = [];
    for await (const { letter } of findLetters(this.store, filter)) letters.push(letter);
    return letters;
  }

  /** Every letter that was ever written. */
  async allLetters(): Promise<DeadLetter[]> {
    return Promise.all(this.store.all('deadLetters').map((stored) => readDeadLetter(this.store, stored)));
  }

  async replay(options: Partial<ReplayOptions> = {}, patch?: Patch, graphPlan = this.plan): Promise<ReplayOutcome[]> {
    const outcomes: ReplayOutcome[] = [];
    const setting = this.replaySetting(graphPlan, patch);
    for await (const outcome of replayLetters(setting, { filter: {}, ...options })) outcomes.push(outcome);
    await this.settle();
    return outcomes;
  }

  replaySetting(graphPlan = this.plan, patch?: Patch): ReplaySetting {
    const { store, bus, clock, ids, embedded } = this;
    const inputWatermarkOf = (stage: string): EpochMillis => embedded.watermarks.input[stage] ?? MIN_TIMESTAMP;
    const what = { topology: 1, version: '1', inputWatermarkOf, ...(patch === undefined ? {} : { patch }) };
    return { plan: graphPlan, store, bus, clock, ids, ...what };
  }

  #read(source: string, value: unknown): ReadRecord {
    this.#records += 1;
    const unparsed = typeof value === 'string' ? { problem: 'the line is no JSON' } : {};
    const raw = { value, id: String(this.#records), arrival: this.clock.now(), ...unparsed };
    try {
      return { raw, decoded: this.embedded.decoder(source).decode(raw) };
    } catch (error) {
      return { raw, error };
    }
  }
}
