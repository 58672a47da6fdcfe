/**
 * Takes in the messages of one source on one instance: what is offered while a commit is under way forms the next bundle.
 *
 * Invariants: a message is answered only after a commit that holds everything it became; one commit at a time. A message
 * may come any number of times, to any number of instances: the first keyed stage knows its elements by their ids.
 */
import { type EpochMillis, MAX_TIMESTAMP, type Millis, plus } from '../../model/time.ts';
import type { PlannedSource } from '../../plan/plan.ts';
import type { Chain } from '../chain/chain.ts';
import { Cadence } from '../protocol/cadence.ts';
import { type ShardSetting, versionOf } from '../shard/shard.ts';
import { noCounts } from '../shard/work.ts';
import { InstanceRoot } from './instance-root.ts';
import { type BundlePlace, type MessageBundle, runMessages, tooLarge, weightOf } from './message-bundle.ts';
import { SourceDecoder } from './source-decoder.ts';
import type { SourceMessage } from './source-message.ts';
import { SOURCE_TIMING } from './source-watermark.ts';

export interface MessageIngestOptions {
  readonly source: PlannedSource;
  readonly setting: ShardSetting;
  /** The source's fused steps; whoever owns the instance sets them up and tears them down. */
  readonly chain: Chain;
  /** Under load, a commit begins no sooner than this after the one before. Default: as the shards'. */
  readonly cadence?: Millis;
  /** How long a publish-time slice is. Default 10 seconds. */
  readonly slice?: Millis;
}

interface Waiting {
  readonly message: SourceMessage;
  /** Processing time at which it was handed over. */
  readonly since: EpochMillis;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const MAX_BUNDLE_MESSAGES = 1_000;
/** As of a shard's commit; at most three bytes each. */
const MAX_BATCH_CHARACTERS = 900_000;

export class MessageIngest {
  readonly #source: PlannedSource;
  readonly #setting: ShardSetting;
  readonly #chain: Chain;
  readonly #cadence: Cadence;
  readonly #decoder: SourceDecoder;
  readonly #root: InstanceRoot;
  readonly #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(options: MessageIngestOptions) {
    const { source, setting, chain, cadence = setting.cadence ?? (0 as Millis), slice = SOURCE_TIMING.slice } = options;
    this.#source = source;
    this.#setting = setting;
    this.#chain = chain;
    this.#cadence = new Cadence(setting.clock, cadence);
    this.#decoder = new SourceDecoder(source.id, source.node.source);
    this.#root = new InstanceRoot(source.id, setting, slice);
  }

  /** Hands a message over. Resolves when it may be acknowledged, rejects when it should be delivered again. */
  offer(message: SourceMessage): Promise<void> {
    const since = this.#setting.clock.now();
    const answered = new Promise<void>((resolve, reject) => this.#waiting.push({ message, since, resolve, reject }));
    this.#running ??= this.#run();
    return answered;
  }

  /** Resolves when nothing waits and nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    // What is offered in the same turn belongs to the same bundle.
    await undefined;
    while (this.#waiting.length > 0) {
      await this.#cadence.turn();
      await this.#take(this.#waiting.splice(0, MAX_BUNDLE_MESSAGES));
    }
    this.#running = undefined;
  }

  /** Commits a bundle, in halves when it is too large for one commit. */
  async #take(waiting: readonly Waiting[]): Promise<void> {
    try {
      const bundle = await this.#fitting(waiting.map(({ message }) => message));
      if (bundle === undefined) {
        const middle = waiting.length >> 1;
        await this.#take(waiting.slice(0, middle));
        await this.#take(waiting.slice(middle));
        return;
      }
      const { letters } = await this.#root.commit(bundle, this.#latest(waiting[0]!.since));
      this.#setting.counted?.(this.#source.id, {
        ...noCounts(),
        elements: waiting.length,
        duplicates: bundle.duplicates,
        deadLetters: letters.length,
      });
      if (letters.length > 0) this.#setting.deadLettered?.(letters);
      for (const { resolve } of waiting) resolve();
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  /**
   * Until when messages that were handed over then may be committed. An instance may stand still for any time, while
   * another takes what Pub/Sub delivers again; half of the horizon at most is spent here, half is left for deliveries.
   */
  #latest(since: EpochMillis): EpochMillis {
    const { exactlyOnce, idHorizon } = this.#source.node.source;
    return exactlyOnce ? plus(since, Math.floor(idHorizon / 2)) : MAX_TIMESTAMP;
  }

  /** Runs the messages; undefined when what they become does not fit one commit. A single message that is too large fails. */
  async #fitting(messages: readonly SourceMessage[]): Promise<MessageBundle | undefined> {
    const place: BundlePlace = {
      source: this.#source,
      failedAt: this.#setting.clock.now(),
      version: versionOf(this.#setting),
      unique: this.#setting.ids.unique(),
    };
    const [bundle] = await Promise.all([runMessages(messages, this.#decoder, this.#chain, place), this.#root.learn()]);
    const characters = weightOf(bundle);
    if (characters <= MAX_BATCH_CHARACTERS) return bundle;
    return messages.length > 1 ? undefined : tooLarge(messages[0]!, characters, MAX_BATCH_CHARACTERS, place);
  }
}
