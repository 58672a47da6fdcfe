/**
 * A push without wrapper (`noWrapper` with `writeMetadata`): the data is the body, the rest is headers.
 * Attributes are headers of their own name, mixed with those of the transport, so what is known to be the transport's is
 * left out; an attribute of such a name is lost, and all names are in lower case, as HTTP has it.
 */
import { instant } from './fields.ts';
import { PushDecodeError, type PushMessage, type PushRequest } from './message.ts';

const MESSAGE_ID = 'x-goog-pubsub-message-id';
const PUBLISH_TIME = 'x-goog-pubsub-publish-time';
const SUBSCRIPTION = 'x-goog-pubsub-subscription-name';
/** The first is documented, the second is what the emulator sends. */
const ORDERING_KEYS = ['x-goog-pubsub-ordering-key', 'x-goog-ordering-key'];
/** Headers that proxies, load balancers and clients add. */
const TRANSPORT =
  /^(accept.*|authorization|cache-control|connection|content-.*|cookie|date|expect|forwarded|from|host|keep-alive|pragma|te|traceparent|tracestate|transfer-encoding|upgrade|user-agent|via|x-appengine-.*|x-cloud-trace-context|x-forwarded-.*|x-goog-.*|x-real-ip|x-serverless-authorization)$/;

export function isUnwrapped(request: PushRequest): boolean {
  return request.headers[MESSAGE_ID] !== undefined;
}

export function subscriptionHeader(request: PushRequest): string | undefined {
  return headerText(request, SUBSCRIPTION);
}

export function decodeUnwrapped(request: PushRequest): PushMessage {
  const messageId = headerText(request, MESSAGE_ID);
  if (!messageId) throw new PushDecodeError(MESSAGE_ID, 'is empty');
  const orderingKey = ORDERING_KEYS.map((name) => headerText(request, name)).find((key) => key !== undefined);
  return {
    messageId,
    publishTime: instant(headerText(request, PUBLISH_TIME), PUBLISH_TIME, messageId),
    data: dataOf(request, messageId),
    attributes: attributesOf(request),
    orderingKey: orderingKey || undefined,
    deliveryAttempt: undefined,
    subscription: subscriptionHeader(request),
  };
}

export function headerText(request: PushRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}

/** Only the body as it came will do: a parser has read it as a form or as JSON by now. */
function dataOf({ rawBody, body }: PushRequest, messageId: string): Buffer {
  const bytes = rawBody ?? (body instanceof Uint8Array ? body : undefined);
  if (bytes) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (typeof body === 'string') return Buffer.from(body);
  if (body === undefined) return Buffer.alloc(0);
  throw new PushDecodeError(
    'rawBody',
    'is missing; a message without wrapper cannot be read from a parsed body',
    messageId,
  );
}

function attributesOf(request: PushRequest): Record<string, string> {
  const attributes: Record<string, string> = Object.create(null);
  for (const name of Object.keys(request.headers)) {
    const value = headerText(request, name);
    if (value !== undefined && !TRANSPORT.test(name)) attributes[name] = value;
  }
  return attributes;
}
