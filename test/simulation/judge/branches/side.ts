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
  { mainWindows, sideWindows, shape = 'singleton', panes }: SideSpec,
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
  const versions = new Map<number, (readonly string[])[]>();
  for (const row of rows) {
    // The view's default stands for a window without elements.
    const seen = tokensOf(row).filter((token) => token !== 'none');
    const [from, to] = sideWindow(Number(row['window_start']), mainWindows, sideWindows);
    const inside = arrivals.filter(({ at }) => from <= at && at < to).map(({ token }) => token);
    const lateThere = seen.find((token) => lateInView.has(token));
    if (lateThere !== undefined)
      throw new Violation('each element has exactly one end', `${SIDE} shows ${lateThere}, which was late for it`);
    const window = versions.get(from) ?? [];
    versions.set(from, [...window, seen]);
    if (shape === 'singleton' && inside.length === 0 && tokensOf(row).join() !== 'none')
      throw new Violation('a side input shows what its window has', `${SIDE}: ${row['token']} has seen no default`);
    // A pane that does not accumulate may be combined of nothing, where the one before has had it all.
    const mayBeEmpty = panes?.accumulating === false && (shape === 'map' || shape === 'singleton');
    const hasNoPane = mayBeEmpty ? tokensOf(row).includes('none') : seen.length === 0;
    if (allInTime && !hasFlaws && inside.length > 0 && hasNoPane)
      throw new Violation(
        'a side input waits for its first pane',
        `${SIDE}: ${row['token']} has seen nothing of ${inside}`,
      );
    const strange = seen.find((token, i) => !inside.includes(token) || seen.indexOf(token) !== i);
    if (strange !== undefined)
      throw new Violation('a side input shows what its window has', `${SIDE}: ${row['token']} has seen ${strange}`);
    if (allInTime && !hasFlaws && panes === undefined && seen.length !== inside.length)
      throw new Violation('a side input is complete', `${SIDE}: ${row['token']} has seen ${seen} of ${inside}`);
  }
  if (panes !== undefined) for (const window of versions.values()) checkVersions(window, panes.accumulating);
}

/** Panes that accumulate hold those before them; others have nothing in common. Keys of a map have panes of their own. */
function checkVersions(versions: readonly (readonly string[])[], accumulating: boolean): void {
  for (const half of [0, 1])
    for (const [i, version] of versions.entries())
      for (const other of versions.slice(0, i)) {
        const [one, two] = [version, other].map((tokens) =>
          tokens.filter((token) => Number(token.slice(1)) % 2 === half),
        );
        const shared = one!.filter((token) => two!.includes(token)).length;
        const smaller = Math.min(one!.length, two!.length);
        const isSame = shared === one!.length && shared === two!.length;
        if (accumulating ? shared !== smaller : shared > 0 && !isSame)
          throw new Violation('a side input shows one pane', `${SIDE}: ${version} beside ${other}`);
      }
}

/** The side window that holds the last instant of a main window. */
function sideWindow(start: number, mainWindows: number, sideWindows: number): [from: number, to: number] {
  const last = start + mainWindows - 1;
  const from = last - (((last % sideWindows) + sideWindows) % sideWindows);
  return [from, from + sideWindows];
}
