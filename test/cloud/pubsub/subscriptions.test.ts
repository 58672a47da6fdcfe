import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PubSubSubscriptions } from '../../../functions/cloud/pubsub/subscriptions.ts';
import { sourceSubscription, stageTopic } from '../../../functions/plan/resource-names.ts';

/** What each subscription pushes to, by its path. */
const endpoints = new Map<string, string>();

vi.mock('@google-cloud/pubsub', () => ({
  v1: {
    SubscriberClient: class {
      async getSubscription({ subscription }: { subscription: string }) {
        const pushEndpoint = endpoints.get(subscription);
        if (pushEndpoint === undefined) throw Object.assign(new Error('5 NOT_FOUND'), { code: 5 });
        return [{ pushConfig: { pushEndpoint } }];
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
const SLOT_1 = `projects/p/subscriptions/${stageTopic('sales', 'counts', 1)}`;
let slots: number;
let subscriptions: PubSubSubscriptions;

beforeEach(() => {
  endpoints.set(SOURCE, 'https://ingest').set(STAGE, 'https://counts');
  endpoints.delete(SLOT_1);
  slots = 1;
  subscriptions = new PubSubSubscriptions({ projectId: 'p', pipeline: 'sales', slotsOf: () => slots });
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

  it('of a slot that a deployment has not made yet are left out, and so is one that is gone', async () => {
    slots = 2;
    const stage = { kind: 'stage', id: 'counts' } as const;
    const noted = await subscriptions.note(stage);
    await subscriptions.pause(stage);
    expect([endpoints.get(STAGE), endpoints.has(SLOT_1)]).toEqual(['', false]);
    endpoints.set(SLOT_1, 'https://counts-1');
    const more = await subscriptions.note(stage, noted);
    await subscriptions.pause(stage);
    expect([endpoints.get(STAGE), endpoints.get(SLOT_1)]).toEqual(['', '']);
    endpoints.delete(STAGE);
    await subscriptions.resume(stage, more);
    expect([endpoints.has(STAGE), endpoints.get(SLOT_1)]).toEqual([false, 'https://counts-1']);
  });

  it.each([
    [{ kind: 'stage', id: 'other' }, stageTopic('sales', 'other', 0)],
    [{ kind: 'source', id: 'other' }, sourceSubscription('sales', 'other')],
  ] as const)('none of which are there are not noted: %j', async (delivery, name) => {
    await expect(subscriptions.note(delivery)).rejects.toThrow(
      `Pub/Sub: there is no subscription '${name}' in project 'p'; deploy it`,
    );
  });
});
