/** An instance that takes what the bus has given up on: the very host that stands behind the dead-letter topic. */
import { Log } from '../../../functions/cloud/service/log.ts';
import { UndeliveredHost } from '../../../functions/cloud/service/undelivered-host.ts';
import type { SourceMessage } from '../../../functions/engine/ingest/source-message.ts';
import type { ShardSetting } from '../../../functions/engine/shard/shard.ts';
import { RetryableError } from '../../../functions/model/errors.ts';
import type { Plan } from '../../../functions/plan/plan.ts';
import { sourceSubscription } from '../../../functions/plan/resource-names.ts';
import type { Instance } from './instance.ts';

/** A copy of a message, under an id of its own. */
export interface GivenUp {
  readonly id: string;
  readonly message: SourceMessage;
}

export class UndeliveredInstance {
  readonly instance: Instance;
  readonly #host: UndeliveredHost;
  readonly #pipeline: string;
  readonly #broken: (error: unknown) => void;

  /** @param broken called with errors that the engine should not have let out */
  constructor(instance: Instance, plan: Plan, engine: ShardSetting, broken: (error: unknown) => void) {
    this.instance = instance;
    this.#host = new UndeliveredHost({ plan, engine, log: new Log(plan.pipeline, '', () => {}) });
    this.#pipeline = plan.pipeline;
    this.#broken = broken;
  }

  /** Hands a copy over. @returns whether the engine has something to run now */
  take(source: string, { id, message }: GivenUp, answer: (taken: boolean) => void): boolean {
    const push = {
      messageId: id,
      publishTime: this.instance.clock.now(),
      data: Buffer.from(JSON.stringify(message.data)),
      attributes: {
        CloudPubSubDeadLetterSourceSubscription: sourceSubscription(this.#pipeline, source),
        CloudPubSubDeadLetterSourceDeliveryCount: '5',
        CloudPubSubDeadLetterSourceTopicPublishTime: new Date(message.publishTime).toISOString(),
      },
      orderingKey: undefined,
      deliveryAttempt: undefined,
      subscription: undefined,
    };
    return this.instance.whenAwake(() => {
      this.#host.take(push).then(
        () => answer(true),
        (error: unknown) => {
          if (!(error instanceof RetryableError)) this.#broken(error);
          answer(false);
        },
      );
    });
  }
}
