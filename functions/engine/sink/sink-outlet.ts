import type { ElementContext } from '../../model/dofn.ts';
import type { WriteBigQueryNode } from '../../model/graph.ts';
import type { BundleOutput } from '../chain/bundle-output.ts';
import type { Outlet } from '../chain/outlet.ts';
import { type Element, UNGROUPED } from '../element.ts';
import { shardId } from '../protocol/names.ts';
import { checkElementSize } from '../protocol/outbox.ts';
import { rowValues, type WaitingRow } from './rows.ts';

/** The end of a chain that leads to a table: makes the row where the element is, so that a bad one fails with it. */
export class SinkOutlet implements Outlet {
  readonly #node: WriteBigQueryNode;
  readonly #target: string;
  readonly #output: () => BundleOutput;

  constructor(node: WriteBigQueryNode, output: () => BundleOutput) {
    this.#node = node;
    this.#target = shardId(node.name, 0);
    this.#output = output;
  }

  receive(element: Element): void {
    for (const window of element.windows) {
      const context: ElementContext = { timestamp: element.timestamp, window, pane: element.pane };
      const values = rowValues(this.#node, this.#node.row(element.value, context));
      const row: WaitingRow = [sequenceOf(element), values];
      const text = JSON.stringify(row);
      checkElementSize(text, `a row for table '${this.#node.table}'`);
      this.#output().outgoing.push({ target: this.#target, text, earliest: element.timestamp, count: 1 });
    }
  }

  flush(): void {}
}

/** What is newer: of panes the later one; of rows that no grouping has made, the one with the later event time. */
function sequenceOf({ pane, timestamp }: Element): number {
  return pane === UNGROUPED ? timestamp : pane.index;
}
