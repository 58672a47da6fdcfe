/** The bus between stages: loses, repeats, delays and reorders what it carries. */
import { RetryableError } from '../../../functions/model/errors.ts';
import type { Bus, BusMessage, OutsideMessage } from '../../../functions/ports/bus.ts';
import { Deliveries, type Route } from './deliveries.ts';
import { describeMessage } from './describe.ts';
import type { Instance } from './instance.ts';
import { Outages } from './outages.ts';
import { Random } from './random.ts';
import type { Surroundings } from './surroundings.ts';

const LATEST_REPETITION = 1_800_000;

/** A message with the epoch of who has sent it. */
export interface Sent {
  readonly message: BusMessage;
  readonly epoch: number;
}

export class SimulatedBus {
  readonly published: OutsideMessage[] = [];
  readonly #around: Surroundings;
  readonly #deliveries: Deliveries<Sent>;
  readonly #outages: Outages;
  readonly #random: Random;

  /** @param heldUntil until when nothing is delivered to a message's target */
  constructor(around: Surroundings, route: Route<Sent>, heldUntil: (message: BusMessage) => number) {
    this.#around = around;
    const { maxAttempts } = around.scenario.world;
    const limits = { maxAttempts, latestRepetition: LATEST_REPETITION };
    this.#deliveries = new Deliveries(around, 'bus', {
      route,
      describe,
      heldUntil: ({ message }) => heldUntil(message),
      ...limits,
    });
    this.#outages = new Outages(around, 'busOutage', 'the bus');
    this.#random = new Random(around.seed, 'bus');
  }

  /**
   * The port of one instance.
   * @param epoch the instance's, which is named by all that it sends
   */
  portOf(instance: Instance, epoch: number): Bus {
    const { busLatency } = this.#around.scenario.world;
    return {
      send: (messages) =>
        instance.call('send', busLatency, () => this.#accept(messages, (message) => this.#carry({ message, epoch }))),
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

  #carry(sent: Sent): void {
    const { faults, tell } = this.#around;
    if (faults.happens('messageLost')) tell(() => `the bus loses ${describe(sent)}`);
    else this.#deliveries.carry(sent);
  }
}

function describe({ message, epoch }: Sent): string {
  return `${describeMessage(message)}${epoch === 1 ? '' : ` of epoch ${epoch}`}`;
}
