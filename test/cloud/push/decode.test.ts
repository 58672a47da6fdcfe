import { describe, expect, it } from 'vitest';
import {
  decodeEvent,
  decodePush,
  MAX_BODY_BYTES,
  PushDecodeError,
  type PushRequest,
} from '../../../functions/cloud/push/index.ts';
import { DecodeError } from '../../../functions/model/errors.ts';
import { asGolden, goldens } from './golden.ts';

const messages = goldens.filter(({ message }) => message !== undefined);
const mistakes = goldens.filter(({ error }) => error !== undefined);

function request(golden: (typeof goldens)[number]): PushRequest {
  const { headers, body, parsedBody } = golden.request;
  return body === undefined ? { headers, body: parsedBody } : { headers, rawBody: Buffer.from(body) };
}

function failureOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return 'nothing was thrown';
}

describe('decoding a push', () => {
  it('has golden files of both kinds', () => {
    expect(messages.length).toBe(21);
    expect(mistakes.length).toBe(19);
  });

  it.each(messages)('reads $name: $about', (golden) => {
    expect(asGolden(decodePush(request(golden)), golden)).toEqual(golden.message);
  });

  it.each(mistakes)('refuses $name: $about', (golden) => {
    const error = failureOf(() => decodePush(request(golden)));
    expect(error).toBeInstanceOf(PushDecodeError);
    const { field, message, messageId = null } = error as PushDecodeError;
    expect({ field, message, messageId }).toEqual(golden.error);
  });

  it('fails as what needs no retry, with the code that operators know', () => {
    const error = failureOf(() => decodePush({ headers: {}, body: {} }));
    expect(error).toBeInstanceOf(DecodeError);
    expect((error as PushDecodeError).code).toBe('DECODE');
    expect((error as PushDecodeError).name).toBe('PushDecodeError');
  });

  it('reads a body that came as text or bytes, where no parser knew its type', () => {
    const body = JSON.stringify({ message: { messageId: '7', data: 'aGk=' } });
    for (const form of [body, Buffer.from(body)]) {
      expect(decodePush({ headers: { 'content-type': 'text/plain' }, body: form }).data.toString()).toBe('hi');
    }
  });

  it('reads an attribute-only push that functions-framework could not convert', () => {
    const { data, attributes } = decodeEvent({
      message: { messageId: '7', attributes: { a: 'b' } },
      subscription: 's',
    });
    expect(data.length).toBe(0);
    expect({ ...attributes }).toEqual({ a: 'b' });
  });

  it('gives attributes without a prototype, so that only what was sent is found', () => {
    const { attributes } = decodePush({ headers: {}, body: { message: { messageId: '7', attributes: { a: 'b' } } } });
    expect(Object.getPrototypeOf(attributes)).toBeNull();
    expect(attributes.toString).toBeUndefined();
  });

  it('keeps an attribute named __proto__', () => {
    const rawBody = Buffer.from('{"message":{"messageId":"7","attributes":{"__proto__":"a"}}}');
    expect(Object.entries(decodePush({ headers: {}, rawBody }).attributes)).toEqual([['__proto__', 'a']]);
  });

  it('does not read from a spoilt prototype', () => {
    const spoilt = Object.prototype as Record<string, unknown>;
    spoilt.message = { messageId: 'evil' };
    try {
      expect(() => decodePush({ headers: {}, body: {} })).toThrow('expected a Pub/Sub push');
    } finally {
      delete spoilt.message;
    }
  });
});

describe('large bodies', () => {
  it('up to the largest message that Pub/Sub takes are read', () => {
    const data = Buffer.alloc(10_000_000, 7);
    const body = JSON.stringify({ message: { messageId: '7', data: data.toString('base64') } });
    expect(decodePush({ headers: {}, rawBody: Buffer.from(body) }).data.equals(data)).toBe(true);
  });

  it('above the limit are refused before they are parsed', () => {
    expect(MAX_BODY_BYTES).toBe(20_971_520);
    const rawBody = Buffer.alloc(20_971_521, '{');
    expect(() => decodePush({ headers: {}, rawBody })).toThrow(
      'push: body: has 20971521 bytes, above the limit of 20971520',
    );
  });
});

describe('an unwrapped message', () => {
  it('is not read from a parsed body, which is no longer what was sent', () => {
    const headers = { 'x-goog-pubsub-message-id': '1', 'content-type': 'application/json' };
    expect(() => decodePush({ headers, body: { a: 1 } })).toThrow('push: rawBody: is missing');
  });

  it("does not take the transport's headers for attributes", () => {
    const headers = {
      'x-goog-pubsub-message-id': '1',
      authorization: 'Bearer secret',
      'x-forwarded-for': '10.0.0.1',
      'x-cloud-trace-context': 'abc/1',
      traceparent: '00-abc',
      carrier: ['UA', 'LH'],
    };
    expect({ ...decodePush({ headers }).attributes }).toEqual({ carrier: 'UA, LH' });
  });
});
