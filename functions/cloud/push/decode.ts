/**
 * One decoder for every shape in which a Pub/Sub message can come to a function. Invariant: the same message gives the
 * same `PushMessage`, as far as its shape carries it; what is no message is a `PushDecodeError` and never half a message.
 */
import { decodeBinaryEvent, decodeStructuredEvent, isBinaryEvent, isStructuredEvent } from './cloud-event.ts';
import { excerpt, isObject, type JsonObject, own, parseObject } from './fields.ts';
import { PushDecodeError, type PushMessage, type PushRequest } from './message.ts';
import { decodeUnwrapped, headerText, isUnwrapped, subscriptionHeader } from './unwrapped.ts';
import { decodeWrapped, isWrapped } from './wrapped.ts';

/**
 * Pub/Sub's largest message is 10 MB; in base64, with attributes and escapes, it stays below this. A greater body is
 * refused before it is parsed.
 */
export const MAX_BODY_BYTES = 20 * 1024 * 1024;

const JSON_TYPE = /^application\/(.+\+)?json\b/i;

/**
 * Decodes a push, an Eventarc event (binary or structured), or an unwrapped push.
 * @throws {PushDecodeError} naming the field, when it is none of these or a part of it cannot be right
 * @example http('count', (request, response) => { const { data, messageId } = decodePush(request); … });
 */
export function decodePush(request: PushRequest): PushMessage {
  if (request.rawBody && request.rawBody.byteLength > MAX_BODY_BYTES) {
    throw new PushDecodeError('body', `has ${request.rawBody.byteLength} bytes, above the limit of ${MAX_BODY_BYTES}`);
  }
  if (isUnwrapped(request) && !isWrappedFor(request)) return decodeUnwrapped(request);
  const body = bodyOf(request);
  if (isBinaryEvent(request)) return decodeBinaryEvent(request, body);
  if (isStructuredEvent(body)) return decodeStructuredEvent(body);
  if (isWrapped(body)) return decodeWrapped(body, '');
  throw new PushDecodeError('body', `expected a Pub/Sub push or a CloudEvent around one, got ${excerpt(body)}`);
}

/** The same for a function of the `cloudevent` signature: the event, or what functions-framework could not convert. */
export function decodeEvent(event: unknown): PushMessage {
  return decodePush({ headers: {}, body: event });
}

/** The parsed body where a parser understood it as JSON, else what the bytes say. */
function bodyOf({ headers, body, rawBody }: PushRequest): JsonObject {
  const contentType = headerText({ headers }, 'content-type');
  const parsedAsJson = isObject(body) && (rawBody === undefined || JSON_TYPE.test(contentType ?? ''));
  if (parsedAsJson) return body;
  if (rawBody) return parseObject(Buffer.from(rawBody).toString(), 'body');
  if (body instanceof Uint8Array) return parseObject(Buffer.from(body).toString(), 'body');
  if (typeof body === 'string') return parseObject(body, 'body');
  throw new PushDecodeError('body', `expected a JSON object, got ${excerpt(body)}`);
}

/** A push may carry the metadata headers and be wrapped all the same: then its body names the same subscription. */
function isWrappedFor(request: PushRequest): boolean {
  const body = jsonBodyOf(request);
  return body !== undefined && isWrapped(body) && own(body, 'subscription') === subscriptionHeader(request);
}

function jsonBodyOf(request: PushRequest): JsonObject | undefined {
  try {
    return bodyOf(request);
  } catch {
    return undefined; // the data of an unwrapped message need not be JSON
  }
}
