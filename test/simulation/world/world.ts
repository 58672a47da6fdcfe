/** A pipeline in a world of its own: services, sources, sweeps, and what goes wrong with them. */
import type { AssemblySetting } from '../../../functions/engine/assembly.ts';
import { type DrainControl, writeControl } from '../../../functions/engine/control.ts';
import { parseShardId } from '../../../functions/engine/protocol/names.ts';
import type { Watermarks } from '../../../functions/engine/protocol/watermarks.ts';
import type { CellLimits } from '../../../functions/engine/shard/cell-limits.ts';
import type { BundleCounts } from '../../../functions/engine/shard/work.ts';
import { type EpochMillis, MIN_TIMESTAMP, type Millis } from '../../../functions/model/time.ts';
import type { Plan } from '../../../functions/plan/plan.ts';
import { storedShape } from '../../../functions/plan/stored-shape.ts';
import type { DeadLetter } from '../../../functions/engine/dead-letter.ts';
import type { BusMessage, OutsideMessage } from '../../../functions/ports/bus.ts';
import type { Row } from '../../../functions/ports/warehouse.ts';
import { type Scenario, START } from '../scenario.ts';
import type { Sent } from './bus.ts';
import { drainOrder } from './drain-order.ts';
import type { Faults } from './faults.ts';
import { type EpochNumbers, FIRST_EPOCH, FreshStart, planOf } from './fresh-start.ts';
import { openFile } from './file.ts';
import { Fleet } from './fleet.ts';
import { type Inheritance, inheritanceOf } from './inheritance.ts';
import { IngestInstance } from './ingest-instance.ts';
import { Instance } from './instance.ts';
import { SimulatedOutside } from './outside.ts';
import type { Platform } from './platform.ts';
import { Random } from './random.ts';
import { Replays } from './replays.ts';
import type { Scheduler } from './scheduler.ts';
import { SplitReaders } from './split-readers.ts';
import { StageInstance } from './stage-instance.ts';
import type { SimulatedStore, StoreWatcher } from './store.ts';
import type { Hosting, Surroundings } from './surroundings.ts';
import { Sweeps } from './sweeps.ts';
import { Topic } from './topic.ts';
import { UndeliveredInstance } from './undelivered.ts';
import type { SimulatedWarehouse } from './warehouse.ts';

const LAST_LOOK = 5_000;
/** With these, what the few elements of a run need outgrows its cell in all the ways that there are. */
const SMALL_CELLS: CellLimits = {
  spillAbove: 300,
  leaf: 200,
  leavesAtOnce: 1,
  runs: 2,
  stretch: 3,
  timersNear: 2,
  elementsNear: 2,
};
/** Deployments happen at these times, if they do; milliseconds between them. */
const DEPLOY_EVERY = 30_000;

export interface WorldWatcher extends StoreWatcher {
  /** An instance has counted a bundle of a stage. */
  readonly counted: (stage: string, counts: BundleCounts) => void;
  /** Whether every record was read that there is. */
  isAllRead(): boolean;
  /** A message of a source was given up. */
  gaveUp(source: string, token: string): void;
}

export class World {
  readonly plan: Plan;
  /** When it began. */
  readonly start: number;
  /** What was there when it began. */
  readonly before: Inheritance;
  /** Whether nothing more is read, since an operator has said so. */
  isDrained = false;
  /** The first thing that went wrong in the engine. */
  broken: unknown;
  readonly #platform: Platform;
  readonly #around: Surroundings;
  readonly #random: Random;
  readonly #services = new Map<string, Fleet<StageInstance>>();
  readonly #topics = new Map<string, Topic>();
  readonly #ingest: Fleet<IngestInstance>;
  readonly #undelivered: Fleet<UndeliveredInstance>;
  readonly #sweeps: Sweeps;
  readonly #readers: SplitReaders;
  readonly #hosting: Hosting;
  readonly #published: () => Watermarks;
  readonly #watcher: WorldWatcher;
  #names = 0;
  /** Of the newest deployment. */
  #topology: number;
  readonly #epoch: number;
  /** Whether its topology is noted, which no deployment changes any more unseen. */
  #isAdmitted = false;
  /** Whether another epoch has begun. */
  #isOver = false;

