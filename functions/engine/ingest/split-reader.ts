/**
 * Reading a bounded source: a split has a position, kept in its root, so that whoever reads on begins after what was
 * committed. Invariant: position, elements and watermark are committed together; no ids are needed.
 */
import { MillraceError } from '../../model/errors.ts';
import { MAIN_OUTPUT } from '../../model/graph.ts';
import { type EpochMillis, later, MAX_TIMESTAMP, MIN_TIMESTAMP, plus } from '../../model/time.ts';
import type { WatermarkPolicy } from '../../model/source.ts';
import type { PlannedSource } from '../../plan/plan.ts';
import type { Version } from '../../ports/store.ts';
import type { Chain } from '../chain/chain.ts';
import { type DeadLetter, elementDeadLetter, sourceDeadLetter } from '../dead-letter.ts';
import { deadLetterDocuments } from '../dead-letter-document.ts';
import { outsideMessages } from '../chain/outside.ts';
import { commitRoot, openRoot, publishOutbox } from '../protocol/commit.ts';
import { ingestRootId } from '../protocol/names.ts';
import { fillOutbox, type Outbox } from '../protocol/outbox.ts';
import { newRoot, type Root, RootDraft, type SettledFacts } from '../protocol/root.ts';
import { type ShardSetting, versionOf } from '../shard/shard.ts';
import { ElementRetries } from './element-retries.ts';
import type { Decoded, RawRecord } from './source-decoder.ts';
import { tryAgain } from '../protocol/try-again.ts';
import { publishLeft } from '../sweep/republish.ts';

/** What a split's root keeps. */
export interface SplitState {
  /** Records read and committed. */
  readonly position: number;
  readonly ended: boolean;
  /** The largest event time that moves the watermark. */
  readonly largest: EpochMillis;
  /** The source's watermark as far as this split knows. */
  readonly watermark: EpochMillis;
}

/** A record and what became of it. */
export type ReadRecord =
  | { readonly raw: RawRecord; readonly decoded: Decoded }
  | { readonly raw: RawRecord; readonly error: unknown };

/** A commit in the making. What follows of it is done once it is known to be stored. */
interface Attempt {
  /** Of the root that it is made on: once that has moved, it is stored already or never will be. */
  readonly version: Version | 'absent';
  readonly draft: RootDraft;
  readonly nonce: string;
  /** How many of the records it takes. */
  readonly taken: number;
  readonly letters: readonly DeadLetter[];
  readonly outbox: Outbox;
}

/** No further record is taken into a commit when those in it have produced more than this, in characters. */
const MOST_PRODUCED = 8_000_000;
const START: SplitState = { position: 0, ended: false, largest: MIN_TIMESTAMP, watermark: MIN_TIMESTAMP };

export class SplitReader {
  readonly id: string;
  readonly #source: PlannedSource;
  readonly #setting: ShardSetting;
  readonly #chain: Chain;
  #root: Root;
  #version: Version | 'absent' = 'absent';
  #published: readonly number[] = [];
  /** The root may have moved since it was read. */
  #stale = false;

  constructor(source: PlannedSource, split: string, setting: ShardSetting, chain: Chain) {
    this.id = ingestRootId(source.id, split);
    this.#source = source;
    this.#setting = setting;
    this.#chain = chain;
    this.#root = newRoot(this.id, setting.topology);
  }

