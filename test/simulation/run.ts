/** Runs one scenario from its first record until everything has come to rest, and says what was wrong. */
import type { DeadLetter } from '../../functions/engine/dead-letter.ts';
import { judge } from './judge/judge.ts';
import { whatRemains } from './judge/rest.ts';
import { checkUndelivered } from './judge/undelivered.ts';
import { Violation } from './judge/violation.ts';
import { Watch } from './judge/watch.ts';
import { type Scenario, START } from './scenario.ts';
import type { FaultCounts } from './world/faults.ts';
import { World } from './world/world.ts';

export interface Problem {
  /** Which rule was broken: the same for every run that breaks it in the same way. */
  readonly rule: string;
  readonly message: string;
}

export interface Outcome {
  readonly problem: Problem | undefined;
  readonly faults: FaultCounts;
  /** Every fault that happened, by name, in order. */
  readonly happened: readonly string[];
  readonly steps: number;
}

/** A run that does more than this is stuck in a circle. */
const MOST_STEPS = 200_000;
/** After the last fault everything must come to rest within so long: the longest wait for a message sent again is an hour. */
const PATIENCE = 8 * 3_600_000;

/** @param story takes the lines of the run's story */
export async function runScenario(scenario: Scenario, story?: (line: string) => void): Promise<Outcome> {
  const watch: Watch = new Watch(scenario, () => world.plan);
  const world: World = new World(scenario, watch, () => watch.published(), story);
  const problem = await findProblem(scenario, world, watch);
  const { counts, happened } = world.faults;
  return { problem, faults: counts, happened, steps: world.scheduler.steps };
}

async function findProblem(scenario: Scenario, world: World, watch: Watch): Promise<Problem | undefined> {
  const { scheduler } = world;
  const isBroken = (): boolean => watch.violation !== undefined || world.broken !== undefined;
  const lastArrival = Math.max(START, ...scenario.records.map(({ arrival }) => arrival));
  const calmAt = lastArrival + scenario.world.stormAfter;
  await scheduler.run(() => isBroken() || scheduler.now >= calmAt, MOST_STEPS);
  world.calm();
  const untilOrLater = async (isOver: () => boolean): Promise<unknown> => {
    let nextLook = 0;
    const looks = (): boolean => {
      if (isBroken()) return true;
      if (scheduler.now < nextLook) return false;
      nextLook = scheduler.now + 30_000;
      return scheduler.now > calmAt + PATIENCE || isOver();
    };
    return scheduler.run(looks, MOST_STEPS);
  };
  await untilOrLater(() => world.isDrained || (world.areTopicsDone && watch.isAllRead()));
  if (!world.isDrained) world.drain();
  await untilOrLater(() => whatRemains(world, watch).next().done === true);
  if (watch.violation !== undefined) return watch.violation;
  if (world.broken !== undefined)
    return { rule: 'the engine does not throw', message: `the engine does not throw: ${describe(world.broken)}` };
  const remains = [...whatRemains(world, watch)];
  if (remains.length > 0) {
    const message = `everything comes to rest: after ${scheduler.steps} steps there is still ${remains.join(', ')}`;
    return { rule: 'everything comes to rest', message };
  }
  try {
    const letters = world.store.truth.all('deadLetters').map(({ body }) => body as DeadLetter);
    const records = checkUndelivered(scenario.records, letters, (record) => watch.punctuality.wasRead(record));
    judge({ ...scenario, records }, world, watch);
    watch.counts.judge(scenario.pipeline, world, world.faults.counts);
  } catch (error) {
    if (error instanceof Violation) return error;
    throw error;
  }
  return undefined;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
