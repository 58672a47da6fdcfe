/** Of each key and window one passes: exactly one where nothing is late. */
import type { Row } from '../../../../functions/ports/warehouse.ts';
import type { DistinctSpec } from '../../scenario.ts';
import { DISTINCT } from '../../world/branches/distinct.ts';
import { tokensOf } from '../panes.ts';
import { Violation } from '../violation.ts';
import type { BranchArrival } from './branches.ts';
import { rowWindowName, windowNameOf } from './placed.ts';

/**
 * @param late the tokens that were late
 * @param allInTime then the event-time horizon of what passed is never over when another comes
 */
export function checkDistinct(
  { windows, clock }: DistinctSpec,
  arrivals: readonly BranchArrival[],
  rows: readonly Row[],
  late: ReadonlySet<string>,
  allInTime: boolean,
): void {
  const inWindows = Map.groupBy(
    arrivals.filter(({ token }) => !late.has(token)),
    ({ key, at }) => windowNameOf(windows, key, at),
  );
  const passed = Map.groupBy(rows, rowWindowName);
  for (const [name, own] of passed)
    for (const token of own.flatMap((row) => tokensOf(row)))
      if (!inWindows.get(name)?.some((arrival) => arrival.token === token))
        throw new Violation('what passes is what came', `${DISTINCT} ${name} has let pass ${token}`);
  for (const name of inWindows.keys()) {
    const count = passed.get(name)?.length ?? 0;
    if (count === 0 || (count > 1 && (clock === 'processing' || allInTime)))
      throw new Violation('of what is the same one passes', `${DISTINCT} ${name} has let ${count} pass`);
  }
}
