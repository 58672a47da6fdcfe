/**
 * One subscription, one function. Invariant: a message is acknowledged when, and only when, one of its pushes was
 * answered well, it was given to the dead-letter topic, or a trouble drops it; else it is pushed again after its
 * backoff, without standing in the way of others.
 */
import { messageOf } from '../../functions/model/errors.ts';
import type { Clients } from './clients.ts';
import { forwardDeadLetter } from './dead-letter.ts';
import { Leases } from './leases.ts';
import { backoffAfter, type DeliveryPolicy } from './policy.ts';
import { type Pulled, Puller } from './puller.ts';
import { isAcknowledged, Pusher, type PushOutcome } from './push.ts';
import { Queue } from './queue.ts';
import { Reorderer } from './reorder.ts';
import { DEFAULT_CONCURRENCY, type RouteOptions, type Troubles, urlsOf } from './settings.ts';
import { RouteCounters, type RouteStats } from './stats.ts';
import { Timers } from './timers.ts';
import { TroubleMaker } from './troubles.ts';
import { PushWindow } from './window.ts';
import { publishMillisOf, pushBody } from './wire.ts';

/** A message that this route answers for. */
interface Held extends Pulled {
  readonly messageId: string;
  /** Attempts begun, those that the emulator counted before it came here included. */
  attempts: number;
  /** Pushes of the present attempt that are still to be answered. */
  copies: number;
  acknowledged: boolean;
}

/** One push to come: a message's first copy of an attempt, or the second. */
interface Delivery {
  readonly held: Held;
  readonly second: boolean;
}

/** Ready messages kept so that a push can start when another ends, besides one for each push in flight. */
const SPARE_READY = 100;
/** Messages held at most, those that wait for their next attempt included. */
const MOST_HELD = 20_000;
const UNHEARD: PushOutcome = { kind: 'unreachable', reason: 'a trouble keeps its answers away' };
const STOP_PATIENCE_MILLIS = 5_000;
const DEAD_LETTER_AGAIN_MILLIS = 1_000;

export class Route {
  readonly name: string;
  readonly #policy: DeliveryPolicy;
  readonly #clients: Clients;
  readonly #onProblem: (cause: string) => void;
  readonly #readyTarget: number;
  readonly #troubles: TroubleMaker;
  readonly #reorderer: Reorderer<Held>;
  readonly #window: PushWindow;
  readonly #pusher: Pusher;
  readonly #leases: Leases;
  readonly #puller: Puller;
  readonly #counters = new RouteCounters();
  readonly #held = new Set<Held>();
  readonly #ready = new Queue<Delivery>();
  readonly #timers = new Timers();
  #inFlight = 0;
  #paused = false;
  #stopped = false;
  #waitsForWindow = false;

