/**
 * What Pub/Sub could not deliver. A message of a source becomes a dead letter of ours, once, named by the message; an
 * envelope or tick needs nothing, since a sweep sends it again, but somebody should look why it could not be delivered.
 */
import { sourceDeadLetter } from '../../engine/dead-letter.ts';
import { deadLetterDocuments } from '../../engine/dead-letter-document.ts';
import { rawRecord } from '../../engine/ingest/source-message.ts';
import { type ShardSetting, versionOf } from '../../engine/shard/shard.ts';
import { ContentionError, RetryableError } from '../../model/errors.ts';
import type { Plan } from '../../plan/plan.ts';
import { sourceSubscription } from '../../plan/resource-names.ts';
import type { PushMessage } from '../push/index.ts';
import type { Log } from './log.ts';
import { sourceMessage } from './source-host.ts';

export interface UndeliveredHostSetting {
  readonly plan: Plan;
  readonly engine: ShardSetting;
  readonly log: Log;
}

/** Pub/Sub adds these when it gives a message to a dead-letter topic. The copy has a new id. */
const SUBSCRIPTION = 'CloudPubSubDeadLetterSourceSubscription';
const ATTEMPTS = 'CloudPubSubDeadLetterSourceDeliveryCount';

export class UndeliveredHost {
  readonly #setting: UndeliveredHostSetting;

  constructor(setting: UndeliveredHostSetting) {
    this.#setting = setting;
  }

  async take(push: PushMessage): Promise<void> {
    const { plan, engine, log } = this.#setting;
    const { [SUBSCRIPTION]: subscription, [ATTEMPTS]: attempts } = push.attributes;
    const source = plan.sources.find(({ id }) => sourceSubscription(plan.pipeline, id) === subscription);
    if (source === undefined) {
      log.error(`Pub/Sub gave up after ${attempts} attempts; a sweep sends it again`, {
        stage: push.attributes['stage'],
        messageId: push.messageId,
        details: { subscription },
      });
      return;
    }
    const now = engine.clock.now();
    const place = {
      id: `${source.id}~undelivered~${push.messageId}`,
      stage: source.id,
      failedAt: now,
      version: versionOf(engine),
    };
    const error = new RetryableError(`Pub/Sub gave up after ${attempts} attempts`);
    const letter = sourceDeadLetter(place, rawRecord(sourceMessage(push, now)), error);
    const preconditions = [{ collection: 'deadLetters', id: letter.id, version: 'absent' } as const];
    try {
      await engine.store.commit({ preconditions, sets: deadLetterDocuments(letter).documents, deletes: [] });
    } catch (failure) {
      // It was written when this message came before.
      if (failure instanceof ContentionError) return;
      throw failure;
    }
    engine.deadLettered?.([letter]);
  }

  async idle(): Promise<void> {}

  async close(): Promise<void> {}
}
