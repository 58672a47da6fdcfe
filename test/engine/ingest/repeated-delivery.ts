/**
 * A seeded run of a pipeline whose source delivers at least once: messages come late, repeatedly and to any of several
 * instances, which die between commit and answer; commits fail, envelopes are lost, instances fall silent until their
 * roots are retired. What must come out follows from what was published, in a plain loop.
 */
import type { DeadLetter } from '../../../functions/engine/dead-letter.ts';
import { isFoldedRoot } from '../../../functions/engine/ingest/message-state.ts';
import type { SourceMessage } from '../../../functions/engine/ingest/source-message.ts';
import type { Root } from '../../../functions/engine/protocol/root.ts';
import { sourceOf } from '../../../functions/engine/protocol/names.ts';
import { Embedded } from '../../../functions/local/embedded.ts';
import { type BusTroubles, MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryBacklog } from '../../../functions/local/memory-backlog.ts';
import { MemoryWarehouse } from '../../../functions/local/memory-warehouse.ts';
import { SeededIds, VirtualClock } from '../../../functions/local/virtual-clock.ts';
import type { Graph } from '../../../functions/model/graph.ts';
import { type EpochMillis, later, type Millis, plus } from '../../../functions/model/time.ts';
import { plan } from '../../../functions/plan/plan.ts';
import { FaultyStore, type StoreFaults } from '../../local/faulty-store.ts';
import { seeded } from '../../model/seeded.ts';

export interface Order {
  readonly order: string;
  readonly shop: string;
  readonly at: number;
}

export interface DeliveryOptions {
  readonly seed: number;
  readonly messages: number;
  readonly instances: number;
  readonly bus?: BusTroubles;
  readonly store?: StoreFaults;
  /** Share of orders that their publisher sends again as another message. */
  readonly republished?: number;
  /** Share of messages that are no order. */
  readonly broken?: number;
  /** All ingest instances are down for so many seconds, while messages go on being published. */
  readonly outage?: number;
}

export interface Delivered {
  readonly orders: readonly Order[];
  readonly broken: number;
  /** How often a message was offered. */
  readonly deliveries: number;
  readonly embedded: Embedded;
  readonly warehouse: MemoryWarehouse;
  readonly bus: MemoryBus;
  readonly store: FaultyStore;
  readonly letters: readonly DeadLetter[];
  /** Incarnations of ingest instances that have had a root. */
  readonly incarnations: number;
  /** Roots of instances that are left at the end. */
  readonly rootsLeft: number;
}

const START = 1_700_000_000_000 as EpochMillis;
const SECOND = 1_000;
/** Events are at most this old when they are published. */
export const OLDEST = 40 * SECOND;

/** Waits between tries take no time, since nobody moves the clock while a bundle runs. */
class AlwaysAwakeClock extends VirtualClock {
  override sleep(): Promise<void> {
    return Promise.resolve();
  }
}

export async function deliverRepeatedly(graph: Graph, options: DeliveryOptions): Promise<Delivered> {
  const world = new Deliveries(graph, options);
  return world.run();
}

class Deliveries {
  readonly #options: DeliveryOptions;
  readonly #random: () => number;
  readonly #clock = new AlwaysAwakeClock(START);
  readonly #store: FaultyStore;
  readonly #bus: MemoryBus;
  readonly #warehouse = new MemoryWarehouse();
  readonly #backlog: MemoryBacklog;
  readonly #embedded: Embedded;
  readonly #waiting: { message: SourceMessage; at: EpochMillis }[] = [];
  readonly #orders: Order[] = [];
  readonly #incarnations = new Set<string>();
  readonly #acknowledged = new Set<string>();
  #broken = 0;
  #upAgain: EpochMillis | undefined;
  #deliveries = 0;

