/** Batches: none too large, each of one key and window, and each element in one of them. */
import type { Row } from '../../../../functions/ports/warehouse.ts';
import type { BatchesSpec } from '../../scenario.ts';
import { BATCHES } from '../../world/branches/batches.ts';
import { windowsOf } from '../batch-model.ts';
import { tokensOf, windowName } from '../panes.ts';
import { Violation } from '../violation.ts';
import type { BranchArrival } from './branches.ts';

/** @param late the tokens that were late */
export function checkBatches(
  { windows, size }: BatchesSpec,
  arrivals: readonly BranchArrival[],
  rows: readonly Row[],
  late: ReadonlySet<string>,
): void {
  const place = (key: string, at: number): string =>
    windowName(key, windowsOf({ kind: 'fixed', size: windows, offset: 0 }, at)[0]!);
  const should = arrivals.map(({ token, key, at }) => `${token} in ${late.has(token) ? 'none' : place(key, at)}`);
  const is = [...late].map((token) => `${token} in none`);
  for (const row of rows) {
    const tokens = tokensOf(row);
    const name = windowName(String(row['k']), { start: Number(row['window_start']), end: Number(row['window_end']) });
    if (tokens.length === 0 || tokens.length > size)
      throw new Violation('no batch is empty or too large', `${name} has one of ${tokens.length}`);
    is.push(...tokens.map((token) => `${token} in ${name}`));
  }
  if (should.sort().join() !== is.sort().join())
    throw new Violation('each element has exactly one end', `${BATCHES} has ended ${is} instead of ${should}`);
}
