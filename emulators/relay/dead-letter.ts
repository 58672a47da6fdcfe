import type { v1 } from '@google-cloud/pubsub';
import { ONCE } from './clients.ts';
import { dataOf, type PulledMessage, publishTimeOf } from './wire.ts';

/** The attributes that Pub/Sub adds to a message when it gives it to a dead-letter topic. */
export function deadLetterAttributes(
  path: string,
  message: PulledMessage,
  deliveryCount: number,
): Record<string, string> {
  const [, project = '', , subscription = ''] = path.split('/');
  return {
    ...message.attributes,
    CloudPubSubDeadLetterSourceDeliveryCount: String(deliveryCount),
    CloudPubSubDeadLetterSourceSubscription: subscription,
    CloudPubSubDeadLetterSourceSubscriptionProject: project,
    CloudPubSubDeadLetterSourceTopicPublishTime: publishTimeOf(message),
  };
}

/** Publishes a message that was refused too often; the caller acknowledges it once this has resolved. */
export async function forwardDeadLetter(
  publisher: v1.PublisherClient,
  topic: string,
  path: string,
  message: PulledMessage,
  deliveryCount: number,
): Promise<void> {
  const attributes = deadLetterAttributes(path, message, deliveryCount);
  const orderingKey = message.orderingKey ?? '';
  await publisher.publish({ topic, messages: [{ data: dataOf(message), attributes, orderingKey }] }, ONCE);
}
