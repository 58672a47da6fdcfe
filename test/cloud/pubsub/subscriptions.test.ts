import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PubSubSubscriptions } from '../../../functions/cloud/pubsub/subscriptions.ts';
import { sourceSubscription, stageTopic } from '../../../functions/plan/resource-names.ts';

/** What each subscription pushes to, by its path. */
const endpoints = new Map<string, string>();

vi.mock('@google-cloud/pubsub', () => ({
  v1: {
    SubscriberClient: class {
      async getSubscription({ subscription }: { subscription: string }) {
        return [{ pushConfig: { pushEndpoint: endpoints.get(subscription)! } }];
      }
      async modifyPushConfig(change: { subscription: string; pushConfig: { pushEndpoint?: string } }) {
        endpoints.set(change.subscription, change.pushConfig.pushEndpoint ?? '');
      }
      async close() {}
    },
  },
}));

const SOURCE = `projects/p/subscriptions/${sourceSubscription('sales', 'events')}`;
const STAGE = `projects/p/subscriptions/${stageTopic('sales', 'counts', 0)}`;
let subscriptions: PubSubSubscriptions;

beforeEach(() => {
  endpoints.set(SOURCE, 'https://ingest').set(STAGE, 'https://counts');
  subscriptions = new PubSubSubscriptions({ projectId: 'p', pipeline: 'sales', slotsOf: () => 1 });
});

afterEach(() => subscriptions.close());

describe('subscriptions of Pub/Sub', () => {
  it('get back the endpoint that was taken off', async () => {
    const stage = { kind: 'stage', id: 'counts' } as const;
    const noted = await subscriptions.note(stage);
    expect(endpoints.get(STAGE)).toBe('https://counts');
    await subscriptions.pause(stage);
    expect(endpoints.get(STAGE)).toBe('');
    await subscriptions.resume(stage, noted);
    expect(endpoints.get(STAGE)).toBe('https://counts');
  });

  it('are not noted where a stage would have nothing to come back to, unless that was noted before', async () => {
    const stage = { kind: 'stage', id: 'counts' } as const;
    const noted = await subscriptions.note(stage);
    endpoints.set(STAGE, '');
    await expect(subscriptions.note(stage)).rejects.toThrow('pushes to nobody, and it is not noted where to');
    expect(await subscriptions.note(stage, noted)).toEqual(noted);
  });

  it('of a source may be off already, as a drain that broke off leaves it', async () => {
    const source = { kind: 'source', id: 'events' } as const;
    for (let i = 0; i < 2; i++) {
      await subscriptions.note(source);
      await subscriptions.pause(source);
      expect(endpoints.get(SOURCE)).toBe('');
    }
  });
});
