/** A pipeline that takes messages, is drained and started again: what the tests of fresh starts share. */
import { expect } from 'vitest';
import { z } from 'zod';
import { boundedOutOfOrderness, count, fixedWindows, pipeline, sum } from '../../functions/index.ts';
import type { OpenSource } from '../../functions/engine/views/loader.ts';
import { Embedded } from '../../functions/local/embedded.ts';
import { MemoryBus } from '../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../functions/local/memory-store.ts';
import { MemorySubscriptions } from '../../functions/local/memory-subscriptions.ts';
import { MemoryWarehouse } from '../../functions/local/memory-warehouse.ts';
import { SeededIds, VirtualClock } from '../../functions/local/virtual-clock.ts';
import { RetryableError } from '../../functions/model/errors.ts';
import type { Graph } from '../../functions/model/graph.ts';
import { type EpochMillis, type Millis, plus } from '../../functions/model/time.ts';
import { drain, drainProgress } from '../../functions/operate/drain.ts';
import { survey } from '../../functions/operate/status/survey.ts';
import { admit } from '../../functions/operate/upgrade.ts';
import { plan } from '../../functions/plan/plan.ts';
import type { Batch, CommitResult, Store, StoredDocument } from '../../functions/ports/store.ts';

export const NOON = 1_700_006_400_000;
export const HOUR = 3_600_000;
export const Event = z.object({ card: z.string(), at: z.number() });

export function counts(size: '1h' | '2h' = '1h'): Graph {
  return pipeline('counts', (p) => {
    p.readPubSub('events', { schema: Event, eventTime: ({ at }) => at, watermark: boundedOutOfOrderness('1m') })
      .keyBy('by-card', ({ card }) => card)
      .window('hourly', fixedWindows(size))
      .combinePerKey('count', count())
      .combinePerKey('all', sum())
      .writeBigQuery('counts-table', {
        columns: { card: 'STRING', hour: 'TIMESTAMP', n: 'INT64' },
        key: ['card', 'hour'],
        row: ({ key, value }, { window }) => ({ card: key, hour: window.start, n: value }),
      });
  });
}

/** Dies at its `dies`-th commit, before or after it. */
export class MortalStore extends MemoryStore {
  dies = Number.POSITIVE_INFINITY;
  after = false;
  /** Whether roots come in the order of their names, as Firestore gives them. */
  inOrder = false;
  /** Called once, behind the next commit. */
  meanwhile: (() => Promise<void>) | undefined;
  /** Called before each commit but those that it makes itself. */
  before: (() => Promise<void>) | undefined;

  override async roots(): Promise<readonly StoredDocument[]> {
    const roots = [...(await super.roots())];
    return this.inOrder ? roots.sort((a, b) => (a.id < b.id ? -1 : 1)) : roots;
  }

  override async commit(batch: Batch): Promise<CommitResult> {
    const { before } = this;
    if (before !== undefined) {
      this.before = undefined;
      await before();
      this.before = before;
    }
    const { meanwhile } = this;
    this.meanwhile = undefined;
    if (meanwhile !== undefined) {
      const result = await super.commit(batch);
      await meanwhile();
      return result;
    }
    this.dies -= 1;
    if (this.dies >= 0) return super.commit(batch);
    this.dies = Number.POSITIVE_INFINITY;
    if (this.after) await super.commit(batch);
    throw new RetryableError('the line was cut');
  }
}

/** A pipeline that takes messages, is drained and started again; what its processes share. */
export class World {
  readonly clock = new VirtualClock(NOON as EpochMillis);
  readonly ids = new SeededIds(5);
  readonly store = new MortalStore({ strict: true });
  readonly warehouse = new MemoryWarehouse();
  messages = 0;

  /** A process of some epoch, with a bus of its own. */
  async process(
    graph = counts(),
    of: { topology?: number; epoch?: number; shards?: number; store?: Store; openSource?: OpenSource } = {},
  ): Promise<Process> {
    const { clock, ids, warehouse } = this;
    const { shards = 2, store = this.store, ...numbers } = of;
    const planned = plan(graph, { shards });
    const bus = new MemoryBus(new SeededIds(3));
    const embedded = new Embedded({ plan: planned, store, bus, warehouse, clock, ids, ...numbers });
    await embedded.start();
    return { plan: planned, bus, embedded };
  }

  offer({ embedded }: Process, card: string, at: number): Promise<void> {
    this.messages += 1;
    const id = String(this.messages);
    return embedded.offer('events', { id, publishTime: this.clock.now(), data: { card, at }, attributes: {} });
  }

  async settle({ embedded }: Process): Promise<void> {
    for (let i = 0; i < 8; i++) {
      this.clock.advanceTo(plus(this.clock.now(), 15_000));
      await embedded.deliver();
      await embedded.sweep();
      await embedded.deliver();
    }
    await embedded.flush();
    await embedded.deliver();
  }

  /** Lets hours go by without a message. */
  async pass(process: Process, hours: number): Promise<void> {
    for (let i = 0; i < 6 * hours; i++) {
      this.clock.advanceTo(plus(this.clock.now(), HOUR / 6));
      await process.embedded.sweep();
      await process.embedded.deliver();
    }
    await this.settle(process);
  }

  /** Moves time along until something that sleeps has come to its end. */
  async until<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    const noted = work.finally(() => {
      ended = true;
    });
    noted.catch(() => {});
    while (!ended) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = this.clock.nextWake();
      if (next !== undefined) this.clock.advanceTo(next);
    }
    return noted;
  }

  async drain(process: Process): Promise<void> {
    const order = { reading: 0 as Millis };
    await drain(this.store, new MemorySubscriptions(process.bus), this.clock, ['events'], order);
    await this.settle(process);
    const surveyed = await survey(this.store, 'counts', this.clock.now(), process.plan);
    expect(drainProgress(surveyed)).toMatchObject({ drained: true });
  }

  rows(): unknown[] {
    return [...this.warehouse.rows('counts_table')].map(({ card, hour, n, pane_epoch }) => [card, hour, n, pane_epoch]);
  }

  admit(graph = counts(), shards = 2) {
    return admit(this.store, plan(graph, { shards }), this.clock.now());
  }
}

export interface Process {
  readonly plan: ReturnType<typeof plan>;
  readonly bus: MemoryBus;
  readonly embedded: Embedded;
}

export const start = '2023-11-15T00:00:00.000Z';

/** A pipeline that has counted two events of one card, and was drained; of what it could not read it has letters. */
export async function drained(...unread: unknown[]): Promise<{ world: World; old: Process }> {
  const world = new World();
  const old = await world.process();
  await world.admit();
  for (const at of unread) await world.offer(old, 'eve', at as number);
  await world.offer(old, 'ada', NOON + 1);
  await world.offer(old, 'ada', NOON + 2);
  await world.settle(old);
  await world.drain(old);
  expect(world.rows()).toEqual([['ada', start, 2, 1]]);
  return { world, old };
}
