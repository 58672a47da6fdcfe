/** Branches whose rows say which tokens are together: each element is there once in its window, or was late. */
import type { Row } from '../../../../functions/ports/warehouse.ts';
import { windowsOf } from '../batch-model.ts';
import { tokensOf, windowName } from '../panes.ts';
import { Violation } from '../violation.ts';
import type { BranchArrival } from './branches.ts';

/**
 * @param windows the size of the branch's fixed windows
 * @param late the tokens that were late
 */
export function checkPlaced(
  branch: string,
  windows: number,
  arrivals: readonly BranchArrival[],
  rows: readonly Row[],
  late: ReadonlySet<string>,
): void {
  const should = arrivals.map(
    ({ token, key, at }) => `${token} in ${late.has(token) ? 'none' : windowNameOf(windows, key, at)}`,
  );
  const is = [...late].map((token) => `${token} in none`);
  for (const row of rows) is.push(...tokensOf(row).map((token) => `${token} in ${rowWindowName(row)}`));
  if (should.sort().join() !== is.sort().join())
    throw new Violation('each element has exactly one end', `${branch} has ended ${is} instead of ${should}`);
}

/** The window of a row, with its key. */
export function rowWindowName(row: Row): string {
  return windowName(String(row['k']), { start: Number(row['window_start']), end: Number(row['window_end']) });
}

/** The window in which an element belongs, with its key. */
export function windowNameOf(windows: number, key: string, at: number): string {
  return windowName(key, windowsOf({ kind: 'fixed', size: windows, offset: 0 }, at)[0]!);
}
