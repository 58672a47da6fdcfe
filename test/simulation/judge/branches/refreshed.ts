/** A view of a file: each element comes through once, and has seen one version of it as a whole, which is none too old. */
import type { Row } from '../../../../functions/ports/warehouse.ts';
import type { RecordSpec, RefreshedSpec, Scenario } from '../../scenario.ts';
import { REFRESHED } from '../../world/branches/refreshed.ts';
import { versionAt } from '../../world/file.ts';
import { tokensOf } from '../panes.ts';
import { Violation } from '../violation.ts';
import type { BranchArrival } from './branches.ts';

/** How often a reader looks for a newer version, and what else takes time where nothing goes wrong; milliseconds. */
const SLACK = 30_000;

/**
 * @param late the tokens that were late
 * @param isCalm whether nothing has gone wrong
 */
export function checkRefreshed(
  spec: RefreshedSpec,
  arrivals: readonly BranchArrival[],
  rows: readonly Row[],
  late: ReadonlySet<string>,
  { records, world }: Scenario,
  isCalm: boolean,
): void {
  const should = arrivals.map(({ token }) => token).sort();
  const is = [...rows.map((row) => String(row['token'])), ...late].sort();
  if (should.join() !== is.join())
    throw new Violation('each element has exactly one end', `${REFRESHED} has ended ${is} instead of ${should}`);
  const came = new Map(records.map((record: RecordSpec) => [record.id, record.arrival]));
  for (const row of rows) {
    const seen = tokensOf(row);
    const version = Number(seen[0]?.split('-')[0]);
    const whole = Array.from({ length: spec.lines }, (_, line) => `${version}-${line}`);
    if (seen.join() !== whole.join())
      throw new Violation('a side input shows what its window has', `${REFRESHED}: ${row['token']} has seen ${seen}`);
    const oldest = came.get(String(row['token']))! - spec.refreshEvery - 4 * world.sweepEvery - SLACK;
    if (isCalm && version < versionAt(oldest, spec))
      throw new Violation('a view is read again in time', `${REFRESHED}: ${row['token']} has seen version ${version}`);
  }
}
