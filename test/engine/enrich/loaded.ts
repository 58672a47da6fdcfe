import { z } from 'zod';
import type { VertexOptions } from '../../../emulators/vertex/settings.ts';
import { readDeadLetter } from '../../../functions/engine/dead-letter-document.ts';
import type { DeadLetter } from '../../../functions/engine/dead-letter.ts';
import { type EnrichState, enrichState } from '../../../functions/engine/enrich/enrich-state.ts';
import type { Root } from '../../../functions/engine/protocol/root.ts';
import { boundedOutOfOrderness, pipeline } from '../../../functions/index.ts';
import { Embedded } from '../../../functions/local/embedded.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { MemoryWarehouse } from '../../../functions/local/memory-warehouse.ts';
import { SeededIds, VirtualClock } from '../../../functions/local/virtual-clock.ts';
import { vertexEndpoint } from '../../../functions/model/models.ts';
import { type EpochMillis, plus } from '../../../functions/model/time.ts';
import type { EnrichOptions } from '../../../functions/model/transforms/enrich.ts';
import { plan } from '../../../functions/plan/plan.ts';
import type { Clock } from '../../../functions/ports/clock.ts';
import type { Predictor } from '../../../functions/ports/predictor.ts';
import { VertexOnClock } from './vertex-on-clock.ts';

export const START = 1_700_000_000_000 as EpochMillis;

const Event = z.object({ id: z.number(), card: z.string(), at: z.number() });
export type Event = z.infer<typeof Event>;
const Score = z.object({ id: z.number(), score: z.number() });
export type Score = z.infer<typeof Score>;

type Options = Partial<EnrichOptions<Event, Score, { id: number; score: number }>>;

/** The model of these tests: twice the id. */
export const double = (instance: unknown): Score => {
  const { id } = instance as { id: number };
  return { id, score: 2 * id };
};

/** A pipeline with a model under load, in virtual time. */
export class Loaded {
  readonly clock: VirtualClock;
  readonly store: MemoryStore;
  readonly bus: MemoryBus;
  readonly warehouse: MemoryWarehouse;
  readonly model: VertexOnClock;
  readonly embedded: Embedded;
  readonly #ids: SeededIds;
  #records = 0;
  #thawed: Promise<void> = Promise.resolve();
  #thaw = (): void => {};
  #failure: unknown;

  readonly #options: Options;

  /** @param of takes over from an instance that has died: its clock, store, tables and model */
  constructor(options: Options, vertex: VertexOptions = {}, of?: Pick<Loaded, 'store'> & Partial<Loaded>) {
    this.#options = options;
    this.clock = of?.clock ?? new VirtualClock(START);
    this.store = of?.store ?? new MemoryStore({ strict: true });
    this.warehouse = of?.warehouse ?? new MemoryWarehouse();
    this.#ids = new SeededIds(11, of?.clock === undefined ? 'n' : 'other');
    this.bus = new MemoryBus(new SeededIds(3));
    const models = { predict: { '*': double } };
    this.model = of?.model ?? new VertexOnClock(this.clock, { models, workMillis: 200, ...vertex });
    const graph = pipeline('scores', (p) => {
      p.readPubSub('events', { schema: Event, eventTime: ({ at }) => at, watermark: boundedOutOfOrderness(0) })
        .enrichWithModel('score', {
          model: vertexEndpoint('doubler'),
          instance: ({ id }) => ({ id }),
          prediction: Score,
          output: ({ id }, { score }) => ({ id, score }),
          requestsPerMinute: 600,
          cache: false,
          ...options,
        })
        .writeBigQuery('scores', {
          columns: { id: 'INT64', score: 'INT64' },
          key: [],
          row: ({ id, score }) => ({ id, score }),
        });
    });
    const { store, bus, warehouse, clock } = this;
    const planned = plan(graph, { files: new Set(['events']) });
    const { model } = this;
    const predictor: Predictor = {
      predict: async (request) => {
        const answer = await model.predict(request);
        await this.#thawed;
        return answer;
      },
      close: () => model.close(),
    };
    const asks = { predictor, waits: true };
    const itsClock: Clock = {
      now: () => clock.now(),
      sleep: async (delay, signal) => {
        await clock.sleep(delay, signal);
        await this.#thawed;
      },
    };
    this.embedded = new Embedded({ plan: planned, store, bus, warehouse, clock: itsClock, ids: this.#ids, ...asks });
  }

  async start(): Promise<this> {
    await this.#until(this.embedded.start());
    return this;
  }

  /** The instance stands still, as one without a request does; nothing that it waits for reaches it until it thaws. */
  freeze(): void {
    this.#thawed = new Promise((resolve) => {
      this.#thaw = resolve;
    });
  }

