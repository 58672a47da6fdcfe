/** The steps beside the groupings: each gets all that can be read and passes the sources' own steps. */
import type { DeadLetter } from '../../../../functions/engine/dead-letter.ts';
import { TIMER_INLET } from '../../../../functions/engine/stateful/replayed-timer.ts';
import { MAX_TIMESTAMP } from '../../../../functions/model/time.ts';
import type { Row } from '../../../../functions/ports/warehouse.ts';
import type { Flaw, Scenario } from '../../scenario.ts';
import { BATCHES } from '../../world/branches/batches.ts';
import { DISTINCT } from '../../world/branches/distinct.ts';
import { ENRICHED, QUESTIONS } from '../../world/branches/enriched.ts';
import { isOnTheRight, JOINED, onTheRight } from '../../world/branches/joined.ts';
import { KEEPER } from '../../world/branches/keeper.ts';
import { REFRESHED } from '../../world/branches/refreshed.ts';
import { SIDE } from '../../world/branches/side.ts';
import { SPREAD } from '../../world/branches/spread.ts';
import { STORED } from '../../world/branches/stored.ts';
import { keyIn, tokenIn, tokensIn } from '../../world/tokens.ts';
import type { World } from '../../world/world.ts';
import { Violation } from '../violation.ts';
import type { Watch } from '../watch.ts';
import { checkBatches } from './batches.ts';
import { checkDistinct } from './distinct.ts';
import { checkEnriched } from './enriched.ts';
import { checkKeeper } from './keeper.ts';
import { checkPlaced } from './placed.ts';
import { checkSide } from './side.ts';
import { checkRefreshed } from './refreshed.ts';
import { checkSeen } from './seen.ts';
import { checkStored } from './stored.ts';
import { checkTold } from './told.ts';

/** An element as it comes to a branch. */
export interface BranchArrival {
  readonly token: string;
  readonly key: string;
  readonly at: number;
  readonly inTime: boolean;
}

/** @param replayed the tokens of what failed and was brought back since */
export function judgeBranches(
  scenario: Scenario,
  letters: readonly DeadLetter[],
  world: World,
  { punctuality, timers }: Watch,
  replayed: ReadonlySet<string>,
): void {
  const { keeper, batches, side, enriched, joined, spread, distinct, told, stored, refreshed } = scenario.pipeline;
  const arrivals = (keys: number): BranchArrival[] =>
    scenario.records
      .filter(({ id, flaw }) => !failsAtSource(flaw) || replayed.has(id))
      .map(({ id, key, at, flaw }) => {
        const comesLater = failsAtSource(flaw);
        const inTime = !comesLater && at >= (punctuality.watermarkAt(id) ?? MAX_TIMESTAMP);
        return { token: id, key: keyIn(key, keys), at, inTime };
      });
  const rows = (branch: string): Row[] => world.rows(`${branch}_rows`);
  if (keeper !== undefined) {
    const late = new Set([KEEPER, `${KEEPER}-ready`].flatMap((step) => [...lateOf(step, arrivals(1), letters)]));
    if (keeper.sees !== undefined) {
      const inView = lateOf(`${KEEPER}-view`, arrivals(1), letters);
      checkSeen(keeper, arrivals(keeper.keys), rows(KEEPER), late, inView, punctuality.allInTime);
    }
    checkKeeper(keeper, arrivals(keeper.keys), rows(KEEPER), late, letters, timers);
  }
  if (batches !== undefined)
    checkBatches(batches, arrivals(batches.keys), rows(BATCHES), lateOf(BATCHES, arrivals(1), letters));
  if (side !== undefined) {
    const [own, inView, inCombine] = [SIDE, `${SIDE}-view`, `${SIDE}-collect`].map((step) =>
      lateOf(step, arrivals(1), letters),
    );
    const lateInView = new Set([...inView!, ...inCombine!]);
    checkSide(side, arrivals(1), rows(SIDE), own!, lateInView, scenario, punctuality.allInTime);
  }
  if (enriched !== undefined) {
    const refused = scenario.records
      .filter(({ id, flaw }) => flaw === 'model' && !replayed.has(id))
      .map(({ id }) => id);
    checkEnriched(enriched, arrivals(QUESTIONS), rows(ENRICHED), new Set(refused), world);
  }
  if (joined !== undefined) {
    const left = arrivals(joined.keys);
    const right = left.filter(({ token }) => isOnTheRight(token));
    const sides = [...left, ...right.map((arrival) => ({ ...arrival, token: onTheRight(arrival.token) }))];
    checkPlaced(JOINED, joined.windows, sides, rows(JOINED), lateOf(JOINED, sides, letters));
  }
  if (spread !== undefined) {
    const own = arrivals(spread.keys);
    const late = [`${SPREAD}-parts`, SPREAD].map((step) => lateOf(step, own, letters));
    checkPlaced(SPREAD, spread.windows, own, rows(SPREAD), new Set([...late[0]!, ...late[1]!]));
  }
  if (distinct !== undefined) {
    const own = arrivals(distinct.keys);
    checkDistinct(distinct, own, rows(DISTINCT), lateOf(DISTINCT, own, letters), punctuality.allInTime);
  }
  if (stored !== undefined) checkStored(stored, arrivals(1), rows(STORED), letters);
  if (refreshed !== undefined) {
    const late = lateOf(REFRESHED, arrivals(1), letters);
    const isCalm = Object.keys(world.faults.counts).length === 0;
    checkRefreshed(refreshed, arrivals(1), rows(REFRESHED), late, scenario, isCalm);
  }
  if (told !== undefined) checkTold(arrivals(1), world.published);
}

function failsAtSource(flaw: Flaw | undefined): boolean {
  return flaw === 'decode' || flaw === 'step';
}

/** What was late at a step, which none may be that was in time at its source. */
function lateOf(step: string, arrivals: readonly BranchArrival[], letters: readonly DeadLetter[]): ReadonlySet<string> {
  const late = new Set(
    letters
      .filter(({ kind, stage, received }) => kind === 'late' && stage === step && received?.inlet !== TIMER_INLET)
      .flatMap(({ value }) => lateTokens(value)),
  );
  const wronged = arrivals.find(({ token, inTime }) => inTime && late.has(token));
  if (wronged !== undefined)
    throw new Violation('what is in time at its source is late nowhere', `${step}: ${wronged.token} at ${wronged.at}`);
  return late;
}

/** An element as it came to a step: several that were combined, or one of a side of a join. */
function lateTokens(value: unknown): string[] {
  if (Array.isArray(value)) return tokensIn(value);
  const token = String(tokenIn(value));
  return [(value as { input?: string }).input === 'right' ? onTheRight(token) : token];
}
