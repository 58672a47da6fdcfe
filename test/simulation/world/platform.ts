/** What a pipeline runs on, and what outlasts it when it is started afresh: time, services, and what goes wrong with them. */
import { parseShardId } from '../../../functions/engine/protocol/names.ts';
import type { Plan } from '../../../functions/plan/plan.ts';
import { type Scenario, START } from '../scenario.ts';
import { type Sent, SimulatedBus } from './bus.ts';
import type { Route } from './deliveries.ts';
import { Faults } from './faults.ts';
import type { Instance } from './instance.ts';
import { SimulatedModel } from './model.ts';
import { Pauses } from './pauses.ts';
import { Scheduler } from './scheduler.ts';
import { SimulatedStore, type StoreWatcher } from './store.ts';
import type { Surroundings } from './surroundings.ts';
import { SimulatedWarehouse } from './warehouse.ts';

/** What is deployed, to which the bus delivers. */
export interface Deployed {
  readonly plan: Plan;
  readonly route: Route<Sent>;
  readonly watcher: StoreWatcher;
}

export class Platform {
  readonly around: Surroundings;
  readonly store: SimulatedStore;
  readonly bus: SimulatedBus;
  readonly warehouse: SimulatedWarehouse;
  readonly model: SimulatedModel;
  /** Who has been deploying. */
  deployers: readonly Instance[] = [];
  #deployed: Deployed | undefined;

  /** @param story takes the lines of the run's story; absent: nobody listens */
  constructor(scenario: Scenario, story: ((line: string) => void) | undefined) {
    const scheduler = new Scheduler(START);
    const tell =
      story === undefined
        ? () => undefined
        : (line: () => string) => story(`${((scheduler.now - START) / 1_000).toFixed(3).padStart(10)} s  ${line()}`);
    const { seed } = scenario;
    const faults = new Faults(seed, scenario.faults, scenario.onlyFaults, (_, occasion) =>
      tell(() => `fault ${occasion}`),
    );
    this.around = { seed, scenario, scheduler, faults, tell };
    this.store = new SimulatedStore(this.around, () => this.deployed.watcher);
    const pauses = new Pauses(this.around, () => this.deployed.plan, this.store.truth);
    this.bus = new SimulatedBus(
      this.around,
      (sent, attempt, answer) => this.deployed.route(sent, attempt, answer),
      ({ target }) => pauses.endOf(parseShardId(target).stage),
    );
    this.warehouse = new SimulatedWarehouse(this.around);
    this.model = new SimulatedModel(this.around);
  }

  /** What was deployed last. */
  get deployed(): Deployed {
    return this.#deployed!;
  }

  deploy(deployed: Deployed): void {
    this.#deployed = deployed;
  }
}
