/** What a subscription says about delivery, in our own terms. */
import type { v1 } from '@google-cloud/pubsub';
import { ConfigurationError, messageOf } from '../../functions/model/errors.ts';
import { ONCE } from './clients.ts';

export interface DeliveryPolicy {
  /** `projects/P/subscriptions/S`. */
  readonly path: string;
  /** How long a push may take, and how long a pulled message is ours, in milliseconds. */
  readonly ackDeadlineMillis: number;
  /** Undefined: a refused message is delivered again at once, as Pub/Sub does without a retry policy. */
  readonly backoff: { readonly minimum: number; readonly maximum: number } | undefined;
  readonly deadLetter: { readonly topic: string; readonly maxAttempts: number } | undefined;
}

/** Pub/Sub's own values where a policy leaves them out. */
const DEFAULT_BACKOFF = { minimum: 10_000, maximum: 600_000 };
const DEFAULT_MAX_ATTEMPTS = 5;

interface ProtoDuration {
  readonly seconds?: unknown;
  readonly nanos?: number | null;
}

/** @throws {ConfigurationError} when the subscription is not there, or has a push endpoint of its own */
export async function readPolicy(subscriber: v1.SubscriberClient, path: string): Promise<DeliveryPolicy> {
  const [found] = await subscriber.getSubscription({ subscription: path }, ONCE).catch((error: unknown) => {
    throw new ConfigurationError(`relay: cannot read ${path}: ${messageOf(error)}`, { cause: error });
  });
  if (found.pushConfig?.pushEndpoint) {
    throw new ConfigurationError(
      `relay: ${path} pushes to ${found.pushConfig.pushEndpoint} by itself; create it without a push endpoint, the relay pushes instead`,
    );
  }
  const { retryPolicy, deadLetterPolicy } = found;
  return {
    path,
    ackDeadlineMillis: (found.ackDeadlineSeconds || 10) * 1_000,
    backoff: retryPolicy
      ? {
          minimum: millisOf(retryPolicy.minimumBackoff) ?? DEFAULT_BACKOFF.minimum,
          maximum: millisOf(retryPolicy.maximumBackoff) ?? DEFAULT_BACKOFF.maximum,
        }
      : undefined,
    deadLetter: deadLetterPolicy?.deadLetterTopic
      ? {
          topic: deadLetterPolicy.deadLetterTopic,
          maxAttempts: deadLetterPolicy.maxDeliveryAttempts || DEFAULT_MAX_ATTEMPTS,
        }
      : undefined,
  };
}

/** Milliseconds to wait after the `attempt`-th refusal (1, 2, …): the minimum, doubled each time, up to the maximum. */
export function backoffAfter(attempt: number, backoff: DeliveryPolicy['backoff']): number {
  return backoff ? Math.min(backoff.maximum, backoff.minimum * 2 ** (attempt - 1)) : 0;
}

function millisOf(duration: ProtoDuration | null | undefined): number | undefined {
  return duration ? Number(duration.seconds ?? 0) * 1_000 + (duration.nanos ?? 0) / 1e6 : undefined;
}
