/**
 * What Pub/Sub could not deliver. A message of a source becomes a dead letter of ours, once, named by the message, unless it
 * was taken in after all and only the answers were lost; an envelope or tick needs nothing, since a sweep sends it again, but
 * somebody should look why it could not be delivered.
 */
import { sourceDeadLetter, undeliveredId } from '../../engine/dead-letter.ts';
import { deadLetterDocuments } from '../../engine/dead-letter-document.ts';
import { fateOf } from '../../engine/ids/fate.ts';
import { rawRecord, type SourceMessage } from '../../engine/ingest/source-message.ts';
import { type ShardSetting, versionOf } from '../../engine/shard/shard.ts';
import { ContentionError, RetryableError } from '../../model/errors.ts';
import { epochMillis } from '../../model/time.ts';
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

/** Pub/Sub adds these when it gives a message to a dead-letter topic. The copy has an id and a publish time of its own. */
const SUBSCRIPTION = 'CloudPubSubDeadLetterSourceSubscription';
const ATTEMPTS = 'CloudPubSubDeadLetterSourceDeliveryCount';
const PUBLISH_TIME = 'CloudPubSubDeadLetterSourceTopicPublishTime';

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
    const message = givenUp(sourceMessage(push, now));
    const fate = await fateOf(plan, { source, message }, engine.store, now);
    if (fate === 'taken') {
      log.info(`Pub/Sub gave up after ${attempts} attempts on a message that was taken in; it counts once`, {
        stage: source.id,
        messageId: push.messageId,
      });
      return;
    }
    const place = {
      id: undeliveredId(source.id, push.messageId),
      stage: source.id,
      failedAt: now,
      version: versionOf(engine),
    };
    const doubt =
      fate === 'unknown' ? '; whether it was taken in before is not known, since its ids are not remembered' : '';
    const error = new RetryableError(`Pub/Sub gave up after ${attempts} attempts${doubt}`);
    const letter = sourceDeadLetter(place, rawRecord(message), error);
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

/** The message as it was published, but for its id. */
function givenUp(copy: SourceMessage): SourceMessage {
  const published = Date.parse(copy.attributes[PUBLISH_TIME] ?? '');
  return Number.isNaN(published) ? copy : { ...copy, publishTime: epochMillis(published) };
}
