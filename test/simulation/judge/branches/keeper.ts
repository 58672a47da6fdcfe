/** What the step with state and timers has told, held against the input. */
import type { DeadLetter } from '../../../../functions/engine/dead-letter.ts';
import type { Row } from '../../../../functions/ports/warehouse.ts';
import type { KeeperSpec } from '../../scenario.ts';
import { KEEPER, type KeeperRow, QUIET } from '../../world/branches/keeper.ts';
import type { BranchArrival } from './branches.ts';
import { windowsOf } from '../batch-model.ts';
import { tokensOf, windowName } from '../panes.ts';
import { Violation } from '../violation.ts';
import { FailedFirings } from './failed-firings.ts';
import { checkForgetting } from './forgetting.ts';
import type { Timers } from './timers.ts';

/**
 * @param late the tokens that were late
 * @param letters all dead letters
 */
export function checkKeeper(
  spec: KeeperSpec,
  arrivals: readonly BranchArrival[],
  rows: readonly Row[],
  late: ReadonlySet<string>,
  letters: readonly DeadLetter[],
  timers: Timers,
): void {
  const all = rows.map((row) => ({
    ...(row as unknown as KeeperRow),
    tokens: tokensOf(row),
    recent: tokensOf(row, 'recent'),
  }));
  const told = all.filter(({ kind }) => kind !== 'saw');
  const failures = new FailedFirings(letters);
  const placed = new Map(arrivals.map((arrival) => [arrival.token, arrival]));
  const windows = Map.groupBy(told, (row) => windowName(row.k, boundsOf(row)));
  checkEnds(spec, arrivals, told, late, failures);
  failures.checkTimers(told);
  for (const [name, ofWindow] of windows) {
    const rounds = ofWindow.filter(({ kind }) => kind !== 'called').sort((a, b) => a.round - b.round);
    checkRounds(name, spec, rounds, placed);
    const called = ofWindow.filter(({ kind }) => kind === 'called');
    if (spec.marks === true) checkMarks(name, called);
    checkQuiet(name, spec, called, timers);
    const calls = called.map(({ tokens }) => tokens[0]);
    const twice = calls.find((call, i) => calls.indexOf(call) !== i);
    if (twice !== undefined)
      throw new Violation('a timer fires once for each setting', `${name} called ${twice} twice`);
    checkForgetting(name, spec, ofWindow, timers);
  }
}

/** Each element is kept once in its window, or late; and nothing else is. */
function checkEnds(
  spec: KeeperSpec,
  arrivals: readonly BranchArrival[],
  told: readonly KeeperRow[],
  late: ReadonlySet<string>,
  failures: FailedFirings,
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
  is.push(...failures.endsOf(should, is));
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
  // Sets and maps tell of no order in what they hold.
  const isOrdered = spec.keeps !== 'set' && spec.keeps !== 'map';
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
      if (spec.timeSorted && isOrdered) newest = Math.max(newest, at);
    }
    if (spec.timeSorted) newest = Math.max(newest, ...tokens.map((token) => placed.get(token)!.at));
    reached = Math.max(reached, fired_at);
  }
}

/** What a callback finds is what was put there by the callbacks before it. */
function checkMarks(name: string, called: readonly KeeperRow[]): void {
  for (const { tokens, recent } of called)
    if (!isOfQuiet(tokens) && tokens[0]!.split('@')[1] !== recent[0])
      throw new Violation('state is what the last callback left', `${name} ${tokens[0]} is marked ${recent[0]}`);
}

/** A timer that is set again no longer fires when it was to. */
function checkQuiet(name: string, spec: KeeperSpec, called: readonly KeeperRow[], timers: Timers): void {
  const calls = called.filter(({ tokens }) => !isOfQuiet(tokens)).map((row) => row.fired_at);
  for (const row of called.filter(({ tokens }) => isOfQuiet(tokens))) {
    const { processingTime } = timers.tellingOf(row)!;
    const later = calls.find((at) => at > row.fired_at && at - spec.processingDelay < processingTime);
    if (later !== undefined)
      throw new Violation(
        'a timer fires once for each setting',
        `${name} ${row.tokens[0]} was set to ${later} by then`,
      );
  }
}

function isOfQuiet([token]: readonly string[]): boolean {
  return token!.startsWith(`${QUIET}@`);
}

function boundsOf({ window_start, window_end }: KeeperRow): { start: number; end: number } {
  return { start: Number(window_start), end: Number(window_end) };
}
