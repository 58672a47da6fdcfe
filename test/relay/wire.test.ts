import { describe, expect, it } from 'vitest';
import { deadLetterAttributes } from '../../emulators/relay/dead-letter.ts';
import { backoffAfter } from '../../emulators/relay/policy.ts';
import { Queue } from '../../emulators/relay/queue.ts';
import { pushBody } from '../../emulators/relay/wire.ts';

const publishTime = { seconds: '1795994731', nanos: 967_000_000 };

describe("a push's body", () => {
  it('is written as production writes it', () => {
    const message = {
      data: Buffer.from('hello'),
      attributes: { k: 'v' },
      messageId: '42',
      publishTime,
      orderingKey: 'o',
    };
    expect(JSON.parse(pushBody('projects/p/subscriptions/s', message, 3).toString())).toEqual({
      subscription: 'projects/p/subscriptions/s',
      deliveryAttempt: 3,
      message: {
        attributes: { k: 'v' },
        data: 'aGVsbG8=',
        messageId: '42',
        message_id: '42',
        orderingKey: 'o',
        publishTime: '2026-11-29T23:25:31.967Z',
        publish_time: '2026-11-29T23:25:31.967Z',
      },
    });
  });

  it('leaves out what is empty', () => {
    const message = { data: Buffer.alloc(0), attributes: {}, messageId: '42', publishTime, orderingKey: '' };
    expect(JSON.parse(pushBody('projects/p/subscriptions/s', message, undefined).toString())).toEqual({
      subscription: 'projects/p/subscriptions/s',
      message: {
        messageId: '42',
        message_id: '42',
        publishTime: '2026-11-29T23:25:31.967Z',
        publish_time: '2026-11-29T23:25:31.967Z',
      },
    });
  });
});

describe('a dead letter', () => {
  it('keeps its attributes and gets four more', () => {
    const message = { attributes: { k: 'v' }, messageId: '42', publishTime };
    expect(deadLetterAttributes('projects/p1/subscriptions/s1', message, 5)).toEqual({
      k: 'v',
      CloudPubSubDeadLetterSourceDeliveryCount: '5',
      CloudPubSubDeadLetterSourceSubscription: 's1',
      CloudPubSubDeadLetterSourceSubscriptionProject: 'p1',
      CloudPubSubDeadLetterSourceTopicPublishTime: '2026-11-29T23:25:31.967Z',
    });
  });
});

describe('the retry backoff', () => {
  it('doubles from the minimum to the maximum', () => {
    const backoff = { minimum: 10_000, maximum: 600_000 };
    expect([1, 2, 3, 6, 7, 8, 100].map((attempt) => backoffAfter(attempt, backoff))).toEqual([
      10_000, 20_000, 40_000, 320_000, 600_000, 600_000, 600_000,
    ]);
  });

  it('is none without a policy', () => {
    expect(backoffAfter(1, undefined)).toBe(0);
  });
});

describe('the queue', () => {
  it('gives back in order what was put in, over many compactions', () => {
    const queue = new Queue<number>();
    let next = 0;
    let expected = 0;
    for (let round = 0; round < 50; round++) {
      for (let n = 0; n < 300; n++) queue.push(next++);
      for (let n = 0; n < 290; n++) expect(queue.shift()).toBe(expected++);
    }
    expect(queue.length).toBe(500);
    while (queue.length > 0) expect(queue.shift()).toBe(expected++);
    expect(queue.shift()).toBeUndefined();
    expect(expected).toBe(15_000);
  });
});
