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

  /**
   * Takes what waits to be delivered: everything, or where that is much a part of it.
   * @param most characters that are taken at a time, or one message. Default: all
   * @param order which goes first where not all is taken; negative: the first of the two
   */
  take(
    most: number = Number.POSITIVE_INFINITY,
    order: (one: BusMessage, other: BusMessage) => number = () => 0,
  ): readonly BusMessage[] {
    const isPaused = ({ target }: BusMessage): boolean => this.paused.has(parseShardId(target).stage);
    let taken = this.paused.size === 0 ? this.#queue : this.#queue.filter((message) => !isPaused(message));
    this.#queue = this.paused.size === 0 ? [] : this.#queue.filter(isPaused);
    if (most < Number.POSITIVE_INFINITY && weightOf(taken) > most) {
      taken.sort(order);
      const count = Math.max(1, howMany(taken, most));
      this.#queue.push(...taken.slice(count));
      taken = taken.slice(0, count);
    }
    if (this.#troubles.shuffled) shuffle(taken, this.#ids);
    return taken;
  }
}

function charactersOf(message: BusMessage): number {
  return message.kind === 'envelope' ? message.body.length : 0;
}

function weightOf(messages: readonly BusMessage[]): number {
  let characters = 0;
  for (const message of messages) characters += charactersOf(message);
  return characters;
}

/** How many of them, from the first on, have at most so many characters. */
function howMany(messages: readonly BusMessage[], most: number): number {
  let characters = 0;
  const end = messages.findIndex((message) => {
    characters += charactersOf(message);
    return characters > most;
  });
  return end < 0 ? messages.length : end;
}

function shuffle<T>(items: T[], ids: Ids): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(ids.random() * (i + 1));
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
}
