/** Side inputs: each element comes through once, and has seen what its side window has. */
import type { Row } from '../../../../functions/ports/warehouse.ts';
import type { Scenario, SideSpec } from '../../scenario.ts';
import { SIDE } from '../../world/branches/side.ts';
import { tokensOf } from '../panes.ts';
import { Violation } from '../violation.ts';
import type { BranchArrival } from './branches.ts';

/**
 * @param late the tokens that were late
 * @param lateInView the tokens that were late for the view
 * @param allInTime then every element sees all of its side window
 */
export function checkSide(
  { mainWindows, sideWindows }: SideSpec,
  arrivals: readonly BranchArrival[],
  rows: readonly Row[],
  late: ReadonlySet<string>,
  lateInView: ReadonlySet<string>,
  { records }: Scenario,
  allInTime: boolean,
): void {
  const should = arrivals.map(({ token }) => token);
  const is = [...rows.map((row) => String(row['token'])), ...late];
  if (should.sort().join() !== is.sort().join())
    throw new Violation('each element has exactly one end', `${SIDE} has ended ${is} instead of ${should}`);
  const hasFlaws = records.some(({ flaw }) => flaw === 'add');
  for (const row of rows) {
    // The view's default stands for a window without elements.
    const seen = tokensOf(row).filter((token) => token !== 'none');
    const [from, to] = sideWindow(Number(row['window_start']), mainWindows, sideWindows);
    const inside = arrivals.filter(({ at }) => from <= at && at < to).map(({ token }) => token);
    const lateThere = seen.find((token) => lateInView.has(token));
    if (lateThere !== undefined)
      throw new Violation('each element has exactly one end', `${SIDE} shows ${lateThere}, which was late for it`);
    const strange = seen.find((token, i) => !inside.includes(token) || seen.indexOf(token) !== i);
    if (strange !== undefined)
      throw new Violation('a side input shows what its window has', `${SIDE}: ${row['token']} has seen ${strange}`);
    if (allInTime && !hasFlaws && seen.length !== inside.length)
      throw new Violation('a side input is complete', `${SIDE}: ${row['token']} has seen ${seen} of ${inside}`);
  }
}

/** The side window that holds the last instant of a main window. */
function sideWindow(start: number, mainWindows: number, sideWindows: number): [from: number, to: number] {
  const last = start + mainWindows - 1;
  const from = last - (((last % sideWindows) + sideWindows) % sideWindows);
  return [from, from + sideWindows];
}
