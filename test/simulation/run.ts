/** Runs one scenario from its first record until everything has come to rest, and says what was wrong. */
import type { Root } from '../../functions/engine/protocol/root.ts';
import { checkLeft } from './judge/inherited.ts';
import { judge } from './judge/judge.ts';
import { whatRemains } from './judge/rest.ts';
import { checkUndelivered } from './judge/undelivered.ts';
import { Violation } from './judge/violation.ts';
import { Watch } from './judge/watch.ts';
import { nextEpoch } from './next-epoch.ts';
import { type Scenario, START } from './scenario.ts';
import type { FaultCounts } from './world/faults.ts';
import { type EpochNumbers, FIRST_EPOCH } from './world/fresh-start.ts';
import { Platform } from './world/platform.ts';
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
/** Faults end when a pipeline that is drained among them is not started afresh within so long. */
const STORMY_DRAIN = 1_800_000;

/** @param story takes the lines of the run's story */
export async function runScenario(scenario: Scenario, story?: (line: string) => void): Promise<Outcome> {
  const platform = new Platform(scenario, story);
  const problem = await findProblem(scenario, platform);
  const { faults, scheduler } = platform.around;
  return { problem, faults: faults.counts, happened: faults.happened, steps: scheduler.steps };
}

async function findProblem(scenario: Scenario, platform: Platform): Promise<Problem | undefined> {
  try {
    const first = new Epoch(scenario, platform, FIRST_EPOCH);
    await first.runToEnd();
    const { admitted } = first;
    if (admitted === undefined) return undefined;
    const second = new Epoch(nextEpoch(scenario, platform.around.scheduler.now), platform, admitted);
    await second.runToEnd();
    checkLeft(second.world);
  } catch (error) {
    if (error instanceof Violation) return error;
    throw error;
  }
  return undefined;
}

/** A pipeline from where its watermarks begin to where they end. */
class Epoch {
  readonly world: World;
  /** What the next one begins with, when there is one. */
  admitted: EpochNumbers | undefined;
  readonly #scenario: Scenario;
  readonly #watch: Watch;
  /** When the last record can be read. */
  readonly #lastArrival: number;

  constructor(scenario: Scenario, platform: Platform, of: EpochNumbers) {
    this.#scenario = scenario;
    const roots = platform.store.truth.all('roots').map(({ body }) => body as Root);
    const watch: Watch = new Watch(scenario, () => this.world.plan, of.epoch, roots);
    this.world = new World(scenario, platform, watch, () => watch.published(), of);
    this.#watch = watch;
    this.#lastArrival = Math.max(START, ...scenario.records.map(({ arrival }) => arrival));
  }

  /** @throws {Violation} */
  async runToEnd(): Promise<void> {
    await this.#storm();
    if (this.#scenario.afresh === undefined) await this.#comeToRest();
    else await this.#startAfresh(this.#scenario);
    this.#judge();
  }

  async #storm(): Promise<void> {
    const { scheduler } = this.world;
    const calmAt = this.#lastArrival + this.#scenario.world.stormAfter;
    await scheduler.run(() => this.#isBroken || scheduler.now >= calmAt, MOST_STEPS);
  }

  async #comeToRest(): Promise<void> {
    const { world } = this;
    world.calm();
    await this.#drain();
    await this.#waitUntil(() => whatRemains(world, this.#watch).next().done === true);
    this.#checkUnbroken();
    const remains = [...whatRemains(world, this.#watch)];
    if (remains.length > 0) this.#restless(remains.join(', '));
  }

  /** It is drained, and deployed again, while things go on going wrong. */
  async #startAfresh(scenario: Scenario): Promise<void> {
    const { world } = this;
    const { scheduler } = world;
    await this.#drain();
    const fresh = world.startAfresh(nextEpoch(scenario, scheduler.now));
    const calmAt = scheduler.now + STORMY_DRAIN;
    const isOver = (): boolean => fresh.admitted !== undefined;
    await scheduler.run(() => this.#isBroken || isOver() || scheduler.now >= calmAt, MOST_STEPS);
    if (!isOver()) {
      world.calm();
      await this.#waitUntil(isOver);
    }
    this.#checkUnbroken();
    this.admitted = fresh.admitted;
    world.end();
    if (!isOver())
      this.#restless(`a pipeline to be started afresh, ${[...whatRemains(world, this.#watch)].join(', ')}`);
  }

  async #drain(): Promise<void> {
    const { world } = this;
    await this.#waitUntil(() => world.isDrained || (world.areTopicsDone && this.#watch.isAllRead()));
    if (!world.isDrained) world.drain();
  }

  async #waitUntil(isOver: () => boolean): Promise<void> {
    const { scheduler } = this.world;
    const end = scheduler.now + PATIENCE;
    let nextLook = 0;
    await scheduler.run(() => {
      if (this.#isBroken) return true;
      if (scheduler.now < nextLook) return false;
      nextLook = scheduler.now + 30_000;
      return scheduler.now > end || isOver();
    }, MOST_STEPS);
  }

  get #isBroken(): boolean {
    return this.#watch.violation !== undefined || this.world.broken !== undefined;
  }

  #checkUnbroken(): void {
    if (this.#watch.violation !== undefined) throw this.#watch.violation;
    const { broken } = this.world;
    if (broken !== undefined) throw new Violation('the engine does not throw', describe(broken));
  }

  #restless(remains: string): never {
    const { steps } = this.world.scheduler;
    throw new Violation('everything comes to rest', `after ${steps} steps there is still ${remains}`);
  }

  #judge(): void {
    const { world } = this;
    const scenario = this.#scenario;
    const watch = this.#watch;
    const records = checkUndelivered(scenario.records, world.letters(), (record) => watch.punctuality.wasRead(record));
    judge({ ...scenario, records }, world, watch);
    // What is counted goes when it is started afresh.
    if (this.admitted === undefined) watch.counts.judge(scenario.pipeline, world, world.faults.counts);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
