/** Runs one scenario from its first record until everything has come to rest, and says what was wrong. */
import type { DeadLetter } from '../../functions/engine/dead-letter.ts';
import { isFoldedRoot } from '../../functions/engine/ingest/message-state.ts';
import { isShardRoot, parseShardId, sourceOf } from '../../functions/engine/protocol/names.ts';
import type { Root } from '../../functions/engine/protocol/root.ts';
import { MAX_TIMESTAMP } from '../../functions/model/time.ts';
import type { Collection } from '../../functions/ports/store.ts';
import { judge } from './judge/judge.ts';
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
  await untilOrLater(() => whatRemains(world, watch).length === 0);
  if (watch.violation !== undefined) return watch.violation;
  if (world.broken !== undefined)
    return { rule: 'the engine does not throw', message: `the engine does not throw: ${describe(world.broken)}` };
  const remains = whatRemains(world, watch);
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

/**
 * Collections that are empty when there is nothing left to do. Not `settled`: a sweep that has stood still writes such a
 * document for a root that another has retired since, and nobody looks for it there.
 */
const TRANSIENT: readonly Collection[] = ['cells', 'parts', 'outbox', 'runs', 'ids', 'views'];

/** What is not yet as it must be in the end. */
function whatRemains(world: World, watch: Watch): string[] {
  const { store, plan, warehouse } = world;
  const remains: string[] = [];
  const { output } = watch.published();
  for (const stage of plan.stages)
    if (output[stage.id] !== MAX_TIMESTAMP) remains.push(`the watermark of ${stage.id} at ${output[stage.id]}`);
  for (const collection of TRANSIENT) {
    // What is left in a topic that nobody reads may come again one day.
    if (collection === 'ids' && !world.areTopicsDone) continue;
    const size = store.truth.size(collection);
    if (size > 0) remains.push(`${size} of ${collection}`);
  }
  for (const { body } of store.truth.all('roots')) {
    const { id, open, outside, holds, done, extra } = body as Root;
    const sizes = Object.keys(open).length + outside.length + holds.length;
    if (sizes > 0) remains.push(`${id} with ${Object.keys(open).length} open, ${holds.length} holds`);
    if (!isShardRoot(id)) {
      const isInstance = plan.sources.some((source) => source.id === sourceOf(id) && source.reader === 'messages');
      if (!isFoldedRoot(id) && (isInstance || id.startsWith('replay~'))) remains.push(`the root ${id}`);
      continue;
    }
    const forgotten = Object.keys(done).filter((sender) =>
      store.truth.all('roots').every((root) => root.id !== sender),
    );
    if (forgotten.length > 0) remains.push(`what ${id} has of ${forgotten}`);
    const isSink = plan.stage(parseShardId(id).stage).head.kind === 'writeBigQuery';
    if (isSink && (extra as { claim: unknown }).claim !== null) remains.push(`a claim of ${id}`);
  }
  if (warehouse.isBusy) remains.push('a job that runs');
  return remains;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
