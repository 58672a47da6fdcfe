/** An instance that takes in the messages of sources. */
import { chainOf } from '../../../functions/engine/chain/stage-chain.ts';
import { MessageIngest } from '../../../functions/engine/ingest/message-ingest.ts';
import type { SourceMessage } from '../../../functions/engine/ingest/source-message.ts';
import type { ShardSetting } from '../../../functions/engine/shard/shard.ts';
import { RetryableError } from '../../../functions/model/errors.ts';
import type { Millis } from '../../../functions/model/time.ts';
import type { Plan } from '../../../functions/plan/plan.ts';
import type { Instance } from './instance.ts';

export class IngestInstance {
  readonly instance: Instance;
  /** By source; each resolves when its steps are set up. */
  readonly #ingests = new Map<string, Promise<MessageIngest>>();
  readonly #broken: (error: unknown) => void;

  /**
   * @param slice how long a publish-time slice is
   * @param broken called with errors that the engine should not have let out
   */
  constructor(instance: Instance, plan: Plan, setting: ShardSetting, slice: Millis, broken: (error: unknown) => void) {
    this.instance = instance;
    this.#broken = broken;
    for (const source of plan.sources.filter(({ reader }) => reader === 'messages')) {
      const chain = chainOf(plan, source, setting.inputWatermarkOf);
      const ingest = new MessageIngest({ source, setting, chain, slice });
      this.#ingests.set(
        source.id,
        chain.setup().then(() => ingest),
      );
    }
  }

  /** Hands a message over. @returns whether the engine has something to run now */
  take(source: string, message: SourceMessage, answer: (taken: boolean) => void): boolean {
    return this.instance.whenAwake(() => {
      this.#ingests
        .get(source)!
        .then((ingest) => ingest.offer(message))
        .then(
          () => answer(true),
          (error: unknown) => {
            if (!(error instanceof RetryableError)) this.#broken(error);
            answer(false);
          },
        );
    });
  }
}
