import { PoisonError, TooLargeError } from '../../model/errors.ts';
import type { WritePubSubNode } from '../../model/graph.ts';
import { valueText } from '../../model/json.ts';
import type { OutsideMessage } from '../../ports/bus.ts';
import type { Outside } from './bundle-output.ts';

/** A message above this is refused: the document that it waits in would not fit. Pub/Sub itself takes ten times as much. */
export const MAX_MESSAGE_BYTES = 1_000_000;
/** Pub/Sub's own limits; names and values in bytes. For one attribute beyond it refuses all that is published beside it. */
const MOST_ATTRIBUTES = 100;
const LONGEST_NAME = 256;
const LONGEST_VALUE = 1_024;
/** What is added to each message: where it comes from, and its id. */
const OWN_ATTRIBUTES: readonly string[] = ['pipeline', 'step', 'id'];
/** A text of so many characters is below the limit however it is written. */
const SURELY_SMALL = 150_000;

/**
 * A message as it is sent.
 * @throws {EncodeError} for data that is no JSON, {TooLargeError} for more than can be sent, {PoisonError} for attributes that
 * Pub/Sub does not take
 */
export function outsideOf(
  { name, topic }: Pick<WritePubSubNode, 'name' | 'topic'>,
  { data, attributes }: ReturnType<WritePubSubNode['message']>,
): Outside {
  const text = typeof data === 'string' ? data : valueText(data);
  if (text.length > SURELY_SMALL) {
    const bytes = Buffer.byteLength(JSON.stringify(text));
    if (bytes > MAX_MESSAGE_BYTES) throw new TooLargeError(`a message for topic '${topic}'`, bytes, MAX_MESSAGE_BYTES);
  }
  checkAttributes(topic, attributes);
  return { step: name, topic, data: text, attributes };
}

function checkAttributes(topic: string, attributes: Readonly<Record<string, string>>): void {
  const where = `a message for topic '${topic}'`;
  for (const name in attributes) {
    const shown = JSON.stringify(name.slice(0, 100));
    if (name === '' || name.startsWith('goog') || Buffer.byteLength(name) > LONGEST_NAME)
      throw new PoisonError(
        `${where} has the attribute ${shown}; Pub/Sub takes names of up to ${LONGEST_NAME} bytes that do not begin with 'goog'`,
      );
    const bytes = Buffer.byteLength(attributes[name]!);
    if (bytes > LONGEST_VALUE)
      throw new PoisonError(
        `${where} has the attribute ${shown} of ${bytes} bytes; Pub/Sub takes ${LONGEST_VALUE}, so put it into the data`,
      );
  }
  const count = new Set([...Object.keys(attributes), ...OWN_ATTRIBUTES]).size;
  if (count > MOST_ATTRIBUTES)
    throw new PoisonError(
      `${where} has ${count} attributes with '${OWN_ATTRIBUTES.join("', '")}'; Pub/Sub takes ${MOST_ATTRIBUTES}`,
    );
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
