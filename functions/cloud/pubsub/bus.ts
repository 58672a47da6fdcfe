/** The bus on Pub/Sub: a topic for each slot of each stage, and the topics outside. */
import { parseShardId } from '../../engine/protocol/names.ts';
import { stageTopic } from '../../plan/resource-names.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Bus, BusMessage, OutsideMessage } from '../../ports/bus.ts';
import { encodeMessage, type WireMessage } from './message.ts';
import { Publisher, type PubSubSetting } from './publisher.ts';

export interface PubSubBusSetting extends PubSubSetting {
  /** Of who sends; see `TopologyControl`. Default 1. */
  readonly epoch?: number;
}

export class PubSubBus implements Bus {
  readonly #plan: Plan;
  readonly #epoch: number;
  readonly #publisher: Publisher;

  constructor(plan: Plan, { epoch = 1, ...setting }: PubSubBusSetting) {
    this.#plan = plan;
    this.#epoch = epoch;
    this.#publisher = new Publisher(setting);
  }

  async send(messages: readonly BusMessage[]): Promise<void> {
    const byTopic = grouped(
      messages,
      ({ target }) => this.topicOf(target),
      (message) => encodeMessage(message, this.#plan.pipeline, this.#epoch),
    );
    await this.#publishAll(byTopic);
  }

  async publish(messages: readonly OutsideMessage[]): Promise<void> {
    const byTopic = grouped(
      messages,
      ({ topic }) => topic,
      ({ data, attributes }) => ({ data: Buffer.from(data), attributes }),
    );
    await this.#publishAll(byTopic);
  }

  /** The topic that leads to a shard: that of the slot in which it runs. */
  topicOf(target: string): string {
    const { stage, shard } = parseShardId(target);
    return stageTopic(this.#plan.pipeline, stage, shard % this.#plan.stage(stage).slots);
  }

  /** Opens the client ahead of its first use. */
  prepare(): Promise<void> {
    return this.#publisher.prepare();
  }

  close(): Promise<void> {
    return this.#publisher.close();
  }

  /** Waits for all, so that nothing is left behind when one fails. */
  async #publishAll(byTopic: ReadonlyMap<string, readonly WireMessage[]>): Promise<void> {
    const outcomes = await Promise.allSettled(
      [...byTopic].map(([topic, wire]) => this.#publisher.publish(topic, wire)),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
}

function grouped<T>(
  items: readonly T[],
  topicOf: (item: T) => string,
  encode: (item: T) => WireMessage,
): Map<string, WireMessage[]> {
  const groups = new Map<string, WireMessage[]>();
  for (const item of items) {
    const topic = topicOf(item);
    const group = groups.get(topic);
    if (group === undefined) groups.set(topic, [encode(item)]);
    else group.push(encode(item));
  }
  return groups;
}
