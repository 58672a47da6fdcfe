/** The JSON of a push: `{ subscription, message: { data, attributes, messageId, publishTime, … }, deliveryAttempt }`. */
import { base64, excerpt, instant, isObject, type JsonObject, own, ownText } from './fields.ts';
import { PushDecodeError, type PushMessage } from './message.ts';

/** What an event around the push says about the message, used where the message itself does not. */
export interface EventContext {
  readonly id?: string | undefined;
  readonly time?: string | undefined;
}

export function isWrapped(body: JsonObject): boolean {
  return own(body, 'message') !== undefined;
}

/** @param at the path of `body` in the request, with a dot, to name fields by; empty when it is the whole body */
export function decodeWrapped(body: JsonObject, at: string, event: EventContext = {}): PushMessage {
  const message = own(body, 'message');
  if (!isObject(message)) {
    throw new PushDecodeError(`${at}message`, `expected an object, got ${excerpt(message)}`, event.id);
  }
  const idField = `${at}message.messageId`;
  const messageId =
    ownText(message, 'messageId', idField, event.id) ||
    ownText(message, 'message_id', `${at}message.message_id`, event.id) ||
    event.id;
  if (!messageId) throw new PushDecodeError(idField, 'is missing, and so is message_id');

  const publishTime =
    ownText(message, 'publishTime', `${at}message.publishTime`, messageId) ??
    ownText(message, 'publish_time', `${at}message.publish_time`, messageId);
  const data = ownText(message, 'data', `${at}message.data`, messageId) ?? '';
  const orderingKey =
    ownText(message, 'orderingKey', `${at}message.orderingKey`, messageId) ??
    ownText(message, 'ordering_key', `${at}message.ordering_key`, messageId);
  return {
    messageId,
    publishTime:
      publishTime === undefined
        ? instant(event.time, 'time', messageId)
        : instant(publishTime, `${at}message.publishTime`, messageId),
    data: base64(data, `${at}message.data`, messageId),
    attributes: attributesOf(own(message, 'attributes'), `${at}message.attributes`, messageId),
    orderingKey: orderingKey || undefined,
    deliveryAttempt: attemptOf(own(body, 'deliveryAttempt'), `${at}deliveryAttempt`, messageId),
    subscription: ownText(body, 'subscription', `${at}subscription`, messageId),
  };
}

function attributesOf(value: unknown, field: string, messageId: string): Record<string, string> {
  const attributes: Record<string, string> = Object.create(null);
  if (value === undefined) return attributes;
  if (!isObject(value)) throw new PushDecodeError(field, `expected an object, got ${excerpt(value)}`, messageId);
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== 'string') {
      throw new PushDecodeError(`${field}.${name}`, `expected text, got ${excerpt(text)}`, messageId);
    }
    attributes[name] = text;
  }
  return attributes;
}

/** Pub/Sub sends 0 or nothing where it does not count. */
function attemptOf(value: unknown, field: string, messageId: string): number | undefined {
  if (value === undefined || value === 0) return undefined;
  if (Number.isInteger(value) && (value as number) > 0) return value as number;
  throw new PushDecodeError(field, `expected a whole number from 0 up, got ${excerpt(value)}`, messageId);
}
