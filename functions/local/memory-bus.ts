/**
 * The bus in memory: keeps what is sent until it is delivered. `Troubles` make it lose, repeat and reorder, as a real one
 * may.
 */
import { parseShardId } from '../engine/protocol/names.ts';
import type { Bus, BusMessage, OutsideMessage } from '../ports/bus.ts';
import type { Ids } from '../ports/clock.ts';

/** Shares between 0 and 1 of what is sent to shards. */
export interface BusTroubles {
  readonly lost?: number;
  readonly twice?: number;
  readonly shuffled?: boolean;
}

export class MemoryBus implements Bus {
  readonly published: OutsideMessage[] = [];
  readonly #troubles: BusTroubles;
  readonly #ids: Ids;
  #queue: BusMessage[] = [];

  constructor(ids: Ids, troubles: BusTroubles = {}) {
    this.#ids = ids;
    this.#troubles = troubles;
  }

  async send(messages: readonly BusMessage[]): Promise<void> {
    const { lost = 0, twice = 0 } = this.#troubles;
    for (const message of messages) {
      if (lost > 0 && this.#ids.random() < lost) continue;
      this.#queue.push(message);
      if (twice > 0 && this.#ids.random() < twice) this.#queue.push(message);
    }
  }

  async publish(messages: readonly OutsideMessage[]): Promise<void> {
    this.published.push(...messages);
  }

  /** What is sent to these stages waits. */
  readonly paused = new Set<string>();

  /** Takes everything that waits to be delivered. */
  take(): readonly BusMessage[] {
    const isPaused = ({ target }: BusMessage): boolean => this.paused.has(parseShardId(target).stage);
    const taken = this.paused.size === 0 ? this.#queue : this.#queue.filter((message) => !isPaused(message));
    this.#queue = this.paused.size === 0 ? [] : this.#queue.filter(isPaused);
    if (this.#troubles.shuffled) shuffle(taken, this.#ids);
    return taken;
  }
}

function shuffle<T>(items: T[], ids: Ids): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(ids.random() * (i + 1));
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
}
