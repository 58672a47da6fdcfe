/** Forged and damaged pushes: they are a message, or a `PushDecodeError`; nothing else comes out. */
import { describe, expect, it } from 'vitest';
import { sourceMessage } from '../../functions/cloud/service/source-host.ts';
import { decodePush, PushDecodeError, type PushRequest } from '../../functions/cloud/push/index.ts';
import type { EpochMillis } from '../../functions/model/time.ts';
import { Random } from '../simulation/world/random.ts';
import { AWKWARD_JSON, BROKEN_JSON, damaged, randomBytes, randomJson } from './hostile.ts';

const NOW = 1_000 as EpochMillis;
const push = JSON.stringify({
  subscription: 'projects/p/subscriptions/s',
  message: {
    data: Buffer.from('{"a":1}').toString('base64'),
    attributes: { kind: 'x', __proto: 'y' },
    messageId: '17',
    publishTime: '2026-01-31T23:59:59.123456789Z',
  },
  deliveryAttempt: 3,
});
const event = JSON.stringify({
  specversion: '1.0',
  type: 'google.cloud.pubsub.topic.v1.messagePublished',
  id: '17',
  data: JSON.parse(push),
});

/** @returns whether it was a message */
function take(request: PushRequest): boolean {
  try {
    const { messageId, data, attributes } = decodePush(request);
    expect(messageId).not.toBe('');
    expect(data).toBeInstanceOf(Buffer);
    expect(Object.values(attributes).every((value) => typeof value === 'string')).toBe(true);
    const message = sourceMessage(decodePush(request), NOW);
    expect(Number.isInteger(message.publishTime)).toBe(true);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(PushDecodeError);
    expect((error as Error).message.length).toBeLessThan(2_000);
    return false;
  }
}

const HEADERS: readonly PushRequest['headers'][] = [
  { 'content-type': 'application/json' },
  { 'content-type': 'text/plain' },
  {},
  { 'ce-type': 'google.cloud.pubsub.topic.v1.messagePublished', 'ce-id': '17', 'ce-time': 'yesterday' },
  { 'ce-type': 'another' },
  { 'x-goog-pubsub-message-id': '17', 'x-goog-pubsub-publish-time': '2026-01-31T23:59:59Z', __proto__: null } as never,
  { 'x-goog-pubsub-message-id': '', 'x-goog-pubsub-subscription-name': 'projects/p/subscriptions/s' },
  { 'x-goog-pubsub-message-id': ['1', '2'] },
];

describe('pushes that nobody has sent so', () => {
  it('are messages or refused, when bytes of them are damaged', () => {
    const random = new Random(1, 'pushes');
    let messages = 0;
    for (let i = 0; i < 4_000; i++) {
      const text = damaged(random, random.pick([push, event]));
      const headers = random.pick(HEADERS);
      const parsed = parse(text);
      const body = random.chance(0.5) && parsed !== undefined ? { body: parsed } : { rawBody: Buffer.from(text) };
      if (take({ headers, ...body })) messages += 1;
    }
    expect(messages).toBeGreaterThan(500);
  });

  it('are messages or refused, whatever they are made of', { timeout: 60_000 }, () => {
    const random = new Random(2, 'bodies');
    const texts = [...AWKWARD_JSON, ...BROKEN_JSON];
    for (const headers of HEADERS) {
      for (const text of texts) take({ headers, rawBody: Buffer.from(text) });
      for (let i = 0; i < 150; i++) {
        take({ headers, rawBody: randomBytes(random, 300) });
        take({ headers, body: randomJson(random) });
        take({ headers, body: { message: randomJson(random), subscription: randomJson(random) } });
        take({
          headers,
          body: { message: { messageId: '1', data: randomJson(random), attributes: randomJson(random) } },
        });
      }
    }
  });

  it('are refused with an excerpt, however deep they are', () => {
    const deep = parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    for (const body of [
      deep,
      { message: deep },
      { message: { messageId: deep } },
      { message: { messageId: '1', attributes: { a: deep } } },
    ])
      expect(take({ headers: {}, body })).toBe(false);
  });
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