  get state(): SplitState {
    return splitState(this.#root);
  }

  /** Takes over where the split stands; makes its root, so that its watermark counts from now on. */
  async open(): Promise<void> {
    await tryAgain(
      this.#setting.clock,
      this.#setting.ids,
      () => this.#read(),
      () => {},
    );
    if (this.#version === 'absent') await this.commit([], false);
  }

  /** Whether the outbox has something for topics outside, which the next commit publishes if need be, and drops. */
  get hasOutside(): boolean {
    return this.#root.outside.length > 0;
  }

  /**
   * Runs records through the stateless steps and commits what they send. When that is much, it is what the first of them
   * send: the others are for later commits, so that memory stays bounded.
   * @param ended no record comes after these
   * @param settled what sweeps have found to be taken
   * @param watermark the source's watermark from now on, whatever its policy says
   * @returns how many records were taken: all, unless they send too much for one commit
   * @throws {MovedOnError} when somebody else has read on in this split
   * @throws {RetryableError} when it is not known whether it was committed; `open` reads where the split stands
   */
  async commit(
    records: readonly ReadRecord[],
    ended: boolean,
    settled: SettledFacts = {},
    watermark?: EpochMillis,
  ): Promise<number> {
    const { clock, ids, bus } = this.#setting;
    const { position } = this.state;
    let made: Attempt | undefined;
    const attempt = async (): Promise<Attempt> => {
      if (this.#stale) await this.#read();
      // Neither the answer nor the read after it has come.
      if (made !== undefined && made.nonce === this.#root.nonce) return made;
      if (this.state.position !== position)
        throw new MovedOnError(
          `split ${this.id} stands at ${this.state.position}, not ${position}: somebody else reads it`,
        );
      if (made?.version !== this.#version) made = await this.#prepare(records, ended, settled, watermark);
      await this.#store(made);
      return made;
    };
    const { taken, letters, outbox } = await tryAgain(clock, ids, attempt, () => {
      this.#stale = true;
    });
    if (letters.length > 0) this.#setting.deadLettered?.(letters);
    this.#published = await publishOutbox(bus, outbox);
    return taken;
  }

  /** Reads the root as it is stored. */
  async #read(): Promise<void> {
    const [stored] = await this.#setting.store.get('roots', [this.id]);
    const { root, version } = openRoot(stored, this.id, this.#setting.topology);
    this.#root = root;
    this.#version = version;
    this.#stale = false;
  }

  async #store({ version, draft, nonce, letters, outbox }: Attempt): Promise<void> {
    const { store, topology } = this.#setting;
    const written = letters.flatMap((letter) => deadLetterDocuments(letter).documents);
    const changes = { sets: [...written, ...outbox.documents], deletes: [] };
    const stored = await commitRoot(store, draft, version, nonce, topology, changes);
    this.#root = stored.root;
    this.#version = stored.version;
  }

  async #prepare(
    records: readonly ReadRecord[],
    ended: boolean,
    settled: SettledFacts,
    watermark: EpochMillis | undefined,
  ): Promise<Attempt> {
    const { clock, ids, store, bus, inputWatermarkOf } = this.#setting;
    // What a process before this one has left, or this one when the bus was down.
    if (this.hasOutside) this.#published = await publishLeft(store, bus, this.#root, this.#published);
    const draft = new RootDraft(this.#root);
    draft.processingTime = later(draft.processingTime, clock.now());
    draft.settle(settled);
    for (const document of this.#published) draft.published(document);
    const before = splitState(this.#root);
    const begun = this.#chain.begin(draft.processingTime);
    if (begun !== undefined) await begun;
    const receive = this.#chain.entry(MAIN_OUTPUT);
    const letters: DeadLetter[] = [];
    const place = (id: string) => ({
      id,
      stage: this.#source.id,
      failedAt: draft.processingTime,
      version: versionOf(this.#setting),
    });
    let largest = before.largest;
    let taken = 0;
    for (const record of records) {
      if (taken > 0 && this.#chain.weight.characters > MOST_PRODUCED) break;
      taken += 1;
      if ('error' in record) {
        letters.push(sourceDeadLetter(place(`${this.#source.id}~${record.raw.id}`), record.raw, record.error));
        continue;
      }
      const { element, advances } = record.decoded;
      largest = later(largest, advances);
      const pending = receive(element);
      if (pending !== undefined) await pending;
    }
    const retries = new ElementRetries();
    await retries.run(this.#chain, clock, ids);
    const finished = this.#chain.finish();
    const output = finished instanceof Promise ? await finished : finished;
    const nonce = ids.unique();
    for (const [i, failure] of output.failures.entries())
      letters.push(
        elementDeadLetter(place(`${this.id}~${nonce}~${i}`), { ...failure, attempts: retries.triesOf(failure) }),
      );
    const outbox = fillOutbox(
      draft,
      output.outgoing,
      outsideMessages(output.outside, this.#setting.pipeline, `${this.id}~${nonce}`),
      inputWatermarkOf,
    );
    // An end that another reader has found meanwhile is never taken back.
    const isOver = before.ended || (ended && taken === records.length);
    const known = watermark ?? estimate(this.#source.node.source.watermark, largest, draft.processingTime);
    const state: SplitState = {
      position: before.position + taken,
      ended: isOver,
      largest,
      watermark: isOver ? MAX_TIMESTAMP : later(before.watermark, known),
    };
    draft.extra = state;
    return { version: this.#version, draft, nonce, taken, letters, outbox };
  }
}

/** Two readers of one split; only one of them may go on. */
class MovedOnError extends MillraceError {
  readonly code = 'SPLIT_MOVED_ON';
}

export function splitState(root: Root): SplitState {
  return (root.extra as SplitState | undefined) ?? START;
}

/** The watermark that a policy draws from the largest event time seen. */
function estimate(policy: WatermarkPolicy, largest: EpochMillis, processingTime: EpochMillis): EpochMillis {
  switch (policy.kind) {
    case 'boundedOutOfOrderness':
    case 'trustArrival':
      return plus(largest, -policy.delay);
    case 'processingTime':
      return plus(processingTime, -policy.lag);
    case 'atEnd':
      return MIN_TIMESTAMP;
  }
}
