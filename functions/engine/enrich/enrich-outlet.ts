import type { EnrichNode } from '../../model/graph.ts';
import type { BundleOutput } from '../chain/bundle-output.ts';
import type { Outlet, ShardChooser } from '../chain/outlet.ts';
import type { Element } from '../element.ts';
import { encodeElement } from '../element-codec.ts';
import { nameOfId } from '../ids/element-id.ts';
import { checkElementSize } from '../protocol/outbox.ts';

/** Elements for a model have no key: they go where the hash of their id says, so that no key fills a shard. */
const NO_KEY = 'null';

export class EnrichOutlet implements Outlet {
  readonly #node: EnrichNode;
  readonly #shards: ShardChooser;
  readonly #output: () => BundleOutput;

  constructor(node: EnrichNode, shards: ShardChooser, output: () => BundleOutput) {
    this.#node = node;
    this.#shards = shards;
    this.#output = output;
  }

  receive(element: Element): void {
    if (!this.#node.looksAtWindows || element.windows.length === 1) this.#send(element);
    else for (const window of element.windows) this.#send({ ...element, windows: [window] });
  }

  flush(): void {}

  #send(element: Element): void {
    const text = encodeElement(0, NO_KEY, element.value, element);
    const target = this.#shards.spread(element.id === undefined ? text : nameOfId(element.id));
    checkElementSize(text, `an element for '${target}'`);
    this.#output().outgoing.push({ target, text, earliest: element.timestamp, count: 1 });
  }
}
