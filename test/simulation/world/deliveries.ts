/** Delivers messages to instances, again and again until one has answered. Both kinds of bus deliver so. */
import { Random } from './random.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * Takes a message to an instance. `answer` is called when that has answered, with whether it has taken the message.
 * @returns whether the engine has something to run now
 */
export type Route<M> = (message: M, attempt: number, answer: (taken: boolean) => void) => boolean;

export interface DeliveryOptions<M> {
  readonly route: Route<M>;
  readonly describe: (message: M) => string;
  /** It gives up then. */
  readonly maxAttempts: number;
  /** How much later a message may come once more that was taken already, milliseconds. */
  readonly latestRepetition: number;
  /** Until when a message waits before it is delivered; by then it may have to wait longer. Default: not at all. */
  readonly heldUntil?: (message: M) => number;
  /** Called when it gives up. */
  readonly gaveUp?: (message: M) => void;
  /** Called when it has learned that the message was taken. */
  readonly acknowledged?: (message: M) => void;
}

export class Deliveries<M> {
  readonly #around: Surroundings;
  readonly #options: DeliveryOptions<M>;
  readonly #random: Random;

  constructor(around: Surroundings, name: string, options: DeliveryOptions<M>) {
    this.#around = around;
    this.#options = options;
    this.#random = new Random(around.seed, `deliveries of ${name}`);
  }

  /** Carries a message: it comes, sooner or later, perhaps more than once. */
  carry(message: M): void {
    const { faults, scenario } = this.#around;
    const { busLatency } = scenario.world;
    const delay = faults.happens('messageDelayed') ? this.#random.spread(1_000, 300_000) : 0;
    this.#deliverAfter(this.#random.spread(busLatency / 4, busLatency * 4) + delay, message, 1);
    if (faults.happens('messageRepeated'))
      this.#deliverAfter(this.#random.spread(1_000, this.#options.latestRepetition), message, 1);
  }

  #deliverAfter(delay: number, message: M, attempt: number): void {
    this.#around.scheduler.after(delay, () => this.#deliver(message, attempt));
  }

  #deliver(message: M, attempt: number): boolean {
    const { scenario, scheduler, faults, tell } = this.#around;
    const { route, describe, maxAttempts, acknowledged, gaveUp, heldUntil } = this.#options;
    const held = heldUntil?.(message) ?? 0;
    if (scheduler.now < held) {
      this.#deliverAfter(held - scheduler.now + this.#random.spread(1, 10_000), message, attempt);
      return false;
    }
    const { ackDeadline, busLatency } = scenario.world;
    let isOver = false;
    const again = (): false => {
      if (isOver) return false;
      isOver = true;
      if (attempt >= maxAttempts) {
        tell(() => `the bus gives up on ${describe(message)}`);
        gaveUp?.(message);
      } else this.#deliverAfter(this.#random.spread(busLatency, busLatency * 100), message, attempt + 1);
      return false;
    };
    tell(() => `delivery of ${describe(message)}${attempt > 1 ? `, attempt ${attempt}` : ''}`);
    const hasWork = route(message, attempt, (taken) => {
      if (!taken) again();
      else if (!faults.happens('ackLost')) {
        isOver = true;
        acknowledged?.(message);
      }
    });
    scheduler.after(ackDeadline, again);
    return hasWork;
  }
}
