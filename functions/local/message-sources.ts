import { chainOf } from '../engine/chain/stage-chain.ts';
import type { Chain } from '../engine/chain/chain.ts';
import { MessageIngest } from '../engine/ingest/message-ingest.ts';
import type { SourceMessage } from '../engine/ingest/source-message.ts';
import type { ShardSetting } from '../engine/shard/shard.ts';
import { ConfigurationError } from '../model/errors.ts';
import type { Plan, PlannedSource } from '../plan/plan.ts';
import type { MemoryBacklog } from './memory-backlog.ts';

interface Instance {
  readonly ingest: MessageIngest;
  readonly chain: Chain;
}

/** The ingest instances of a pipeline's sources of messages, in one process. */
export class MessageSources {
  readonly #plan: Plan;
  readonly #setting: ShardSetting;
  readonly #backlog: MemoryBacklog;
  readonly #instances = new Map<string, Instance[]>();

  /** @param count instances of each source */
  constructor(plan: Plan, setting: ShardSetting, backlog: MemoryBacklog, count: number) {
    this.#plan = plan;
    this.#setting = setting;
    this.#backlog = backlog;
    for (const source of plan.sources)
      if (source.reader === 'messages')
        this.#instances.set(
          source.id,
          Array.from({ length: count }, () => this.#start(source)),
        );
  }

  get chains(): Chain[] {
    return [...this.#instances.values()].flat().map(({ chain }) => chain);
  }

  /**
   * Delivers a message to an instance; it counts as unacknowledged until it has been taken in.
   * @returns when it was acknowledged; rejects when it has to be delivered again
   */
  async offer(source: string, message: SourceMessage, instance: number): Promise<void> {
    this.#backlog.published(source, message.id, message.publishTime);
    await this.#instance(source, instance).ingest.offer(message);
    this.#backlog.acknowledged(source, message.id);
  }

  #start(source: PlannedSource): Instance {
    const chain = chainOf(this.#plan, source, this.#setting.inputWatermarkOf);
    return { chain, ingest: new MessageIngest({ source, setting: this.#setting, chain }) };
  }

  #instance(source: string, number: number): Instance {
    const instances = this.#instances.get(source);
    const instance = instances?.[number];
    if (instance !== undefined) return instance;
    throw new ConfigurationError(
      instances === undefined
        ? `'${source}' is no source of messages of pipeline '${this.#plan.pipeline}'`
        : `source '${source}' has ${instances.length} instances, so none with the number ${number}`,
    );
  }
}
