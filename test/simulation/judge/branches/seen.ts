/** A stateful step that reads a view: each element is seen once, with what its side window has. */
import type { Row } from '../../../../functions/ports/warehouse.ts';
import type { KeeperSpec } from '../../scenario.ts';
import { KEEPER } from '../../world/branches/keeper.ts';
import { windowsOf } from '../batch-model.ts';
import { tokensOf } from '../panes.ts';
import { Violation } from '../violation.ts';
import type { BranchArrival } from './branches.ts';

/**
 * @param late the tokens that were late
 * @param lateInView the tokens that were late for the view
 * @param allInTime then every element sees all of its side window
 */
export function checkSeen(
  { windows, sees }: KeeperSpec,
  arrivals: readonly BranchArrival[],
  rows: readonly Row[],
  late: ReadonlySet<string>,
  lateInView: ReadonlySet<string>,
  allInTime: boolean,
): void {
  const seen = rows.filter((row) => row['kind'] === 'saw');
  const should = arrivals.map(({ token }) => token).sort();
  const is = [...seen.flatMap((row) => tokensOf(row)), ...late].sort();
  if (should.join() !== is.join())
    throw new Violation('each element has exactly one end', `${KEEPER} has seen ${is} instead of ${should}`);
  for (const row of seen) {
    const main = windowsOf({ kind: 'fixed', size: windows!, offset: 0 }, Number(row['fired_at']))[0]!;
    const side = windowsOf({ kind: 'fixed', size: sees!, offset: 0 }, main.end - 1)[0]!;
    const inside = arrivals.filter(({ at }) => side.start <= at && at < side.end).map(({ token }) => token);
    const shown = tokensOf(row, 'recent');
    const strange = shown.find(
      (token, i) => !inside.includes(token) || lateInView.has(token) || shown.indexOf(token) !== i,
    );
    if (strange !== undefined)
      throw new Violation('a side input shows what its window has', `${KEEPER}: ${tokensOf(row)} has seen ${strange}`);
    if (allInTime && shown.length !== inside.length)
      throw new Violation('a side input is complete', `${KEEPER}: ${tokensOf(row)} has seen ${shown} of ${inside}`);
  }
}
