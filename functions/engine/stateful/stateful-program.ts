import type { StatefulNode } from '../../model/graph.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Cell, CellProgram } from '../shard/cell.ts';
import type { CellParts } from '../shard/cell-parts.ts';
import type { KnownWatermarks } from '../shard/work.ts';
import type { CellSides } from './cell-sides.ts';
import { type StatefulSpec, statefulSpec } from './spec.ts';
import { StatefulCell } from './stateful-cell.ts';

/** User code with state and timers, as the program of a stage's cells. */
export class StatefulProgram implements CellProgram {
  readonly #spec: StatefulSpec;

  /** @param sides what its views show, of a step that reads any */
  constructor(node: StatefulNode, sides?: CellSides) {
    this.#spec = statefulSpec(node, node.makeDoFn(), sides);
  }

  async setup(): Promise<void> {
    await this.#spec.doFn.setup?.();
  }

  async teardown(): Promise<void> {
    await this.#spec.doFn.teardown?.();
  }

  begin({ views }: KnownWatermarks, processingTime: EpochMillis): void {
    this.#spec.sides?.begin(views, processingTime);
  }

  throwFailure(error: unknown): void {
    this.#spec.sides?.throwFailure(error);
  }

  open(key: unknown, stored: string | undefined, parts: CellParts): Cell {
    return new StatefulCell(this.#spec, key, parts, stored);
  }
}
