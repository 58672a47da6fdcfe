import { encodeValue } from '../../model/json.ts';
import type { OutsideMessage } from '../../ports/bus.ts';
import type { Outside } from './bundle-output.ts';

/**
 * Messages for topics outside, each under a stable id: the author's, or one made from the commit that produced it, so
 * that a message that is published again carries the same id.
 */
export function outsideMessages(outside: readonly Outside[], pipeline: string, commit: string): OutsideMessage[] {
  return outside.map(({ step, topic, data, attributes }, i) => ({
    topic,
    data: typeof data === 'string' ? data : JSON.stringify(encodeValue(data)),
    attributes: { pipeline, step, id: `${commit}~${i}`, ...attributes },
  }));
}
