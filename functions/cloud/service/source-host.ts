/** A source as one instance takes it in. Invariant: a message is acknowledged when all that it became is committed. */
import type { Chain } from '../../engine/chain/chain.ts';
import { chainOf } from '../../engine/chain/stage-chain.ts';
import { MessageIngest } from '../../engine/ingest/message-ingest.ts';
import type { SourceMessage } from '../../engine/ingest/source-message.ts';
import type { ShardSetting } from '../../engine/shard/shard.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Plan, PlannedSource } from '../../plan/plan.ts';
import type { Tuning } from '../configuration.ts';
import type { PushMessage } from '../push/index.ts';

export interface SourceHostSetting {
  readonly plan: Plan;
  readonly source: PlannedSource;
  readonly engine: ShardSetting;
  readonly tuning: Pick<Tuning, 'commitEvery' | 'slice'>;
  /** Opens the bus's client. What a source takes in nearly always leaves, so it is opened while the first commit waits. */
  readonly prepareBus: () => Promise<void>;
}

interface Taking {
  readonly chain: Chain;
  readonly ingest: MessageIngest;
}

export class SourceHost {
  readonly #setting: SourceHostSetting;
  #taking: Promise<Taking> | undefined;
  #prepared: Promise<void> | undefined;

  constructor(setting: SourceHostSetting) {
    this.#setting = setting;
  }

  /** Takes a pushed message. @throws {RetryableError} when it should be delivered again */
  async take(push: PushMessage): Promise<void> {
    this.#taking ??= this.#open();
    const { ingest } = await this.#taking;
    const taken = ingest.offer(sourceMessage(push, this.#setting.engine.clock.now()));
    this.#prepared ??= this.#setting.prepareBus();
    await Promise.all([taken, this.#prepared]);
  }

  async idle(): Promise<void> {
    await (await this.#taking)?.ingest.idle();
  }

  /** Ends what the steps hold open. Call when idle. */
  async close(): Promise<void> {
    await (await this.#taking)?.chain.teardown();
    this.#taking = undefined;
  }

  async #open(): Promise<Taking> {
    const { plan, source, engine, tuning } = this.#setting;
    const { commitEvery: cadence, slice } = tuning;
    try {
      const chain = chainOf(plan, source, engine.inputWatermarkOf);
      await chain.setup();
      return { chain, ingest: new MessageIngest({ source, setting: engine, chain, cadence, slice }) };
    } catch (error) {
      this.#taking = undefined;
      throw error;
    }
  }
}

/** @param now stands for the publish time where the sender left it out, as only local tools do */
export function sourceMessage(push: PushMessage, now: EpochMillis): SourceMessage {
  const { messageId: id, data, attributes, publishTime = now } = push;
  return { id, publishTime, attributes, ...payload(data) };
}

function payload(data: Buffer): Pick<SourceMessage, 'data' | 'problem'> {
  let text: string;
  try {
    text = UTF8.decode(data);
  } catch {
    return { data: data.toString('base64'), problem: 'the payload is not UTF-8; it is shown in base64' };
  }
  try {
    return { data: JSON.parse(text) };
  } catch {
    return { data: text };
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });
