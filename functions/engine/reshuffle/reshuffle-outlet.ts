import type { ReshuffleNode } from '../../model/graph.ts';
import { type KV, keyText } from '../../model/key.ts';
import type { BundleOutput } from '../chain/bundle-output.ts';
import type { Outlet, ShardChooser } from '../chain/outlet.ts';
import type { Element } from '../element.ts';
import { encodeElement } from '../element-codec.ts';
import { nameOfId } from '../ids/element-id.ts';
import { checkElementSize } from '../protocol/outbox.ts';

/** The key's text of what has no key. */
const NO_KEY = 'null';

/**
 * Sends elements with keys to the shards of their keys, and others wherever their ids say, so that a source's repetition
 * meets the element that it repeats; those without an id go where the hash of their text says.
 */
export class ReshuffleOutlet implements Outlet {
  readonly #keyed: boolean;
  readonly #shards: ShardChooser;
  readonly #output: () => BundleOutput;

  constructor(node: ReshuffleNode, shards: ShardChooser, output: () => BundleOutput) {
    this.#keyed = node.keyed;
    this.#shards = shards;
    this.#output = output;
  }

  receive(element: Element): void {
    const { id, value } = element;
    const pair = this.#keyed ? (value as KV<unknown, unknown>) : undefined;
    const key = pair === undefined ? NO_KEY : keyText(pair.key);
    const text = encodeElement(0, key, pair === undefined ? value : pair.value, element);
    const target = this.#keyed ? this.#shards.of(key) : this.#shards.spread(id === undefined ? text : nameOfId(id));
    checkElementSize(text, `an element for '${target}'`);
    this.#output().outgoing.push({ target, text, earliest: element.timestamp, count: 1 });
  }

  flush(): void {}
}