  constructor(graph: Graph, options: DeliveryOptions) {
    const { seed, instances } = options;
    this.#options = options;
    this.#random = seeded(seed);
    this.#store = new FaultyStore(new SeededIds(seed + 1), options.store ?? {});
    this.#bus = new MemoryBus(new SeededIds(seed + 2), options.bus ?? {});
    this.#backlog = new MemoryBacklog(this.#clock, { every: 60_000 as Millis, delay: 120_000 as Millis });
    this.#embedded = new Embedded({
      plan: plan(graph, { shards: 2 }),
      store: this.#store,
      bus: this.#bus,
      warehouse: this.#warehouse,
      clock: this.#clock,
      ids: new SeededIds(seed + 3),
      instances,
      backlog: this.#backlog,
    });
  }

  async run(): Promise<Delivered> {
    const { messages } = this.#options;
    await this.#embedded.start();
    for (let published = 0; published < messages; ) {
      // Mostly a few seconds pass; sometimes so many that instances are retired.
      this.#clock.advanceTo(plus(this.#clock.now(), this.#random() < 0.02 ? 700 * SECOND : this.#below(15) * SECOND));
      if (this.#upAgain === undefined && published >= messages / 3)
        this.#upAgain = plus(this.#clock.now(), (this.#options.outage ?? 0) * SECOND);
      for (let i = this.#below(8); i > 0 && published < messages; i--) this.#publish(published++);
      await this.#deliver();
      if (this.#random() < 0.4) await this.#sweep();
    }
    while (this.#waiting.length > 0) {
      this.#clock.advanceTo(plus(this.#clock.now(), 20 * SECOND));
      await this.#deliver();
      await this.#sweep();
    }
    // Long enough for windows to close, envelopes to be sent again, instances to be retired and ids to be forgotten.
    for (let minute = 0; minute < 240; minute++) {
      this.#clock.advanceTo(plus(this.#clock.now(), 60 * SECOND));
      await this.#sweep();
    }
    await this.#embedded.flush();
    await this.#embedded.stop();
    return this.#result();
  }

  #publish(number: number): void {
    const now = this.#clock.now();
    const again = this.#orders.length > 0 && this.#random() < (this.#options.republished ?? 0);
    const isBroken = !again && this.#random() < (this.#options.broken ?? 0);
    const order = again
      ? this.#orders[this.#orders.length - 1 - this.#below(Math.min(5, this.#orders.length))]!
      : { order: `o-${number}`, shop: `shop-${this.#below(5)}`, at: now - this.#below(OLDEST) };
    if (isBroken) this.#broken += 1;
    else if (!again) this.#orders.push(order);
    const data = isBroken ? { order: 17 } : order;
    const message: SourceMessage = { id: `m-${number}`, publishTime: now, data, attributes: {} };
    this.#backlog.published('orders', message.id, message.publishTime);
    this.#waiting.push({ message, at: this.#soon() });
  }

  async #deliver(): Promise<void> {
    const due = this.#waiting.filter(({ at }) => at <= this.#clock.now());
    await Promise.all(due.map((delivery) => this.#deliverOne(delivery)));
    await this.#embedded.deliver();
  }

  async #deliverOne(delivery: { message: SourceMessage; at: EpochMillis }): Promise<void> {
    this.#waiting.splice(this.#waiting.indexOf(delivery), 1);
    const { message } = delivery;
    this.#deliveries += 1;
    const instance = this.#below(this.#options.instances);
    const twice = this.#random() < 0.1;
    if (twice) this.#deliveries += 1;
    const offers = [this.#embedded.offer('orders', message, instance)];
    if (twice) offers.push(this.#embedded.offer('orders', message, this.#below(this.#options.instances)));
    const answers = await Promise.allSettled(offers);
    const refused = answers.some(({ status }) => status === 'rejected');
    const luck = this.#random();
    // The instance died before it answered, or nobody took it: it is still unacknowledged, and comes again.
    if (!this.#acknowledged.has(message.id) && (refused || luck < 0.15)) {
      this.#backlog.published('orders', message.id, message.publishTime);
      this.#waiting.push({ message, at: this.#soon() });
      return;
    }
    this.#acknowledged.add(message.id);
    // It was acknowledged, and comes all the same, within the hour for which ids are kept.
    const at = plus(this.#clock.now(), this.#below(2_400 * SECOND));
    if (luck < 0.3 && at < plus(message.publishTime, 3_000 * SECOND)) this.#waiting.push({ message, at });
  }

  async #sweep(): Promise<void> {
    try {
      const { roots } = await this.#embedded.sweep();
      for (const id of roots.keys()) if (sourceOf(id) !== undefined && !isFoldedRoot(id)) this.#incarnations.add(id);
    } catch (error) {
      if (!(error as { code?: string }).code) throw error;
    }
    await this.#embedded.deliver();
  }

  #soon(): EpochMillis {
    const delay = this.#random() < 0.9 ? this.#below(20 * SECOND) : this.#below(300 * SECOND);
    return plus(later(this.#clock.now(), this.#upAgain ?? START), delay);
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  #result(): Delivered {
    const left = this.#store.all('roots').map(({ body }) => body as Root);
    return {
      orders: this.#orders,
      broken: this.#broken,
      deliveries: this.#deliveries,
      embedded: this.#embedded,
      warehouse: this.#warehouse,
      bus: this.#bus,
      store: this.#store,
      letters: this.#store.all('deadLetters').map(({ body }) => body as DeadLetter),
      incarnations: this.#incarnations.size,
      rootsLeft: left.filter(({ id }) => sourceOf(id) !== undefined && !isFoldedRoot(id)).length,
    };
  }
}
