/**
 * The shards of one stage that run in this instance. Invariants: a message is acknowledged when its shard has answered for
 * it; what cannot be taken here is sent on or left to a sweep, never lost, since its number stays open at its sender;
 * a call to the outside is held open by one request.
 */
import {
  type AssembledShard,
  type AssemblySetting,
  assembleShard,
  type EnrichShard,
  type SinkShard,
  type ViewShard,
} from '../../engine/assembly.ts';
import { isForEpoch } from '../../engine/protocol/epochs.ts';
import { parseShardId } from '../../engine/protocol/names.ts';
import type { Root } from '../../engine/protocol/root.ts';
import { dueTime } from '../../engine/sink/sink-state.ts';
import { sinkState } from '../../engine/sink/sink-work.ts';
import { DecodeError } from '../../model/errors.ts';
import type { Plan, Stage } from '../../plan/plan.ts';
import type { BusMessage } from '../../ports/bus.ts';
import { decodeMessage, epochOf } from '../pubsub/message.ts';
import type { PushMessage } from '../push/index.ts';
import type { Log, LogFields } from './log.ts';

export interface StageHostSetting {
  readonly plan: Plan;
  readonly stage: Stage;
  readonly slot: number;
  readonly engine: AssemblySetting;
  readonly log: Log;
}

export class StageHost {
  readonly #setting: StageHostSetting;
  readonly #shards = new Map<number, Promise<AssembledShard>>();
  /** Flushes that no request holds open yet. */
  readonly #flushes: Promise<void>[] = [];

  constructor(setting: StageHostSetting) {
    this.#setting = setting;
  }

  /** Takes a pushed message. @throws {RetryableError} when it should be delivered again */
  async take(push: PushMessage): Promise<void> {
    const { plan, log, engine } = this.#setting;
    let message: BusMessage;
    let epoch: number;
    try {
      epoch = epochOf(push);
      message = decodeMessage(push, plan.pipeline);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      // Acknowledged: it would be as broken when it came again.
      log.error('a message that this pipeline has not sent', this.#fields({ messageId: push.messageId, error }));
      return;
    }
    if (isForEpoch(epoch, engine.epoch)) await this.offer(message);
  }

  /** Hands a message to its shard, and holds open a flush that it has made due. */
  async offer(message: BusMessage): Promise<void> {
    const { stage, slot, engine, log } = this.#setting;
    const place = parseShardId(message.target);
    if (place.stage !== stage.id || place.shard >= stage.shards) {
      log.warning('a message for a shard that this deployment does not have; it stays open', this.#about(message));
      return;
    }
    if (place.shard % stage.slots !== slot) return engine.bus.send([message]);
    const { shard } = await this.#shard(place.shard);
    await shard.offer(message);
    await this.#flushes.shift();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    for (const assembled of this.#shards.values()) await (await assembled).shard.idle();
    while (this.#flushes.length > 0) await this.#flushes.shift();
  }

  /** Ends what the steps hold open. Call when idle. */
  async close(): Promise<void> {
    for (const assembled of this.#shards.values()) {
      const built = await assembled;
      if (built.kind === 'keyed' || built.kind === 'enrich') await built.chain.teardown();
    }
    this.#shards.clear();
  }

  /** A shard is put together when its first message comes, so that a cold start sets up what it needs and no more. */
  #shard(number: number): Promise<AssembledShard> {
    let assembled = this.#shards.get(number);
    if (assembled === undefined) {
      assembled = this.#assemble(number).catch((error: unknown) => {
        this.#shards.delete(number);
        throw error;
      });
      this.#shards.set(number, assembled);
    }
    return assembled;
  }

  async #assemble(number: number): Promise<AssembledShard> {
    const { plan, stage, engine } = this.#setting;
    const assembled = assembleShard(plan, stage, number, engine);
    if (assembled.kind === 'keyed') await assembled.chain.setup();
    else if (assembled.kind === 'enrich') {
      await assembled.chain.setup();
      assembled.shard.onCommitted = (root) => this.#askWhenDue(root, assembled);
    } else if (assembled.kind === 'view') {
      await assembled.chain?.setup();
      assembled.shard.onCommitted = (root) => this.#show(root, assembled);
    } else assembled.shard.onCommitted = (root) => this.#flushWhenDue(root, assembled);
    return assembled;
  }

  #flushWhenDue(root: Root, { flusher, policy }: SinkShard): void {
    if (dueTime(sinkState(root), policy) > root.processingTime) return;
    // A flush that fails is claimed again when its lease is over; what it was to write stays where it is.
    const flush = flusher.flushDue().catch((error: unknown) => {
      this.#setting.log.error('a flush failed', this.#fields({ shard: root.id, error }));
    });
    this.#flushes.push(flush);
  }

  #askWhenDue(root: Root, { caller }: EnrichShard): void {
    if (!caller.isDue(root)) return;
    // What a failed claim or settlement leaves behind is claimed again when its lease is over.
    const asked = caller.drive()?.catch((error: unknown) => {
      this.#setting.log.error('a model could not be asked', this.#fields({ shard: root.id, error }));
    });
    if (asked !== undefined) this.#flushes.push(asked);
  }

  #show(root: Root, { publisher }: ViewShard): void {
    // What fails is tried again with the commit of the next tick.
    const shown = publisher.committed(root).catch((error: unknown) => {
      this.#setting.log.error('a view could not be shown', this.#fields({ shard: root.id, error }));
    });
    this.#flushes.push(shown);
  }

  #about(message: BusMessage): LogFields {
    const envelope = message.kind === 'envelope' ? `${message.sender}#${message.number}` : undefined;
    return this.#fields({ shard: message.target, envelope });
  }

  #fields(fields: LogFields): LogFields {
    return { stage: this.#setting.stage.id, ...fields };
  }
}
