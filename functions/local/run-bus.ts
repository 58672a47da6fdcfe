import type { OutsideMessage } from '../ports/bus.ts';
import { MemoryBus } from './memory-bus.ts';

/**
 * The bus of a run, which loses nothing: a message that a sweep publishes again, since time has leapt and nobody has noted
 * yet that it was accepted, is the one that is there. (It is the very object: the store in memory keeps what it is given.)
 */
export class RunBus extends MemoryBus {
  readonly #known = new WeakSet<OutsideMessage>();

  override async publish(messages: readonly OutsideMessage[]): Promise<void> {
    const fresh = messages.filter((message) => !this.#known.has(message));
    for (const message of fresh) this.#known.add(message);
    await super.publish(fresh);
  }
}
