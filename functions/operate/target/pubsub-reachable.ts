/** Pub/Sub that says in one sentence that it cannot be reached: asked once, before the first call. */
import { whyNotListening } from '../../cloud/listening.ts';
import { messageOf, RetryableError } from '../../model/errors.ts';
import type { Bus, BusMessage, OutsideMessage } from '../../ports/bus.ts';
import type { Delivery, Subscriptions } from '../../ports/subscriptions.ts';
import { type Server, Unreachable } from './reachable.ts';

export class PubSubReachable {
  readonly #host: string | undefined;
  readonly #server: Server;
  #silence: Promise<string | undefined> | undefined;

  /** @param host `host:port` of an emulator; undefined: Google's own @param server what to name in errors */
  constructor(host: string | undefined, server: Server) {
    this.#host = host;
    this.#server = server;
  }

  bus(bus: Bus): Bus {
    return {
      send: (messages: readonly BusMessage[]) => this.#asked(() => bus.send(messages)),
      publish: (messages: readonly OutsideMessage[]) => this.#asked(() => bus.publish(messages)),
    };
  }

  subscriptions(subscriptions: Subscriptions): Subscriptions {
    return {
      note: (delivery: Delivery, noted?: unknown) => this.#asked(() => subscriptions.note(delivery, noted)),
      pause: (delivery: Delivery, noted?: unknown) => this.#asked(() => subscriptions.pause(delivery, noted)),
      resume: (delivery: Delivery, noted: unknown) => this.#asked(() => subscriptions.resume(delivery, noted)),
    };
  }

  async #asked<T>(call: () => Promise<T>): Promise<T> {
    this.#silence ??= this.#host === undefined ? Promise.resolve(undefined) : whyNotListening(this.#host);
    const silence = await this.#silence;
    if (silence !== undefined) throw new Unreachable(this.#server, silence);
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      const [reason = ''] = messageOf(error).split('\n');
      throw new Unreachable(this.#server, reason, { cause: error });
    }
  }
}
