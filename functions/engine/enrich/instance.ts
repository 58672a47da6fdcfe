/** From an element to what its model is shown. */
import { hash } from 'node:crypto';
import type { ElementContext } from '../../model/dofn.ts';
import { PoisonError, TooLargeError } from '../../model/errors.ts';
import type { EnrichNode } from '../../model/graph.ts';
import { isPlain } from '../../model/json.ts';
import type { Element } from '../element.ts';

/** An instance, and what it weighs in a request. */
export interface Instance {
  readonly value: unknown;
  /** Equal for equal instances. */
  readonly hash: string;
  readonly bytes: number;
  readonly tokens: number;
}

const CHARACTERS_A_TOKEN = 4;

/** @throws {PoisonError} when it is no JSON, or too large to be shown to the model at all; and what the author's code throws */
export function instanceOf(node: EnrichNode, element: Element): Instance {
  const value = node.instance(element.value, contextOf(element));
  if (!isPlain(value)) throw new PoisonError(`'${node.name}': an instance must be plain JSON, got ${typeof value}`);
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  const tokens = Math.ceil((typeof value === 'string' ? value.length : text.length) / CHARACTERS_A_TOKEN);
  if (bytes > node.batch.bytes) throw new TooLargeError(`an instance for '${node.name}'`, bytes, node.batch.bytes);
  if (tokens > node.batch.tokens)
    throw new PoisonError(
      `an instance for '${node.name}' has about ${tokens} tokens, above the limit of ${node.batch.tokens}`,
    );
  return { value, hash: hash('sha256', text, 'base64'), bytes, tokens };
}

export function contextOf({ timestamp, windows, pane }: Element): ElementContext {
  return { timestamp, window: windows[0]!, pane };
}

/** How many of the first instances fit into one request; at least one. */
export function fitting(instances: readonly Instance[], { batch }: EnrichNode): number {
  let bytes = 0;
  let tokens = 0;
  for (const [i, instance] of instances.entries()) {
    bytes += instance.bytes + 1;
    tokens += instance.tokens;
    if (i >= batch.instances || (i > 0 && (bytes > batch.bytes || tokens > batch.tokens))) return i;
  }
  return instances.length;
}