  /**
   * @param platform what it runs on; what ran there before gets nothing more, though it may still be at work
   * @param watcher sees every write, and what is counted
   * @param published the watermarks that are published by now
   * @param of the first deployment's numbers
   */
  constructor(
    scenario: Scenario,
    platform: Platform,
    watcher: WorldWatcher,
    published: () => Watermarks,
    of: EpochNumbers = FIRST_EPOCH,
  ) {
    this.#platform = platform;
    this.#around = { ...platform.around, seed: scenario.seed, scenario };
    this.#random = new Random(scenario.seed, 'world');
    this.#published = published;
    this.#watcher = watcher;
    this.#topology = of.topology;
    this.#epoch = of.epoch;
    this.start = this.scheduler.now;
    this.before = inheritanceOf(platform);
    const outside = new SimulatedOutside(this.#around);
    this.plan = planOf(scenario, outside);
    this.#ingest = this.#fleet(() => this.#startIngest());
    this.#undelivered = new Fleet(
      () => this.#startUndelivered(),
      new Random(scenario.seed, 'undelivered'),
      () => false,
    );
    const start = (kind: string): Instance => this.#start(kind);
    const settingOf = (instance: Instance): AssemblySetting => this.#settingOf(instance);
    const breaks = (error: unknown): void => {
      this.broken ??= error;
    };
    this.#hosting = { around: this.#around, plan: this.plan, start, settingOf, breaks };
    platform.deploy({
      plan: this.plan,
      watcher,
      route: (sent, attempt, answer) => this.#route(sent, attempt, answer),
    });
    this.#readers = new SplitReaders(this.#hosting);
    const backlogs = this.#topics;
    const commits = (): number => this.store.truth.counts.commits;
    this.#sweeps = new Sweeps({ ...this.#hosting, backlogs, readers: this.#readers, commits });
    this.#readers.isDrained = () => this.isDrained;
    this.#readers.findings = () => this.#sweeps.findings;
    new Replays(this.#hosting, outside, () => this.#ownLetters());
    for (const [number, { kind, name }] of scenario.pipeline.sources.entries())
      if (kind === 'messages') this.#addTopic(number, name);
    this.#deployAtTimes();
    this.#dieAtLast();
    this.#drainAtItsTime();
  }

  get scheduler(): Scheduler {
    return this.#around.scheduler;
  }

  get faults(): Faults {
    return this.#around.faults;
  }

  get store(): SimulatedStore {
    return this.#platform.store;
  }

  get warehouse(): SimulatedWarehouse {
    return this.#platform.warehouse;
  }

  /** Stands in names that no two epochs have in common. */
  get #series(): string {
    return this.#epoch === 1 ? '' : `${this.#epoch}-`;
  }

  /** The rows of a table that were written since it began. */
  rows(table: string): Row[] {
    return this.warehouse.rows(table).filter((row) => !this.before.rows.has(row));
  }

  /** The dead letters that were written since it began. */
  letters(): DeadLetter[] {
    const all = this.store.truth.all('deadLetters').filter(({ id }) => !this.before.letters.has(id));
    return all.map(({ body }) => body as DeadLetter);
  }

  /** What was published for topics outside since it began; not what had been before, and may come again. */
  get published(): readonly OutsideMessage[] {
    const all = this.#platform.bus.published;
    const known = new Set(all.slice(0, this.before.published).map(({ attributes }) => attributes['id']));
    return all.slice(this.before.published).filter(({ attributes }) => !known.has(attributes['id']));
  }

  /** When the model was asked since it began. */
  get requests(): readonly number[] {
    return this.#platform.model.requests.slice(this.before.requests);
  }

  /** From now on nothing goes wrong any more. */
  calm(): void {
    this.#sweeps.isCalm = true;
    this.faults.stop();
  }

