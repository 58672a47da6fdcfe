/** The topic of a source: keeps what is published until it is taken, and tells, late, how much that is. */
import type { SourceMessage } from '../../../functions/engine/ingest/source-message.ts';
import { RetryableError } from '../../../functions/model/errors.ts';
import { epochMillis, type Millis } from '../../../functions/model/time.ts';
import type { BacklogSample } from '../../../functions/ports/backlog.ts';
import type { RecordSpec } from '../scenario.ts';
import { Deliveries, type Route } from './deliveries.ts';
import { Random } from './random.ts';
import type { Surroundings } from './surroundings.ts';
import type { GivenUp } from './undelivered.ts';

/** Sooner than ids are forgotten, whatever else delays a message that comes again. */
const LATEST_REPETITION = 300_000;
/** Milliseconds since 1970. */
const NEVER = 8e15;
/** When nothing goes wrong any more, samples are taken no more often than sweeps ask for them; and when all was taken, than this. */
const CALM_SAMPLE = 20_000;
const LAST_SAMPLE = 300_000;

/** Longer than an instance holds a message, stands still, and waits for its store. */
const COPY_AFTER = 900_000;

export interface UndeliveredRoute {
  readonly route: Route<GivenUp>;
  /** Told of each message that is given up, by its token. */
  readonly gaveUp: (token: string) => void;
}

export class Topic {
  readonly #around: Surroundings;
  readonly #deliveries: Deliveries<SourceMessage>;
  readonly #random: Random;
  /** Messages that are not acknowledged, with when they were published. */
  readonly #backlog = new Map<string, number>();
  readonly #givenUp = new Set<string>();
  readonly #gaveUp: (token: string) => void;
  readonly #undelivered: Deliveries<GivenUp>;
  /** Copies that were not taken yet. */
  readonly #copies = new Set<string>();
  /** The newest sample that can be read. */
  #sample: BacklogSample | undefined;
  /** Nothing is delivered any more. */
  isDrained = false;
  #remaining: number;
  #published = 0;
  readonly #series: string;

  /**
   * @param records what is published, each at its arrival
   * @param undelivered where it goes what cannot be delivered
   * @param series stands in the ids of messages, which no two have in common
   */
  constructor(
    around: Surroundings,
    name: string,
    records: readonly RecordSpec[],
    route: Route<SourceMessage>,
    undelivered: UndeliveredRoute,
    series: string,
  ) {
    this.#around = around;
    this.#series = series;
    this.#gaveUp = undelivered.gaveUp;
    this.#random = new Random(around.seed, `topic ${name}`);
    this.#deliveries = new Deliveries(around, name, {
      // What was given up is no longer this subscription's.
      route: (message, attempt, answer) => !this.#givenUp.has(message.id) && route(message, attempt, answer),
      describe: ({ id, data }) => `message ${id} of ${name}: ${(data as RecordSpec).id}`,
      maxAttempts: around.scenario.world.sourceAttempts ?? Number.POSITIVE_INFINITY,
      latestRepetition: LATEST_REPETITION,
      heldUntil: () => (this.isDrained ? NEVER : 0),
      acknowledged: ({ id }) => this.#backlog.delete(id),
      gaveUp: (message) => this.#giveUp(message),
    });
    this.#undelivered = new Deliveries(around, `${name}, undelivered`, {
      route: undelivered.route,
      describe: ({ id, message }) => `${id}, the copy of message ${message.id} of ${name}`,
      maxAttempts: Number.POSITIVE_INFINITY,
      latestRepetition: LATEST_REPETITION,
      acknowledged: ({ id }) => this.#copies.delete(id),
    });
    const times = records.flatMap((record) =>
      [record.arrival, record.publishedAgain ?? []].flat().map((at) => ({ at, record })),
    );
    this.#remaining = times.length;
    for (const { at, record } of times) around.scheduler.at(at, () => this.#publish(record));
    this.#sampleOften();
  }

  /** Whether everything was published and acknowledged. */
  get isDone(): boolean {
    return this.#remaining === 0 && this.#backlog.size === 0 && this.#copies.size === 0;
  }

  /** The newest sample that can be read. @throws {RetryableError} when it cannot be read now */
  async sample(): Promise<BacklogSample | undefined> {
    const { faults } = this.#around;
    if (faults.happens('sampleFailed')) throw new RetryableError('no answer from monitoring');
    return faults.happens('sampleMissing') ? undefined : this.#sample;
  }

  /** Whoever still has it when it is given up lets it go, or has committed it, before its copy is delivered. */
  #giveUp(message: SourceMessage): void {
    if (!this.#backlog.delete(message.id)) return;
    this.#givenUp.add(message.id);
    this.#gaveUp((message.data as RecordSpec).id);
    const id = `d${this.#series}${this.#givenUp.size}`;
    this.#copies.add(id);
    this.#around.scheduler.after(COPY_AFTER, () => {
      this.#undelivered.carry({ id, message });
      return false;
    });
  }

  #publish(record: RecordSpec): false {
    const id = `m${this.#series}${this.#published++}`;
    const publishTime = epochMillis(Math.floor(this.#around.scheduler.now));
    this.#remaining -= 1;
    this.#backlog.set(id, publishTime);
    this.#deliveries.carry({ id, publishTime, data: record, attributes: {} });
    return false;
  }

  #sampleOften(): void {
    const { scheduler, scenario, faults } = this.#around;
    const { sampleEvery, sampleDelay } = scenario.world;
    const least = this.isDone ? LAST_SAMPLE : faults.isOver ? CALM_SAMPLE : 0;
    scheduler.after(Math.max(sampleEvery, least), () => {
      const now = Math.floor(scheduler.now);
      const oldest = Math.min(now, ...this.#backlog.values());
      const sample: BacklogSample = {
        sampledAt: epochMillis(now),
        oldestUnackedAge: (now - oldest) as Millis,
        undelivered: this.#backlog.size,
      };
      scheduler.after(this.#random.next() * sampleDelay, () => {
        if (this.#sample === undefined || this.#sample.sampledAt < sample.sampledAt) this.#sample = sample;
        return false;
      });
      this.#sampleOften();
      return false;
    });
  }
}
