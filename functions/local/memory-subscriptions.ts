import type { Delivery, Subscriptions } from '../ports/subscriptions.ts';
import type { MemoryBus } from './memory-bus.ts';

/** Deliveries of an embedded pipeline. Its sources are read by whoever feeds them, so stopping those is theirs. */
export class MemorySubscriptions implements Subscriptions {
  /** Sources that are not to be read. */
  readonly stopped = new Set<string>();
  readonly #bus: MemoryBus;

  constructor(bus: MemoryBus) {
    this.#bus = bus;
  }

  async note(): Promise<unknown> {
    return {};
  }

  async pause({ kind, id }: Delivery): Promise<void> {
    (kind === 'stage' ? this.#bus.paused : this.stopped).add(id);
  }

  async resume({ kind, id }: Delivery): Promise<void> {
    (kind === 'stage' ? this.#bus.paused : this.stopped).delete(id);
  }
}