  /** Whether all messages of all sources were taken. */
  get areTopicsDone(): boolean {
    return [...this.#topics.values()].every((topic) => topic.isDone);
  }

  /**
   * Somebody deploys the pipeline again once it is drained.
   * @param next what it is then
   */
  startAfresh(next: Scenario): FreshStart {
    const plan = planOf(next, new SimulatedOutside(this.#around));
    const fresh = new FreshStart(this.#hosting, plan, this.store, (batch) => {
      // Whoever reads a file is not there any more when it is read again.
      this.#readers.end();
      this.#platform.deployed.watcher.renewed(batch);
    });
    this.#platform.deployers = fresh.deployers;
    return fresh;
  }

  /** Nobody starts anything for it any more. What its instances are at, they go on with; but files are read no more. */
  end(): void {
    this.#isOver = true;
    this.#sweeps.end();
  }

  /** An operator lets the pipeline come to its end: nothing more is read. */
  drain(): void {
    this.#around.tell(() => 'an operator drains the pipeline');
    // Whoever would deploy it by now would start it afresh once more.
    for (const deployer of this.#platform.deployers) deployer.die('as the pipeline is drained');
    const isEarly = !this.areTopicsDone || !this.#watcher.isAllRead();
    this.isDrained = true;
    for (const topic of this.#topics.values()) topic.isDrained = true;
    void this.#order(drainOrder(this.#around, isEarly));
  }

  async #order(drain: DrainControl): Promise<void> {
    const { scenario, scheduler } = this.#around;
    const { truth } = this.store;
    if (scenario.afresh !== undefined) {
      this.#isAdmitted = true;
      const [topology, epoch, shape] = [this.#topology, this.#epoch, storedShape(this.plan)];
      const admittedAt = Math.floor(scheduler.now) as EpochMillis;
      await writeControl(truth, 'topology', { topology, epoch, shape, admittedAt }, undefined);
    }
    await writeControl(truth, 'drain', drain, undefined);
  }

  /** The ids of dead letters that are its own; undefined: all are. */
  #ownLetters(): readonly string[] | undefined {
    return this.before.letters.size === 0 ? undefined : this.letters().map(({ id }) => id);
  }

  #route(sent: Sent, attempt: number, answer: (taken: boolean) => void): boolean {
    const { stage } = parseShardId(sent.message.target);
    // The subscription of a stage that is no more goes, and what is in it.
    if (this.plan.stages.every(({ id }) => id !== stage)) {
      answer(true);
      return false;
    }
    return this.#service(sent.message).pick(attempt).take(sent, answer);
  }

  #service({ target }: BusMessage): Fleet<StageInstance> {
    const { stage, shard } = parseShardId(target);
    const slot = shard % this.plan.stage(stage).slots;
    const name = this.#around.scenario.world.services === 'one' ? `service-${slot}` : `${stage}-${slot}`;
    let fleet = this.#services.get(name);
    if (fleet === undefined) {
      fleet = this.#fleet(() => this.#startStage(name));
      this.#services.set(name, fleet);
    }
    return fleet;
  }

  #fleet<T extends { readonly instance: Instance }>(start: () => T): Fleet<T> {
    return new Fleet(start, this.#random, () => this.faults.happens('secondInstance'));
  }

  #startStage(service: string): StageInstance {
    const instance = this.#start(service);
    return new StageInstance(instance, this.plan, this.#settingOf(instance), (error) => {
      this.broken ??= error;
    });
  }

  #startIngest(): IngestInstance {
    const instance = this.#start('ingest');
    const slice = this.#around.scenario.world.slice as Millis;
    return new IngestInstance(instance, this.plan, this.#settingOf(instance), slice, (error) => {
      this.broken ??= error;
    });
  }

  #startUndelivered(): UndeliveredInstance {
    const instance = this.#start('undelivered');
    return new UndeliveredInstance(instance, this.plan, this.#settingOf(instance), (error) => {
      this.broken ??= error;
    });
  }

  #start(kind: string): Instance {
    const instance = new Instance(`${kind}${this.#series}-${(this.#names++).toString(36)}`, this.#around);
    this.#around.tell(() => `${instance.name} starts`);
    return instance;
  }

  #settingOf(instance: Instance): AssemblySetting {
    const { clock, ids } = instance;
    // What an instance knows of watermarks is published, and at times not the newest.
    const random = new Random(this.#around.seed, `what ${instance.name} knows`);
    let known = this.#published();
    const { refreshed } = this.#around.scenario.pipeline;
    return {
      pipeline: this.plan.pipeline,
      store: this.store.portOf(instance),
      bus: this.#platform.bus.portOf(instance, this.#epoch),
      warehouse: this.warehouse.portOf(instance),
      predictor: this.#platform.model.portOf(instance),
      clock,
      ids,
      topology: this.#topology,
      epoch: this.#epoch,
      cadence: this.#around.scenario.world.cadence as Millis,
      ...(this.#around.scenario.world.smallCells === true ? { cellLimits: SMALL_CELLS } : {}),
      counted: this.#watcher.counted,
      ...(refreshed === undefined ? {} : { openSource: openFile(this.#around, refreshed, instance) }),
      inputWatermarkOf: (stage) => {
        if (random.chance(0.2)) known = this.#published();
        return known.input[stage] ?? MIN_TIMESTAMP;
      },
    };
  }

  #addTopic(source: number, name: string): void {
    const records = this.#around.scenario.records.filter((record) => record.source === source);
    const topic = new Topic(
      this.#around,
      name,
      records,
      (message, attempt, answer) => this.#ingest.pick(attempt).take(name, message, answer),
      {
        route: (copy, attempt, answer) => this.#undelivered.pick(attempt).take(name, copy, answer),
        gaveUp: (token) => this.#watcher.gaveUp(name, token),
      },
      this.#series,
    );
    this.#topics.set(name, topic);
  }

  /** When nothing more is read, now and then an instance dies, and leaves others that know less of what was committed last. */
  #dieAtLast(): void {
    const { scheduler, scenario, faults } = this.#around;
    const look = (): false => {
      if (faults.isOver || this.#isOver) return false;
      for (const fleet of [...this.#services.values(), this.#ingest])
        for (const instance of fleet.instances) if (faults.happens('crashAtLast')) instance.die('after all was read');
      scheduler.after(LAST_LOOK, look);
      return false;
    };
    scheduler.at(Math.max(START, ...scenario.records.map(({ arrival }) => arrival)), look);
  }

  #drainAtItsTime(): void {
    const { drainAt } = this.#around.scenario.world;
    if (drainAt !== undefined)
      this.scheduler.at(START + drainAt, () => {
        if (!this.isDrained) this.drain();
        return true;
      });
  }

  /** Now and then all instances of all services are replaced; the old ones may go on for a while. */
  #deployAtTimes(): void {
    const { scheduler, faults, tell } = this.#around;
    scheduler.after(DEPLOY_EVERY, () => {
      if (faults.isOver || this.#isAdmitted) return false;
      if (faults.happens('deployed')) {
        tell(() => 'a deployment');
        this.#topology += 1;
        for (const fleet of this.#services.values()) fleet.replace();
        this.#ingest.replace();
      }
      this.#deployAtTimes();
      return false;
    });
  }
}
