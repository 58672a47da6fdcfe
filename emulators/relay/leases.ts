/**
 * The messages that are ours for a while. Invariant: every held message's deadline is moved on before it passes, so
 * the emulator gives it to nobody else, until it is acknowledged or released. When this process dies, all of them come
 * back within `LEASE_SECONDS`.
 */
import type { v1 } from '@google-cloud/pubsub';
import { ONCE } from './clients.ts';

const LEASE_SECONDS = 30;
const RENEW_EVERY_MILLIS = 2_000;
const RENEW_BEFORE_MILLIS = 7_000;
/** Acknowledgements are gathered for so long, or until there are so many. */
const GATHER_MILLIS = 5;
const GATHER_IDS = 500;

export class Leases {
  readonly #subscriber: v1.SubscriberClient;
  readonly #subscription: string;
  readonly #firstMillis: number;
  readonly #onProblem: (error: unknown) => void;
  /** When each held message's deadline passes, by acknowledgement id. */
  readonly #expiry = new Map<string, number>();
  readonly #calls = new Set<Promise<unknown>>();
  readonly #renewal: NodeJS.Timeout;
  #acknowledged: string[] = [];
  #gathering: NodeJS.Timeout | undefined;

  /** @param firstMillis the deadline that the emulator gives a message when it is pulled */
  constructor(
    subscriber: v1.SubscriberClient,
    subscription: string,
    firstMillis: number,
    onProblem: (error: unknown) => void,
  ) {
    this.#subscriber = subscriber;
    this.#subscription = subscription;
    this.#firstMillis = firstMillis;
    this.#onProblem = onProblem;
    this.#renewal = setInterval(() => this.#renew(), RENEW_EVERY_MILLIS);
  }

  hold(ackIds: readonly string[]): void {
    for (const ackId of ackIds) this.#expiry.set(ackId, Date.now() + this.#firstMillis);
    // Production allows no deadline below 10 s; the emulator does, and it would pass before the first renewal.
    if (this.#firstMillis < RENEW_BEFORE_MILLIS + RENEW_EVERY_MILLIS) this.#extend(ackIds);
  }

  acknowledge(ackId: string): void {
    this.#expiry.delete(ackId);
    this.#acknowledged.push(ackId);
    if (this.#acknowledged.length >= GATHER_IDS) this.#flush();
    else this.#gathering ??= setTimeout(() => this.#flush(), GATHER_MILLIS);
  }

  /** Gives messages back: the emulator may deliver them again at once. */
  release(ackIds: readonly string[]): void {
    for (const ackId of ackIds) this.#expiry.delete(ackId);
    this.#move(ackIds, 0);
  }

  /** Releases what is still held; resolves when every call has been answered. */
  async close(): Promise<void> {
    clearInterval(this.#renewal);
    this.#flush();
    this.release([...this.#expiry.keys()]);
    await Promise.all(this.#calls);
  }

  #renew(): void {
    const soon = Date.now() + RENEW_BEFORE_MILLIS;
    const expiring = [...this.#expiry].filter(([, at]) => at < soon).map(([ackId]) => ackId);
    this.#extend(expiring);
  }

  #extend(ackIds: readonly string[]): void {
    for (const ackId of ackIds) this.#expiry.set(ackId, Date.now() + LEASE_SECONDS * 1_000);
    this.#move(ackIds, LEASE_SECONDS);
  }

  #move(ackIds: readonly string[], ackDeadlineSeconds: number): void {
    for (let from = 0; from < ackIds.length; from += GATHER_IDS) {
      const some = ackIds.slice(from, from + GATHER_IDS);
      const request = { subscription: this.#subscription, ackIds: some, ackDeadlineSeconds };
      this.#call(this.#subscriber.modifyAckDeadline(request, ONCE));
    }
  }

  #flush(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const ackIds = this.#acknowledged;
    this.#acknowledged = [];
    if (ackIds.length === 0) return;
    this.#call(this.#subscriber.acknowledge({ subscription: this.#subscription, ackIds }, ONCE));
  }

  #call(answer: Promise<unknown>): void {
    const settled = answer.catch(this.#onProblem).finally(() => this.#calls.delete(settled));
    this.#calls.add(settled);
  }
}
