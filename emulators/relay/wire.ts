/**
 * The body of a push, as production Pub/Sub writes it: both spellings of id and publish time, `deliveryAttempt` beside
 * `message` and only with a dead-letter policy, and no `data`, `attributes` or `orderingKey` when they are empty.
 */

/** A message as the client's proto types give it. */
export interface PulledMessage {
  readonly data?: Uint8Array | string | null;
  readonly attributes?: Readonly<Record<string, string>> | null;
  readonly messageId?: string | null;
  readonly publishTime?: { readonly seconds?: unknown; readonly nanos?: number | null } | null;
  readonly orderingKey?: string | null;
}

/** @param attempt sent as `deliveryAttempt`; undefined where the subscription has no dead-letter policy */
export function pushBody(subscription: string, message: PulledMessage, attempt: number | undefined): Buffer {
  const data = dataOf(message);
  const attributes = message.attributes ?? {};
  const messageId = message.messageId ?? '';
  const publishTime = publishTimeOf(message);
  const body = {
    message: {
      ...(Object.keys(attributes).length > 0 ? { attributes } : {}),
      ...(data.length > 0 ? { data: data.toString('base64') } : {}),
      messageId,
      message_id: messageId,
      ...(message.orderingKey ? { orderingKey: message.orderingKey } : {}),
      publishTime,
      publish_time: publishTime,
    },
    subscription,
    ...(attempt === undefined ? {} : { deliveryAttempt: attempt }),
  };
  return Buffer.from(JSON.stringify(body));
}

export function dataOf(message: PulledMessage): Buffer {
  const data = message.data ?? '';
  return typeof data === 'string'
    ? Buffer.from(data, 'base64')
    : Buffer.from(data.buffer, data.byteOffset, data.length);
}

/** Milliseconds since 1970. */
export function publishMillisOf(message: PulledMessage): number {
  return Number(message.publishTime?.seconds ?? 0) * 1_000 + Math.floor((message.publishTime?.nanos ?? 0) / 1e6);
}

/** RFC 3339, to the millisecond, as in a push. */
export function publishTimeOf(message: PulledMessage): string {
  return new Date(publishMillisOf(message)).toISOString();
}
