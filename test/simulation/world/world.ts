/** A pipeline in a world of its own: services, readers, sweeps, and what goes wrong with them. */
import type { AssemblySetting } from '../../../functions/engine/assembly.ts';
import { ingestRootId, parseShardId, type RootId } from '../../../functions/engine/protocol/names.ts';
import type { Root, SettledFacts } from '../../../functions/engine/protocol/root.ts';
import { splitState } from '../../../functions/engine/ingest/split-reader.ts';
import type { Watermarks } from '../../../functions/engine/protocol/watermarks.ts';
import { Sweeper } from '../../../functions/engine/sweep/sweeper.ts';
import { RetryableError } from '../../../functions/model/errors.ts';
import { type EpochMillis, earlier, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import { type Plan, plan } from '../../../functions/plan/plan.ts';
import type { BusMessage } from '../../../functions/ports/bus.ts';
import { type Scenario, START } from '../scenario.ts';
import { SimulatedBus } from './bus.ts';
import { Faults } from './faults.ts';
import { Instance } from './instance.ts';
import { buildPipeline, splitName } from './pipeline.ts';
import { Random } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { readSplit } from './split-process.ts';
import { StageInstance } from './stage-instance.ts';
import { SimulatedStore, type StoreWatcher } from './store.ts';
import type { Surroundings } from './surroundings.ts';
import { SimulatedWarehouse } from './warehouse.ts';

/** A service keeps no more instances than these at a time. */
const MOST_INSTANCES = 3;
/** When nothing goes wrong any more, sweeps come no more often than this, milliseconds. */
const CALM_SWEEP = 30_000;

export class World {
  readonly plan: Plan;
  readonly scheduler = new Scheduler(START);
  readonly faults: Faults;
  readonly store: SimulatedStore;
  readonly bus: SimulatedBus;
  readonly warehouse: SimulatedWarehouse;
  /** The first thing that went wrong in the engine. */
  broken: unknown;
  readonly #around: Surroundings;
  readonly #random: Random;
  readonly #services = new Map<string, StageInstance[]>();
  readonly #readers = new Map<string, Instance>();
  #sweeping: { readonly instance: Instance; readonly sweeper: Sweeper } | undefined;
  #settled: ReadonlyMap<RootId, SettledFacts> = new Map();
  #published: () => Watermarks;
  #names = 0;
  #isCalm = false;

  /**
   * @param watcher sees every write
   * @param published the watermarks that are published by now
   * @param story takes the lines of the run's story; absent: nobody listens
   */
  constructor(
    scenario: Scenario,
    watcher: StoreWatcher,
    published: () => Watermarks,
    story: ((line: string) => void) | undefined,
  ) {
    const { scheduler } = this;
    const tell =
      story === undefined
        ? () => undefined
        : (line: () => string) => story(`${((scheduler.now - START) / 1_000).toFixed(3).padStart(10)} s  ${line()}`);
    this.faults = new Faults(scenario.seed, scenario.faults, scenario.onlyFaults, (_, occasion) =>
      tell(() => `fault ${occasion}`),
    );
    this.#around = { seed: scenario.seed, scenario, scheduler, faults: this.faults, tell };
    this.#random = new Random(scenario.seed, 'world');
    this.#published = published;
    const { sources, shards } = scenario.pipeline;
    this.plan = plan(buildPipeline(scenario.pipeline), { shards, slots: Math.min(shards, scenario.world.slots) });
    this.store = new SimulatedStore(this.#around, watcher);
    this.bus = new SimulatedBus(this.#around, (message, attempt, answer) =>
      this.#route(message, attempt).take(message, answer),
    );
    this.warehouse = new SimulatedWarehouse(this.#around);
    for (const [number, source] of sources.entries())
      for (let split = 0; split < source.splits; split++) this.#watchReader(number, split);
    this.#sweepOften();
    this.#deployAtTimes();
  }

  /** From now on nothing goes wrong any more. */
  calm(): void {
    this.#isCalm = true;
    this.faults.stop();
  }

  /** The platform starts an instance where there is none, and another where those there are do not answer. */
  #route(message: BusMessage, attempt: number): StageInstance {
    const { scenario, faults } = this.#around;
    const { stage, shard } = parseShardId(message.target);
    const slot = shard % this.plan.stage(stage).slots;
    const service = scenario.world.services === 'one' ? `service-${slot}` : `${stage}-${slot}`;
    const instances = (this.#services.get(service) ?? []).filter(({ instance }) => instance.isAlive);
    const doNotAnswer = attempt > 1 && instances.every(({ instance }) => instance.isFrozen);
    const wantsMore = doNotAnswer || faults.happens('secondInstance');
    if (instances.length === 0 || (wantsMore && instances.length < MOST_INSTANCES))
      instances.push(this.#startStage(service));
    this.#services.set(service, instances);
    return this.#random.pick(instances);
  }

  #startStage(service: string): StageInstance {
    const instance = this.#start(service);
    return new StageInstance(instance, this.plan, this.#settingOf(instance), (error) => this.#breaks(error));
  }

  #start(kind: string): Instance {
    const instance = new Instance(`${kind}-${(this.#names++).toString(36)}`, this.#around);
    this.#around.tell(() => `${instance.name} starts`);
    return instance;
  }

  #settingOf(instance: Instance): AssemblySetting {
    const { clock, ids } = instance;
    // What an instance knows of watermarks is published, and at times not the newest.
    const random = new Random(this.#around.seed, `what ${instance.name} knows`);
    let known = this.#published();
    return {
      pipeline: this.plan.pipeline,
      store: this.store.portOf(instance),
      bus: this.bus.portOf(instance),
      warehouse: this.warehouse.portOf(instance),
      clock,
      ids,
      topology: 1,
      epoch: 1,
      inputWatermarkOf: (stage) => {
        if (random.chance(0.2)) known = this.#published();
        return known.input[stage] ?? MIN_TIMESTAMP;
      },
    };
  }

  /** Keeps a reader at work on a split, now and then two. */
  #watchReader(source: number, split: number): void {
    const { scheduler, faults } = this.#around;
    const planned = this.plan.sources[source]!;
    const id = ingestRootId(planned.id, splitName(split));
    const watch = (): true => {
      if (this.#readers.get(id)?.isAlive !== true || faults.happens('secondReader')) {
        const instance = this.#start(`reader-${planned.id}-${split}`);
        this.#readers.set(id, instance);
        void readSplit(instance, {
          plan: this.plan,
          source: planned,
          split: splitName(split),
          records: this.#around.scenario.records.filter((record) => record.source === source && record.split === split),
          setting: this.#settingOf(instance),
          bundle: this.#around.scenario.world.readBundle,
          now: () => scheduler.now,
          settled: (root) => this.#settled.get(root),
          random: new Random(this.#around.seed, `what ${instance.name} reads`),
          broken: (error) => this.#breaks(error),
        });
      }
      scheduler.after(5_000, watch);
      return true;
    };
    scheduler.after(this.#random.spread(1, 1_000), watch);
  }

  #sweepOften(): void {
    const { scheduler, faults, scenario } = this.#around;
    const sweep = (): true => {
      const every = this.#isCalm ? Math.max(scenario.world.sweepEvery, CALM_SWEEP) : scenario.world.sweepEvery;
      scheduler.after(this.#random.spread(every / 2, every * 2), sweep);
      if (faults.happens('sweepSkipped')) return true;
      this.#sweepOnce();
      if (faults.happens('sweepDoubled')) this.#sweepOnce();
      return true;
    };
    scheduler.after(1, sweep);
  }

  #sweepOnce(): void {
    const { faults } = this.#around;
    if (this.#sweeping?.instance.isAlive !== true || faults.happens('sweepFresh')) {
      const instance = this.#start('sweep');
      const sweeper = new Sweeper({
        plan: this.plan,
        store: this.store.portOf(instance),
        bus: this.bus.portOf(instance),
        clock: instance.clock,
        sourceWatermarks: (roots) => this.#sourceWatermarks(roots),
      });
      this.#sweeping = { instance, sweeper };
    }
    this.#sweeping.sweeper.sweep().then(
      ({ settled }) => {
        this.#settled = settled;
      },
      (error: unknown) => {
        if (!(error instanceof RetryableError)) this.#breaks(error);
      },
    );
  }

  /** The earliest of a source's splits, of which each is waited for. */
  #sourceWatermarks(roots: ReadonlyMap<RootId, Root>): Record<string, EpochMillis> {
    const watermarks: Record<string, EpochMillis> = {};
    for (const { name, splits } of this.#around.scenario.pipeline.sources) {
      watermarks[name] = MAX_TIMESTAMP;
      for (let split = 0; split < splits; split++) {
        const root = roots.get(ingestRootId(name, splitName(split)));
        watermarks[name] = earlier(watermarks[name], root === undefined ? MIN_TIMESTAMP : splitState(root).watermark);
      }
    }
    return watermarks;
  }

  /** Now and then all instances of all services are replaced; the old ones may go on for a while. */
  #deployAtTimes(): void {
    const { scheduler, faults, tell } = this.#around;
    scheduler.after(30_000, () => {
      if (faults.happens('deployed')) {
        tell(() => 'a deployment');
        this.#services.clear();
      }
      this.#deployAtTimes();
      return false;
    });
  }

  #breaks(error: unknown): void {
    this.broken ??= error;
  }
}
