/** Batches: none too large, each of one key and window, and each element in one of them. */
import type { Row } from '../../../../functions/ports/warehouse.ts';
import type { BatchesSpec } from '../../scenario.ts';
import { BATCHES } from '../../world/branches/batches.ts';
import { tokensOf } from '../panes.ts';
import { Violation } from '../violation.ts';
import type { BranchArrival } from './branches.ts';
import { checkPlaced, rowWindowName } from './placed.ts';

/** @param late the tokens that were late */
export function checkBatches(
  { windows, size }: BatchesSpec,
  arrivals: readonly BranchArrival[],
  rows: readonly Row[],
  late: ReadonlySet<string>,
): void {
  for (const row of rows) {
    const { length } = tokensOf(row);
    if (length === 0 || length > size)
      throw new Violation('no batch is empty or too large', `${rowWindowName(row)} has one of ${length}`);
  }
  checkPlaced(BATCHES, windows, arrivals, rows, late);
}
