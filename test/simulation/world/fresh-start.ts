/** Somebody deploys a drained pipeline again, which starts it afresh: as often as it takes, and more than one at once. */
import type { TopologyControl } from '../../../functions/engine/control.ts';
import { MillraceError, RetryableError } from '../../../functions/model/errors.ts';
import { admit } from '../../../functions/operate/upgrade.ts';
import { type Plan, plan } from '../../../functions/plan/plan.ts';
import type { Batch, ListingStore } from '../../../functions/ports/store.ts';
import type { Scenario } from '../scenario.ts';
import { aroundCalls } from '../../ports/around-calls.ts';
import type { Instance } from './instance.ts';
import type { Outside } from './outside.ts';
import { buildPipeline } from './pipeline.ts';
import { Random } from './random.ts';
import type { SimulatedStore } from './store.ts';
import type { Hosting, Surroundings } from './surroundings.ts';

/** What an epoch begins with. */
export type EpochNumbers = Pick<TopologyControl, 'topology' | 'epoch'>;

export const FIRST_EPOCH: EpochNumbers = { topology: 1, epoch: 1 };

/** How soon somebody tries again, milliseconds. */
const SOONEST = 3_000;
const LATEST = 120_000;

export class FreshStart {
  /** What was admitted in the end. */
  admitted: TopologyControl | undefined;
  readonly deployers: Instance[] = [];
  readonly #hosting: Hosting;
  readonly #plan: Plan;
  readonly #store: SimulatedStore;
  readonly #renewed: (batch: Batch) => void;
  readonly #random: Random;

  /**
   * @param next what is deployed
   * @param renewed told of all that is changed by it
   */
  constructor(hosting: Hosting, next: Plan, store: SimulatedStore, renewed: (batch: Batch) => void) {
    this.#hosting = hosting;
    this.#plan = next;
    this.#store = store;
    this.#renewed = renewed;
    this.#random = new Random(hosting.around.seed, 'fresh start');
    this.#tryLater();
  }

  #tryLater(): void {
    this.#hosting.around.scheduler.after(this.#random.spread(SOONEST, LATEST), () => {
      if (this.admitted !== undefined) return false;
      this.#try();
      this.#tryLater();
      return true;
    });
  }

  #try(): void {
    const { around, start, breaks } = this.#hosting;
    const instance = start('deployer');
    this.deployers.push(instance);
    around.tell(() => `${instance.name} starts the pipeline afresh`);
    const store = this.#store.deployerPortOf(instance, this.#renewed);
    admit(standingStill(store, instance, around), this.#plan, instance.clock.now()).then(
      (admitted) => {
        around.tell(() => `${instance.name} has started epoch ${admitted.epoch}, topology ${admitted.topology}`);
        this.admitted ??= admitted;
      },
      (error: unknown) => {
        around.tell(() => `${instance.name}: ${(error as Error).message}`);
        if (!mayTryAgain(error)) breaks(error);
      },
    );
  }
}

/** The store of somebody who stands still at some of their calls. */
function standingStill(store: ListingStore, instance: Instance, { faults }: Surroundings): ListingStore {
  return aroundCalls(store, (apply, what) => {
    const answer = apply();
    if (faults.happens('deployerStands')) instance.standStill(what);
    return answer;
  });
}

function mayTryAgain(error: unknown): boolean {
  return error instanceof RetryableError || (error instanceof MillraceError && error.code === 'NOT_DRAINED');
}

export function planOf({ pipeline, world }: Scenario, outside: Outside): Plan {
  const { shards } = pipeline;
  return plan(buildPipeline(pipeline, outside), { shards, slots: Math.min(shards, world.slots) });
}
