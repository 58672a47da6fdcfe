/** Makes the topics and subscriptions of a manifest on the Pub/Sub emulator. What is there already stays as it is. */
import type { Manifest } from '../../functions/plan/manifest.ts';
import type { ManifestSubscription } from '../../functions/plan/delivery.ts';
import { type Clients, ONCE } from '../relay/clients.ts';

const ALREADY_EXISTS = 6;

export async function createPubSubParts(clients: Clients, projectId: string, manifest: Manifest): Promise<void> {
  const topic = (name: string): string => `projects/${projectId}/topics/${name}`;
  for (const { name } of manifest.topics) await unlessThere(clients.publisher.createTopic({ name: topic(name) }, ONCE));
  for (const subscription of manifest.subscriptions) {
    const request = {
      name: `projects/${projectId}/subscriptions/${subscription.name}`,
      topic: topic(subscription.topic),
      ackDeadlineSeconds: subscription.ackDeadlineSeconds,
      ...deliveryOf(subscription, topic),
    };
    await unlessThere(clients.subscriber.createSubscription(request, ONCE));
  }
}

/** Without a push endpoint, since the relay pushes. */
function deliveryOf(subscription: ManifestSubscription, topic: (name: string) => string) {
  const { minBackoffSeconds, maxBackoffSeconds, deadLetter } = subscription;
  return {
    retryPolicy: { minimumBackoff: { seconds: minBackoffSeconds }, maximumBackoff: { seconds: maxBackoffSeconds } },
    ...(deadLetter === null
      ? {}
      : {
          deadLetterPolicy: {
            deadLetterTopic: topic(deadLetter.topic),
            maxDeliveryAttempts: deadLetter.maxDeliveryAttempts,
          },
        }),
  };
}

async function unlessThere(made: Promise<unknown>): Promise<void> {
  try {
    await made;
  } catch (error) {
    if ((error as { code?: number }).code !== ALREADY_EXISTS) throw error;
  }
}
