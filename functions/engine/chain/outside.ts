import { TooLargeError } from '../../model/errors.ts';
import type { WritePubSubNode } from '../../model/graph.ts';
import { valueText } from '../../model/json.ts';
import type { OutsideMessage } from '../../ports/bus.ts';
import type { Outside } from './bundle-output.ts';

/** A message above this is refused: the document that it waits in would not fit. Pub/Sub itself takes ten times as much. */
export const MAX_MESSAGE_BYTES = 1_000_000;
/** A text of so many characters is below the limit however it is written. */
const SURELY_SMALL = 150_000;

/** A message as it is sent. @throws {EncodeError} for data that is no JSON, {TooLargeError} for more than can be sent */
export function outsideOf(
  { name, topic }: Pick<WritePubSubNode, 'name' | 'topic'>,
  { data, attributes }: ReturnType<WritePubSubNode['message']>,
): Outside {
  const text = typeof data === 'string' ? data : valueText(data);
  if (text.length > SURELY_SMALL) {
    const bytes = Buffer.byteLength(JSON.stringify(text));
    if (bytes > MAX_MESSAGE_BYTES) throw new TooLargeError(`a message for topic '${topic}'`, bytes, MAX_MESSAGE_BYTES);
  }
  return { step: name, topic, data: text, attributes };
}

/**
 * Messages for topics outside, each under a stable id: the author's, or one made from the commit that produced it, so
 * that a message that is published again carries the same id.
 */
export function outsideMessages(outside: readonly Outside[], pipeline: string, commit: string): OutsideMessage[] {
  return outside.map(({ step, topic, data, attributes }, i) => ({
    topic,
    data,
    attributes: { pipeline, step, id: `${commit}~${i}`, ...attributes },
  }));
}
