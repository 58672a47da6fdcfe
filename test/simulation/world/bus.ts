/** The bus: loses, repeats, delays and reorders what it carries, and delivers again what is not answered in time. */
import { RetryableError } from '../../../functions/model/errors.ts';
import type { Bus, BusMessage, OutsideMessage } from '../../../functions/ports/bus.ts';
import { describeMessage } from './describe.ts';
import type { Instance } from './instance.ts';
import { Outages } from './outages.ts';
import { Random } from './random.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * Takes a message to an instance that serves its target. `answer` is called when that has answered.
 * @returns whether the engine has something to run now
 */
export type Route = (message: BusMessage, attempt: number, answer: (taken: boolean) => void) => boolean;

export class SimulatedBus {
  readonly published: OutsideMessage[] = [];
  readonly #around: Surroundings;
  readonly #route: Route;
  readonly #outages: Outages;
  readonly #random: Random;

  constructor(around: Surroundings, route: Route) {
    this.#around = around;
    this.#route = route;
    this.#outages = new Outages(around, 'busOutage', 'the bus');
    this.#random = new Random(around.seed, 'bus');
  }

  /** The port of one instance. */
  portOf(instance: Instance): Bus {
    const { busLatency } = this.#around.scenario.world;
    return {
      send: (messages) =>
        instance.call('send', busLatency, () => this.#accept(messages, (message) => this.#carry(message))),
      publish: (messages) =>
        instance.call('publish', busLatency, () => this.#accept(messages, (message) => this.published.push(message))),
    };
  }

  async #accept<T>(messages: readonly T[], carry: (message: T) => void): Promise<void> {
    const { faults } = this.#around;
    if (this.#outages.isDown()) throw new RetryableError('the bus is down');
    if (faults.happens('sendFailed')) throw new RetryableError('the bus refused');
    const cut = faults.happens('sendCut') ? this.#random.whole(0, messages.length) : messages.length;
    for (const message of messages.slice(0, cut)) carry(message);
    if (cut < messages.length || faults.happens('sendAnswerLost')) throw new RetryableError('the answer was lost');
  }

  #carry(message: BusMessage): void {
    const { faults, tell } = this.#around;
    const usual = this.#around.scenario.world.busLatency;
    if (faults.happens('messageLost')) {
      tell(() => `the bus loses ${describeMessage(message)}`);
      return;
    }
    const delay = faults.happens('messageDelayed') ? this.#random.spread(1_000, 300_000) : 0;
    this.#deliverAfter(this.#random.spread(usual / 4, usual * 4) + delay, message, 1);
    if (faults.happens('messageRepeated')) this.#deliverAfter(this.#random.spread(1_000, 3_600_000), message, 1);
  }

  #deliverAfter(delay: number, message: BusMessage, attempt: number): void {
    this.#around.scheduler.after(delay, () => this.#deliver(message, attempt));
  }

  #deliver(message: BusMessage, attempt: number): boolean {
    const { scenario, scheduler, faults, tell } = this.#around;
    const { ackDeadline, maxAttempts, busLatency } = scenario.world;
    let isOver = false;
    const again = (): false => {
      if (isOver) return false;
      isOver = true;
      if (attempt >= maxAttempts) tell(() => `the bus gives up on ${describeMessage(message)}`);
      else this.#deliverAfter(this.#random.spread(busLatency, busLatency * 100), message, attempt + 1);
      return false;
    };
    tell(() => `delivery of ${describeMessage(message)}${attempt > 1 ? `, attempt ${attempt}` : ''}`);
    const isTold = this.#route(message, attempt, (taken) => {
      if (!taken) again();
      else if (!faults.happens('ackLost')) isOver = true;
    });
    scheduler.after(ackDeadline, again);
    return isTold;
  }
}
