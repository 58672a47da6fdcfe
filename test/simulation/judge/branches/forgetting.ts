/** State with a time to live: each of its elements is there exactly as long as it lives. */
import type { KeeperSpec } from '../../scenario.ts';
import { isBag, type KeeperRow } from '../../world/branches/keeper.ts';
import { Violation } from '../violation.ts';
import type { Timers } from './timers.ts';

/** @param told what was told of one key and window */
export function checkForgetting(
  name: string,
  { forgetsAfter, processingDelay, keeps = 'bag' }: KeeperSpec,
  told: readonly KeeperRow[],
  timers: Timers,
): void {
  if (forgetsAfter === undefined) return;
  const calls = new Map(
    told
      .filter(({ kind }) => kind === 'called')
      .map((row) => [row.tokens[0]!.split('@')[0]!, { at: row.fired_at, telling: timers.tellingOf(row)! }] as const),
  );
  for (const row of told.filter(({ kind }) => kind !== 'called')) {
    const { number, processingTime } = timers.tellingOf(row)!;
    const strange = row.recent.find((token) => !row.tokens.includes(String(token)));
    if (strange !== undefined)
      throw new Violation('state is what the last callback left', `${name} round ${row.round} has ${strange} still`);
    for (const token of row.tokens) {
      // When its window ends sooner it is not called, and nothing says when it was written.
      const call = calls.get(token);
      if (call === undefined) continue;
      const ends = call.at - processingDelay + forgetsAfter;
      const wasTakenOut = !isBag(keeps) && call.telling.number < number;
      if (row.recent.includes(token) !== (processingTime < ends && !wasTakenOut))
        throw new Violation(
          'state lives as long as it is to',
          `${name} ${token} ends at ${ends}: at ${processingTime} there are ${row.recent}`,
        );
    }
  }
}
