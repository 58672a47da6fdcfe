import type { StatefulNode } from '../../model/graph.ts';
import type { Cell, CellProgram } from '../shard/cell.ts';
import type { CellParts } from '../shard/cell-parts.ts';
import { type StatefulSpec, statefulSpec } from './spec.ts';
import { StatefulCell } from './stateful-cell.ts';

/** User code with state and timers, as the program of a stage's cells. */
export class StatefulProgram implements CellProgram {
  readonly #spec: StatefulSpec;

  constructor(node: StatefulNode) {
    this.#spec = statefulSpec(node, node.makeDoFn());
  }

  async setup(): Promise<void> {
    await this.#spec.doFn.setup?.();
  }

  async teardown(): Promise<void> {
    await this.#spec.doFn.teardown?.();
  }

  open(key: unknown, stored: string | undefined, parts: CellParts): Cell {
    return new StatefulCell(this.#spec, key, parts, stored);
  }
}
