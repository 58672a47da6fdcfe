/**
 * CloudEvents around a push: Eventarc's binary form (context in ce- headers, the push as body), its structured form
 * (`application/cloudevents+json`), and the event that functions-framework makes of a raw push.
 *
 * What functions-framework's conversion loses (ordering key, delivery attempt, subscription) stays lost, and where the
 * publish time was missing it puts the time of arrival: prefer functions of the `http` signature.
 */
import { base64, excerpt, isObject, type JsonObject, own, ownText, parseObject } from './fields.ts';
import { PushDecodeError, type PushMessage, type PushRequest } from './message.ts';
import { headerText } from './unwrapped.ts';
import { decodeWrapped, isWrapped } from './wrapped.ts';

const MESSAGE_PUBLISHED = 'google.cloud.pubsub.topic.v1.messagePublished';

export function isBinaryEvent(request: PushRequest): boolean {
  return request.headers['ce-type'] !== undefined;
}

export function decodeBinaryEvent(request: PushRequest, body: JsonObject): PushMessage {
  const id = headerText(request, 'ce-id');
  checkType(headerText(request, 'ce-type'), 'ce-type', id);
  return decodeWrapped(body, '', { id, time: headerText(request, 'ce-time') });
}

export function isStructuredEvent(body: JsonObject): boolean {
  return own(body, 'specversion') !== undefined && !isWrapped(body);
}

export function decodeStructuredEvent(event: JsonObject): PushMessage {
  const id = ownText(event, 'id', 'id');
  checkType(ownText(event, 'type', 'type', id), 'type', id);
  return decodeWrapped(dataOf(event, id), 'data.', { id, time: ownText(event, 'time', 'time', id) });
}

/** The event's data: an object, the same as text (where the content type was left out), or in base64. */
function dataOf(event: JsonObject, id: string | undefined): JsonObject {
  const encoded = ownText(event, 'data_base64', 'data_base64', id);
  if (encoded !== undefined) return parseObject(base64(encoded, 'data_base64', id).toString(), 'data_base64');
  const data = own(event, 'data');
  if (typeof data === 'string') return parseObject(data, 'data');
  if (isObject(data)) return data;
  throw new PushDecodeError('data', `expected an object with a message, got ${excerpt(data)}`, id);
}

function checkType(type: string | undefined, field: string, id: string | undefined): void {
  if (type === MESSAGE_PUBLISHED) return;
  throw new PushDecodeError(field, `expected ${MESSAGE_PUBLISHED}, got ${excerpt(type)}`, id);
}
