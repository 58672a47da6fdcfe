/** An instance that serves stages: makes their shards when messages come, and flushes their tables. */
import { type AssemblySetting, assembleShard } from '../../../functions/engine/assembly.ts';
import { isForEpoch } from '../../../functions/engine/protocol/epochs.ts';
import { parseShardId } from '../../../functions/engine/protocol/names.ts';
import type { Shard } from '../../../functions/engine/shard/shard.ts';
import type { Flusher } from '../../../functions/engine/sink/flusher.ts';
import { dueTime, type FlushPolicy } from '../../../functions/engine/sink/sink-state.ts';
import { sinkState } from '../../../functions/engine/sink/sink-work.ts';
import type { Root } from '../../../functions/engine/protocol/root.ts';
import { RetryableError } from '../../../functions/model/errors.ts';
import type { Plan } from '../../../functions/plan/plan.ts';
import type { Sent } from './bus.ts';
import type { Instance } from './instance.ts';

export class StageInstance {
  readonly instance: Instance;
  readonly #plan: Plan;
  readonly #setting: AssemblySetting;
  /** Each resolves when its steps are set up. */
  readonly #shards = new Map<string, Promise<Shard>>();
  readonly #broken: (error: unknown) => void;

  /** @param broken called with errors that the engine should not have let out */
  constructor(instance: Instance, plan: Plan, setting: AssemblySetting, broken: (error: unknown) => void) {
    this.instance = instance;
    this.#plan = plan;
    this.#setting = setting;
    this.#broken = broken;
  }

  /** Hands a message to its shard. @returns whether the engine has something to run now */
  take(sent: Sent, answer: (taken: boolean) => void): boolean {
    return this.instance.whenAwake(() => {
      this.#offer(sent).then(
        () => answer(true),
        (error: unknown) => {
          if (!(error instanceof RetryableError)) this.#broken(error);
          answer(false);
        },
      );
    });
  }

  async #offer({ message, epoch }: Sent): Promise<void> {
    const { stage, shard } = parseShardId(message.target);
    // What is for a shard that is no more stays open, as a host leaves it.
    if (!isForEpoch(epoch, this.#setting.epoch) || shard >= this.#plan.stage(stage).shards) return;
    await (await this.#shard(message.target)).offer(message);
  }

  #shard(target: string): Promise<Shard> {
    let shard = this.#shards.get(target);
    if (shard === undefined) {
      shard = this.#make(target);
      this.#shards.set(target, shard);
    }
    return shard;
  }

  async #make(target: string): Promise<Shard> {
    const { stage, shard: number } = parseShardId(target);
    const assembled = assembleShard(this.#plan, this.#plan.stage(stage), number, this.#setting);
    const { shard } = assembled;
    if (assembled.kind !== 'sink') await assembled.chain?.setup();
    if (assembled.kind === 'sink') {
      const { flusher, policy } = assembled;
      shard.onCommitted = (root) => this.#flushWhenDue(root, flusher, policy);
    }
    if (assembled.kind === 'view') shard.onCommitted = (root) => this.#outside(assembled.publisher.committed(root));
    if (assembled.kind === 'enrich') {
      const { caller } = assembled;
      shard.onCommitted = (root) => this.#outside(caller.isDue(root) ? caller.drive() : undefined);
    }
    return shard;
  }

  #flushWhenDue(root: Root, flusher: Flusher, policy: FlushPolicy): void {
    if (dueTime(sinkState(root), policy) <= root.processingTime) this.#outside(flusher.flushDue());
  }

  /** Work outside of commits; when it fails, it is begun again when it is due again. */
  #outside(work: Promise<unknown> | undefined): void {
    work?.catch((error: unknown) => {
      if (!(error instanceof RetryableError)) this.#broken(error);
    });
  }
}