  constructor(
    clients: Clients,
    policy: DeliveryPolicy,
    options: RouteOptions,
    troubles: Troubles | undefined,
    onProblem: (cause: string) => void,
  ) {
    const concurrency = options.concurrency ?? DEFAULT_CONCURRENCY;
    const onError = (error: unknown) => onProblem(messageOf(error));
    this.name = options.subscription;
    this.#clients = clients;
    this.#policy = options.retryBackoff ? { ...policy, backoff: options.retryBackoff } : policy;
    this.#onProblem = onProblem;
    this.#readyTarget = concurrency + SPARE_READY;
    this.#troubles = new TroubleMaker(troubles, options.subscription);
    this.#reorderer = new Reorderer(this.#troubles.seed, (held) => this.#attempt(held));
    this.#window = new PushWindow(concurrency, options.slowStart ?? false);
    this.#pusher = new Pusher(urlsOf(options), options.headers ?? {}, policy.ackDeadlineMillis);
    this.#leases = new Leases(clients.subscriber, policy.path, policy.ackDeadlineMillis, onError);
    this.#puller = new Puller(
      clients.subscriber,
      policy.path,
      () => this.#room(),
      (messages) => this.#take(messages),
      onError,
    );
  }

  pause(paused: boolean): void {
    this.#paused = paused;
    this.#puller.pause(paused);
    this.#pump();
  }

  stats(): RouteStats {
    const published = [...this.#held].filter((held) => !held.acknowledged).map((held) => publishMillisOf(held.message));
    return {
      subscription: this.name,
      ...this.#counters,
      answers: { ...this.#counters.answers },
      inFlight: this.#inFlight,
      held: this.#held.size,
      oldestHeld: published.length === 0 ? undefined : published.reduce((a, b) => Math.min(a, b)),
      caughtUp: this.#puller.caughtUp,
    };
  }

  /** Waits for the pushes in flight, 5 s at most, and gives back to the emulator what was not delivered. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#puller.stop();
    this.#timers.close();
    const patience = Date.now() + STOP_PATIENCE_MILLIS;
    while (this.#inFlight > 0 && Date.now() < patience) await new Promise((resolve) => setTimeout(resolve, 10));
    this.#pusher.close();
    await this.#leases.close();
  }

  /** Resolves once no pull is under way any more, and what the last one brought after `stop` is given back. */
  async ended(): Promise<void> {
    await this.#puller.ended;
    await this.#leases.close();
  }

  #room(): number {
    const missing = this.#readyTarget - this.#ready.length;
    return this.#held.size >= MOST_HELD || missing < this.#readyTarget / 2 ? 0 : missing;
  }

  #take(messages: readonly Pulled[]): void {
    const ackIds = messages.map(({ ackId }) => ackId);
    if (this.#stopped) {
      this.#leases.release(ackIds);
      return;
    }
    this.#leases.hold(ackIds);
    this.#counters.pulled += messages.length;
    for (const pulled of messages) {
      const messageId = pulled.message.messageId ?? '';
      if (this.#troubles.isDropped(messageId)) {
        this.#counters.dropped++;
        this.#leases.acknowledge(pulled.ackId);
        continue;
      }
      const attempts = Math.max(0, pulled.deliveryAttempt - 1);
      const held: Held = { ...pulled, messageId, attempts, copies: 0, acknowledged: false };
      this.#held.add(held);
      const delay = this.#troubles.delayOf(messageId);
      if (delay > 0) this.#timers.after(delay, () => this.#place(held));
      else this.#place(held);
    }
  }

  #place(held: Held): void {
    const within = this.#troubles.reorderWithin(held.messageId);
    if (within === undefined) this.#attempt(held);
    else this.#reorderer.put(held, within);
  }

  #attempt(held: Held): void {
    held.attempts++;
    held.copies = 1;
    this.#deliver({ held, second: false });
    if (this.#troubles.secondCopyOf(held.messageId, held.attempts) !== 'at once') return;
    held.copies = 2;
    this.#deliver({ held, second: true });
  }

  #deliver(delivery: Delivery): void {
    this.#ready.push(delivery);
    this.#pump();
  }

  /** Starts as many pushes as the window allows. */
  #pump(): void {
    const now = Date.now();
    while (!this.#stopped && !this.#paused && this.#inFlight < this.#window.size(now)) {
      const delivery = this.#ready.shift();
      if (delivery === undefined) break;
      void this.#push(delivery);
    }
    if (this.#ready.length * 2 < this.#readyTarget) this.#puller.wake();
    const pause = this.#window.pausedFor(now);
    if (pause === 0 || this.#waitsForWindow) return;
    this.#waitsForWindow = true;
    this.#timers.after(pause, () => {
      this.#waitsForWindow = false;
      this.#pump();
    });
  }

  async #push({ held, second }: Delivery): Promise<void> {
    this.#inFlight++;
    this.#counters.pushed++;
    if (second) this.#counters.duplicated++;
    const startedAt = Date.now();
    const attempt = this.#policy.deadLetter ? held.attempts : undefined;
    const answer = await this.#pusher.push(pushBody(this.#policy.path, held.message, attempt));
    const outcome = this.#troubles.unheardAttempts(held.messageId) === undefined ? answer : UNHEARD;
    this.#inFlight--;
    this.#answered(held, second, outcome, Date.now() - startedAt);
    this.#pump();
  }

  #answered(held: Held, second: boolean, outcome: PushOutcome, tookMillis: number): void {
    const acknowledged = isAcknowledged(outcome);
    this.#counters.count(outcome.kind === 'answered' ? outcome.status : outcome.kind);
    this.#window.answered(acknowledged, tookMillis, Date.now());
    if (outcome.kind === 'unreachable') this.#onProblem(`its function does not answer: ${outcome.reason}`);
    if (acknowledged) this.#counters.pushMillis += tookMillis;
    else this.#counters.refused++;
    if (acknowledged && !held.acknowledged) {
      held.acknowledged = true;
      this.#counters.acknowledged++;
      this.#leases.acknowledge(held.ackId);
    }
    const copy = second ? undefined : this.#troubles.secondCopyOf(held.messageId, held.attempts);
    if (typeof copy === 'object') {
      this.#timers.after(copy.afterMillis, () => this.#deliver({ held, second: true }));
    } else {
      held.copies--;
      if (held.copies === 0) this.#ended(held);
    }
  }

  /** All copies of an attempt were answered. */
  #ended(held: Held): void {
    const { deadLetter, backoff } = this.#policy;
    if (held.acknowledged) this.#held.delete(held);
    else if (deadLetter && held.attempts >= this.#mostAttempts(held, deadLetter.maxAttempts))
      void this.#giveUp(held, deadLetter.topic);
    else this.#timers.after(backoffAfter(held.attempts, backoff), () => this.#attempt(held));
  }

  #mostAttempts({ messageId }: Held, policy: number): number {
    return Math.min(policy, this.#troubles.unheardAttempts(messageId) ?? policy);
  }

  async #giveUp(held: Held, topic: string): Promise<void> {
    try {
      await forwardDeadLetter(this.#clients.publisher, topic, this.#policy.path, held.message, held.attempts);
      this.#counters.deadLettered++;
      this.#leases.acknowledge(held.ackId);
      this.#held.delete(held);
    } catch (error) {
      this.#onProblem(`cannot publish to its dead-letter topic ${topic}: ${messageOf(error)}`);
      this.#timers.after(DEAD_LETTER_AGAIN_MILLIS, () => void this.#giveUp(held, topic));
    }
  }
}
