import type { ElementContext } from '../../model/dofn.ts';
import type { DeduplicateNode } from '../../model/graph.ts';
import { keyText } from '../../model/key.ts';
import type { BundleOutput } from '../chain/bundle-output.ts';
import type { Outlet, ShardChooser } from '../chain/outlet.ts';
import type { Element } from '../element.ts';
import { encodeElement } from '../element-codec.ts';
import { checkElementSize } from '../protocol/outbox.ts';

/** Sends elements to the shards of what they are compared by. */
export class DeduplicateOutlet implements Outlet {
  readonly #by: (value: unknown, context: ElementContext) => unknown;
  readonly #shards: ShardChooser;
  readonly #output: () => BundleOutput;

  constructor(node: DeduplicateNode, shards: ShardChooser, output: () => BundleOutput) {
    this.#by = node.by;
    this.#shards = shards;
    this.#output = output;
  }

  receive(element: Element): void {
    const { value, timestamp, windows, pane } = element;
    const by = keyText(this.#by(value, { timestamp, window: windows[0]!, pane }));
    const target = this.#shards.of(by);
    const text = encodeElement(0, by, value, element);
    checkElementSize(text, `an element for '${target}'`);
    this.#output().outgoing.push({ target, text, earliest: timestamp, count: 1 });
  }

  flush(): void {}
}