  async thaw(): Promise<void> {
    this.#thaw();
    await this.quiet();
  }

  /** Another instance over the same store. */
  another(): Loaded {
    return new Loaded(this.#options, {}, this);
  }

  /** Feeds events and has them delivered; what that starts goes on while time passes. */
  async feed(events: readonly Event[], ended = false): Promise<void> {
    const records = events.map((value) => {
      const raw = { value, id: String(++this.#records), arrival: this.clock.now() };
      return { raw, decoded: this.embedded.decoder('events').decode(raw) };
    });
    await this.#until(this.embedded.ingest('events', records, ended));
    this.deliver();
  }

  deliver(): void {
    this.embedded.deliver().catch((error: unknown) => {
      this.#failure ??= error;
    });
  }

  async sweep(): Promise<void> {
    await this.#until(this.embedded.sweep());
    this.deliver();
  }

  /** Moves time only as far as something that is waited for needs it: a commit that is made again after a pause. */
  async #until<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    const noted = work.finally(() => {
      ended = true;
    });
    for (;;) {
      await this.quiet();
      if (ended) return noted;
      const next = this.clock.nextWake();
      if (next !== undefined) this.clock.advanceTo(next);
    }
  }

  /** Lets so much time pass, waking everybody who sleeps in turn. */
  async pass(millis: number): Promise<void> {
    const end = plus(this.clock.now(), millis);
    for (;;) {
      await this.quiet();
      const next = this.clock.nextWake();
      if (next === undefined || next > end) break;
      this.clock.advanceTo(next);
    }
    this.clock.advanceTo(end);
    await this.quiet();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Until everything that does not wait for time has been done. */
  async quiet(): Promise<void> {
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Sweeps as busy instances do, until nothing waits for the model any more; at most so long. */
  async passUntilEmpty(most: number): Promise<number> {
    const begun = this.clock.now();
    await this.quiet();
    while (this.clock.now() - begun < most) {
      const { waiting, batches } = this.state;
      if (waiting.length + batches.length === 0) break;
      await this.pass(1_000);
      await this.sweep();
    }
    return this.clock.now() - begun;
  }

  get state(): EnrichState {
    const root = this.root;
    return enrichState(root ?? {});
  }

  get root(): Root | undefined {
    return this.store.all('roots').find(({ id }) => id === 'score~0')?.body as Root | undefined;
  }

  async scores(): Promise<{ id: number; score: number }[]> {
    const flushed = this.embedded.flush();
    await this.pass(60_000);
    await flushed;
    await this.quiet();
    return [...this.warehouse.rows('scores')].map(({ id, score }) => ({ id: id as number, score: score as number }));
  }

  async letters(): Promise<DeadLetter[]> {
    return Promise.all(this.store.all('deadLetters').map((stored) => readDeadLetter(this.store, stored)));
  }
}

export function events(from: number, count: number, at: number = START, card = 'a'): Event[] {
  return range(from, count).map((id) => ({ id, card, at }));
}

/** The ids in order. */
export function idsOf(rows: readonly { readonly id: number }[]): number[] {
  return rows.map(({ id }) => id).sort((a, b) => a - b);
}

export function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}
