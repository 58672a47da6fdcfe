/** The ends of chains that lead to a view, and to a step that reads views. */
import type { SideParDoNode, ViewNode } from '../../model/graph.ts';
import { type KV, keyText } from '../../model/key.ts';
import type { BundleOutput } from '../chain/bundle-output.ts';
import type { Outlet, ShardChooser } from '../chain/outlet.ts';
import type { PaneInfo } from '../../model/pane.ts';
import { type Element, UNGROUPED } from '../element.ts';
import { encodeElement } from '../element-codec.ts';
import { shardId } from '../protocol/names.ts';
import { checkElementSize } from '../protocol/outbox.ts';
import { hasOneOfEach, isKeyed } from './content.ts';
import { entryLine } from './entries.ts';

/** The key's text of what has no key. */
const NO_KEY = 'null';

/** Sends to the one shard of a view. */
export class ViewOutlet implements Outlet {
  readonly #target: string;
  readonly #node: ViewNode;
  readonly #output: () => BundleOutput;

  constructor(node: ViewNode, output: () => BundleOutput) {
    this.#target = shardId(node.name, 0);
    this.#node = node;
    this.#output = output;
  }

  receive(element: Element): void {
    // Of a signal only the timestamps matter, which hold its watermark on their way.
    const isSignal = this.#node.shape === 'signal';
    const [key, value] = isSignal ? [NO_KEY, null] : keyAndValue(element, isKeyed(this.#node));
    const text = encodeElement(0, key, value, element);
    checkElementSize(text, `an element for '${this.#target}'`);
    this.#output().outgoing.push({ target: this.#target, text, earliest: element.timestamp, count: 1 });
  }

  flush(): void {}
}

/** Sends elements with keys to the shards of their keys, and others wherever their text's hash says. */
export class ValueOutlet implements Outlet {
  readonly #keyed: boolean;
  readonly #shards: ShardChooser;
  readonly #output: () => BundleOutput;

  constructor(node: SideParDoNode, shards: ShardChooser, output: () => BundleOutput) {
    this.#keyed = node.keyed;
    this.#shards = shards;
    this.#output = output;
  }

  receive(element: Element): void {
    const [key, value] = keyAndValue(element, this.#keyed);
    const text = encodeElement(0, key, value, element);
    const target = this.#keyed ? this.#shards.of(key) : this.#shards.spread(text);
    checkElementSize(text, `an element for '${target}'`);
    this.#output().outgoing.push({ target, text, earliest: element.timestamp, count: 1 });
  }

  flush(): void {}
}

export function keyAndValue(element: Element, keyed: boolean): [keyText: string, value: unknown] {
  if (!keyed) return [NO_KEY, element.value];
  const { key, value } = element.value as KV<unknown, unknown>;
  return [keyText(key), value];
}

/** How a view writes an element. @param key the text of its key, where it has one */
export function lineOf(node: ViewNode, key: string, value: unknown, pane: PaneInfo): string {
  const index = hasOneOfEach(node) && pane !== UNGROUPED ? pane.index : undefined;
  return entryLine(isKeyed(node) ? key : undefined, value, index);
}
