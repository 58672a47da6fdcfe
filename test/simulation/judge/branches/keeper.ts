/** What the step with state and timers has told, held against the input. */
import type { Row } from '../../../../functions/ports/warehouse.ts';
import type { KeeperSpec } from '../../scenario.ts';
import { KEEPER, type KeeperRow } from '../../world/branches/keeper.ts';
import type { BranchArrival } from './branches.ts';
import { windowsOf } from '../batch-model.ts';
import { tokensOf, windowName } from '../panes.ts';
import { Violation } from '../violation.ts';

/** @param late the tokens that were late */
export function checkKeeper(
  spec: KeeperSpec,
  arrivals: readonly BranchArrival[],
  rows: readonly Row[],
  late: ReadonlySet<string>,
): void {
  const told = rows.map((row) => ({ ...(row as unknown as KeeperRow), tokens: tokensOf(row) }));
  const placed = new Map(arrivals.map((arrival) => [arrival.token, arrival]));
  const windows = Map.groupBy(told, (row) => windowName(row.k, boundsOf(row)));
  checkEnds(spec, arrivals, told, late);
  for (const [name, ofWindow] of windows) {
    const rounds = ofWindow.filter(({ kind }) => kind !== 'called').sort((a, b) => a.round - b.round);
    checkRounds(name, spec, rounds, placed);
    const calls = ofWindow.filter(({ kind }) => kind === 'called').map(({ tokens }) => tokens[0]);
    const twice = calls.find((call, i) => calls.indexOf(call) !== i);
    if (twice !== undefined)
      throw new Violation('a timer fires once for each setting', `${name} called ${twice} twice`);
  }
}

/** Each element is kept once in its window, or late; and nothing else is. */
function checkEnds(
  spec: KeeperSpec,
  arrivals: readonly BranchArrival[],
  told: readonly KeeperRow[],
  late: ReadonlySet<string>,
): void {
  const windows =
    spec.windows === undefined
      ? ({ kind: 'global' } as const)
      : ({ kind: 'fixed', size: spec.windows, offset: 0 } as const);
  const should = arrivals.map(
    ({ token, key, at }) => `${token} in ${late.has(token) ? 'none' : windowName(key, windowsOf(windows, at)[0]!)}`,
  );
  const is = told
    .filter(({ kind }) => kind !== 'called')
    .flatMap((row) => row.tokens.map((token) => `${token} in ${windowName(row.k, boundsOf(row))}`));
  is.push(...[...late].map((token) => `${token} in none`));
  if (should.sort().join() !== is.sort().join())
    throw new Violation('each element has exactly one end', `${KEEPER} has ended ${is} instead of ${should}`);
}

/** Timers fire in order, and each after all elements up to its instant that were in time. */
function checkRounds(
  name: string,
  spec: KeeperSpec,
  rounds: readonly KeeperRow[],
  placed: ReadonlyMap<string, BranchArrival>,
): void {
  let reached = Number.NEGATIVE_INFINITY;
  let newest = Number.NEGATIVE_INFINITY;
  for (const [i, { round, fired_at, tokens }] of rounds.entries()) {
    if (round !== i) throw new Violation('state is what the last callback left', `${name} has round ${round} at ${i}`);
    // A timer that an element sets that was late is due at once.
    if (fired_at < reached && tokens.every((token) => placed.get(token)!.inTime))
      throw new Violation('timers fire in order', `${name} ${fired_at} after ${reached}`);
    for (const token of tokens) {
      const { at, inTime } = placed.get(token)!;
      // Elements that are sorted wait for their allowed lateness; timers do not wait for them.
      if (inTime && at < reached && !(spec.timeSorted && spec.lateness > 0))
        throw new Violation(
          'a timer fires after all that was in time before it',
          `${name} ${token} at ${at} after ${reached}`,
        );
      if (inTime && spec.timeSorted && at < newest)
        throw new Violation('elements come in order of time', `${name} ${token} at ${at} after ${newest}`);
      if (spec.timeSorted) newest = Math.max(newest, at);
    }
    reached = Math.max(reached, fired_at);
  }
}

function boundsOf({ window_start, window_end }: KeeperRow): { start: number; end: number } {
  return { start: Number(window_start), end: Number(window_end) };
}
