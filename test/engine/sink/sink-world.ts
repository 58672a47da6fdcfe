/**
 * A pipeline that writes a keyed table and a plain one, run by processes that die where a test says so: over any warehouse,
 * before and after each of its calls and of the store's commits.
 */
import { z } from 'zod';
import { readDeadLetter } from '../../../functions/engine/dead-letter-document.ts';
import type { DeadLetter } from '../../../functions/engine/dead-letter.ts';
import { boundedOutOfOrderness, pipeline } from '../../../functions/index.ts';
import { Embedded } from '../../../functions/local/embedded.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { SeededIds, VirtualClock } from '../../../functions/local/virtual-clock.ts';
import { type EpochMillis, plus } from '../../../functions/model/time.ts';
import { plan } from '../../../functions/plan/plan.ts';
import type { Batch, CommitResult, Store } from '../../../functions/ports/store.ts';
import type { MergeJob, MergeOutcome, Row, Warehouse } from '../../../functions/ports/warehouse.ts';

const START = 1_700_000_000_000 as EpochMillis;
/** Longer than a claim's lease; milliseconds. */
const LEASE_AND_MORE = 61_000;

const Pane = z.object({
  place: z.string(),
  sequence: z.number(),
  amount: z.string(),
  note: z.string().nullable(),
});
export type Pane = z.infer<typeof Pane>;

/** What happens to a call of the warehouse. */
export type CallFault = 'answer lost' | 'never arrives' | 'contention' | 'dies before' | 'dies after' | 'hangs after';

/** The process that this happened in has died; whatever it does afterwards fails too. */
export class Died extends Error {}

const graph = pipeline('panes', (p) => {
  const panes = p.readPubSub('panes', {
    schema: Pane,
    eventTime: ({ sequence }) => sequence,
    watermark: boundedOutOfOrderness(0),
  });
  panes.writeBigQuery('totals', {
    columns: { place: 'STRING', amount: 'NUMERIC', note: 'STRING NULL' },
    key: ['place'],
    row: ({ place, amount, note }) => ({ place, amount, note }),
  });
  panes.writeBigQuery('log', {
    columns: { place: 'STRING', sequence: 'INT64' },
    key: [],
    row: ({ place, sequence }) => ({ place, sequence }),
  });
});

/** What outlives a process. */
export class SinkWorld {
  readonly clock = new VirtualClock(START);
  readonly store = new MemoryStore({ strict: true });
  readonly warehouse: Warehouse;
  #processes = 0;

  constructor(warehouse: Warehouse) {
    this.warehouse = warehouse;
  }

  async process(faults: ProcessFaults = {}): Promise<SinkProcess> {
    this.#processes += 1;
    const process = new SinkProcess(this, faults, this.#processes);
    await process.embedded.start();
    return process;
  }

  /** Another process writes what the dead ones have left, once their claims have run out. */
  async recover(): Promise<void> {
    this.clock.advanceTo(plus(this.clock.now(), LEASE_AND_MORE));
    await (await this.process()).flush();
  }

  async letters(): Promise<DeadLetter[]> {
    return Promise.all(this.store.all('deadLetters').map((stored) => readDeadLetter(this.store, stored)));
  }

  /** Runs of rows that wait. */
  get waiting(): number {
    return this.store.all('runs').length;
  }
}

export interface ProcessFaults {
  /** Of the warehouse's calls, one after another; those that follow succeed. */
  readonly calls?: readonly (CallFault | undefined)[];
  /** Dies at this commit of a flush, counted from 1, … */
  readonly dieAtCommit?: number;
  /** … after it was applied. Default: before. */
  readonly applied?: boolean;
}

export class SinkProcess {
  readonly embedded: Embedded;
  /** Answers a call that hangs. */
  release: () => void = () => {};
  readonly #world: SinkWorld;
  readonly #faults: ProcessFaults;
  readonly #calls: (CallFault | undefined)[];
  #commits = 0;
  #dead = false;
  #flushing = false;
  #records = 0;

  constructor(world: SinkWorld, faults: ProcessFaults, number: number) {
    this.#world = world;
    this.#faults = faults;
    this.#calls = [...(faults.calls ?? [])];
    const ids = new SeededIds(number, `p${number}-`);
    this.embedded = new Embedded({
      plan: plan(graph, { files: new Set(['panes']), shards: 1 }),
      store: this.#store(),
      bus: new MemoryBus(ids),
      warehouse: { prepare: (table) => world.warehouse.prepare(table), merge: (job) => this.#merge(job) },
      clock: world.clock,
      ids,
      flushByAge: false,
    });
  }

  /** Takes panes in; they wait for a flush. */
  async feed(panes: readonly Pane[]): Promise<void> {
    const decoder = this.embedded.decoder('panes');
    const records = panes.map((value) => {
      this.#records += 1;
      const raw = { value, id: String(this.#records), arrival: this.#world.clock.now() };
      return { raw, decoded: decoder.decode(raw) };
    });
    await this.#until(this.embedded.ingest('panes', records, false));
    await this.#until(this.embedded.deliver());
  }

  /** Writes all that waits. @throws {Died} */
  async flush(): Promise<void> {
    this.#flushing = true;
    await this.#until(this.embedded.flush()).finally(() => {
      this.#flushing = false;
    });
  }

  async #merge(job: MergeJob): Promise<MergeOutcome> {
    this.#live();
    const fault = this.#calls.shift();
    if (fault === 'dies before') this.#die();
    if (fault === 'never arrives') return { state: 'unknown', reason: 'the connection was reset' };
    if (fault === 'contention') return { state: 'failed', again: true, reason: 'Could not serialize access' };
    const outcome = await this.#world.warehouse.merge(job);
    if (fault === 'dies after') this.#die();
    if (fault === 'hangs after')
      await new Promise<void>((resolve) => {
        this.release = resolve;
      });
    return fault === 'answer lost' ? { state: 'unknown', reason: 'the connection was reset' } : outcome;
  }

  #store(): Store {
    const { store } = this.#world;
    return new Proxy(store, {
      get: (target, name) => {
        if (name === 'commit') return (batch: Batch) => this.#commit(batch);
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          this.#live();
          return member.apply(target, args) as unknown;
        };
      },
    });
  }

  async #commit(batch: Batch): Promise<CommitResult> {
    this.#live();
    if (this.#flushing) this.#commits += 1;
    const dies = this.#flushing && this.#commits === this.#faults.dieAtCommit;
    if (dies && this.#faults.applied !== true) this.#die();
    const result = await this.#world.store.commit(batch);
    if (dies) this.#die();
    return result;
  }

  #live(): void {
    if (this.#dead) throw new Died();
  }

  #die(): never {
    this.#dead = true;
    throw new Died();
  }

  /** Lets time pass while something sleeps. */
  async #until<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    const note = (): void => {
      ended = true;
    };
    work.then(note, note);
    while (!ended) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = this.#world.clock.nextWake();
      if (next !== undefined) this.#world.clock.advanceTo(next);
    }
    return work;
  }
}

export function pane(place: string, sequence: number, more: Partial<Pane> = {}): Pane {
  return { place, sequence, amount: `${sequence}.5`, note: null, ...more };
}

/** A warehouse to run over, and how to look into it. */
export interface LookedInto {
  readonly warehouse: Warehouse;
  rows(table: string): Promise<readonly Row[]>;
}
