/** A bus that loses, repeats, keeps some messages to bring them back much later, and, where a test asks for it, lies. */
import { sourceOf } from '../../../../functions/engine/protocol/names.ts';
import type { Root } from '../../../../functions/engine/protocol/root.ts';
import type { Bus, BusMessage, Tick } from '../../../../functions/ports/bus.ts';

export interface LossyBusOptions {
  readonly random: () => number;
  /** Whether messages are lost now. */
  readonly isStormy: () => boolean;
  readonly happened: (what: string) => void;
  /** Changes half of the ticks. */
  readonly lie?: (tick: Tick) => Tick;
}

export class LossyBus implements Bus {
  readonly #options: LossyBusOptions;
  readonly #net: BusMessage[] = [];
  readonly #old: BusMessage[] = [];

  constructor(options: LossyBusOptions) {
    this.#options = options;
  }

  async send(messages: readonly BusMessage[]): Promise<void> {
    const { random, isStormy, happened, lie } = this.#options;
    for (const each of messages) {
      const message = lie !== undefined && each.kind === 'tick' && random() < 0.5 ? lie(each) : each;
      if (!isStormy() || random() < 0.75) this.#net.push(message);
      else happened('message lost');
      if (random() < 0.25) this.#net.push(message);
      if (random() < 0.15) this.#old.push(message);
    }
  }

  async publish(): Promise<void> {}

  /** A message to deliver; it stays until it is removed. */
  next(): BusMessage | undefined {
    const { random, happened } = this.#options;
    const fromOld = this.#old.length > 0 && random() < 0.15;
    const pool = fromOld ? this.#old : this.#net;
    if (fromOld) happened('old envelope');
    return pool[Math.floor(random() * pool.length)];
  }

  remove(message: BusMessage): void {
    const at = this.#net.indexOf(message);
    if (at >= 0) this.#net.splice(at, 1);
  }
}

/** Tells a shard that living senders are gone. */
export function goneTooEarly(tick: Tick, root: Root): Tick {
  const living = Object.keys(root.done).filter((sender) => sourceOf(sender) !== undefined);
  return { ...tick, gone: [...tick.gone, ...living] };
}

/** Tells a shard that everything it has sent was taken. */
export function settledTooEarly(tick: Tick, root: Root): Tick {
  const all = Object.entries(root.given).map(([target, last]) => [target, [[1, last] as const]] as const);
  return { ...tick, settled: Object.fromEntries(all) };
}
