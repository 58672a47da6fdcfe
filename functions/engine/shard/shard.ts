/**
 * A shard at work: gathers what arrives while a commit is under way, runs it as one bundle, commits, publishes, answers.
 *
 * Invariants: one commit of a shard at a time; an offered envelope is answered only after the commit that took it, or
 * when its number is found done; nothing is published before its commit.
 */
import { ContentionError, TooLargeError } from '../../model/errors.ts';
import { type EpochMillis, later, type Millis } from '../../model/time.ts';
import type { Bus, BusMessage, Envelope, Tick } from '../../ports/bus.ts';
import type { Clock, Ids } from '../../ports/clock.ts';
import type { Store, Version } from '../../ports/store.ts';
import { BundleOutput } from '../chain/bundle-output.ts';
import { outsideMessages } from '../chain/outside.ts';
import { type DeadLetter, type DeadLetterPlace, elementDeadLetter } from '../dead-letter.ts';
import { deadLetterDocuments } from '../dead-letter-document.ts';
import { Cadence } from '../protocol/cadence.ts';
import { type Changes, commitRoot, openRoot, publishOutbox } from '../protocol/commit.ts';
import { parseShardId, type ShardId } from '../protocol/names.ts';
import { fillOutbox, type Outbox } from '../protocol/outbox.ts';
import { isDone, type Root, RootDraft } from '../protocol/root.ts';
import { tryAgain } from '../protocol/try-again.ts';
import { publishLeft } from '../sweep/republish.ts';
import { partName, partOf, refuse } from './envelope-parts.ts';
import { BundleTooLarge, commitInLots, type Lot, MAX_BATCH_CHARACTERS } from './lots.ts';
import { TickFacts } from './tick-facts.ts';
import { type Worker, WaitingLine } from './waiting-line.ts';
import type { BundleCounts, BundleResult, Work, Workspace } from './work.ts';

/** What a shard needs from around it. */
export interface ShardSetting {
  readonly pipeline: string;
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Rises with each deployment that changes the topology. */
  readonly topology: number;
  /** Rises with each fresh start after a drain; see `TopologyControl`. Default 1. */
  readonly epoch?: number;
  /** The newest published input watermark of a stage, as known in this process. */
  readonly inputWatermarkOf: (stage: string) => EpochMillis;
  /** Under load, a commit of a shard begins no sooner than this after the one before. Default 0. */
  readonly cadence?: Millis;
  readonly counted?: (stage: string, counts: BundleCounts) => void;
  /** The deployed version, for dead letters. Default: the number of the topology. */
  readonly version?: string;
  /** Told of dead letters after the commit that wrote them; at least once. */
  readonly deadLettered?: (letters: readonly DeadLetter[]) => void;
}

export function versionOf({ version, topology }: Pick<ShardSetting, 'version' | 'topology'>): string {
  return version ?? String(topology);
}

/** What a commit of its own writes beside the root, and what comes of it. */
export interface TransactionResult extends Changes {
  readonly output?: BundleOutput;
  readonly counts?: BundleCounts;
  readonly letters?: readonly DeadLetter[];
}

/** A commit of its own, between bundles: for claims and settlements. It keeps within what one commit may weigh. */
export type Transaction = (
  draft: RootDraft,
  place: (i: number) => DeadLetterPlace,
) => TransactionResult | undefined | Promise<TransactionResult | undefined>;

interface Memory {
  root: Root;
  version: Version | 'absent';
  readonly workspace: Workspace;
  /** When it was last known to be what is stored. */
  seen: EpochMillis;
}

/** A tick that brings nothing makes a shard look at the store when it has not done so for this long; milliseconds. */
const LOOK_AGAIN_AFTER = 10_000;
const NO_OUTPUT = new BundleOutput();

export class Shard {
  readonly id: ShardId;
  readonly #stage: string;
  readonly #setting: ShardSetting;
  readonly #work: Work;
  readonly #line: WaitingLine<Transaction>;
  readonly #facts = new TickFacts();
  #hasStarted = false;
  #memory: Memory | undefined;
  /** Called after each commit; starts what must happen outside commits. */
  onCommitted: ((root: Root) => void) | undefined;

  constructor(id: ShardId, setting: ShardSetting, work: Work) {
    this.id = id;
    this.#stage = parseShardId(id).stage;
    this.#setting = setting;
    this.#work = work;
    const worker: Worker<Transaction> = {
      bundle: (messages) => this.#commitBundle(messages),
      own: (transaction) => this.#tryAgain(() => this.#tryTransaction(transaction)),
    };
    this.#line = new WaitingLine(worker, new Cadence(setting.clock, setting.cadence ?? (0 as Millis)));
  }

  /** Hands a message over. Resolves when it may be acknowledged, rejects when it should be delivered again. */
  offer(message: BusMessage): Promise<void> {
    return this.#line.enqueue(message);
  }

  /** Commits something that is no bundle, in turn with the bundles. Run again when another instance committed first. */
  transact(transaction: Transaction): Promise<void> {
    return this.#line.enqueue(transaction);
  }

  /** Resolves when nothing waits and nothing is under way. */
  idle(): Promise<void> {
    return this.#line.idle();
  }

  async #commitBundle(messages: readonly BusMessage[]): Promise<boolean> {
    const envelopes = messages.filter((message) => message.kind === 'envelope');
    const ticks = messages.filter((message) => message.kind === 'tick');
    try {
      return await this.#tryAgain(() => this.#tryBundle(envelopes, ticks));
    } catch (error) {
      if (!(error instanceof BundleTooLarge)) throw error;
      if (envelopes.length < 2) return await this.#commitInLots(envelopes, ticks);
      const middle = envelopes.length >> 1;
      await this.#commitBundle(envelopes.slice(0, middle));
      return await this.#commitBundle([...envelopes.slice(middle), ...ticks]);
    }
  }

  #commitInLots(envelopes: readonly Envelope[], ticks: readonly Tick[]): Promise<boolean> {
    const [envelope] = envelopes;
    return commitInLots(
      envelope === undefined ? 0 : Math.max(1, envelope.count),
      (lot) => this.#tryAgain(() => this.#tryBundle(lot.elements === 0 ? [] : envelopes, ticks, lot)),
      () => envelope === undefined || this.#memory?.root.parts?.[partName(envelope)] === undefined,
    );
  }

  /** Forgets all memory after a failure, since another instance may have committed. */
  #tryAgain<T>(attempt: () => Promise<T>): Promise<T> {
    const { clock, ids } = this.#setting;
    return tryAgain(clock, ids, attempt, () => {
      this.#memory = undefined;
    });
  }

  async #tryTransaction(transaction: Transaction): Promise<void> {
    this.#memory ??= await this.#load();
    const draft = this.#draft(this.#memory.root, []);
    const memory = this.#memory;
    const nonce = this.#setting.ids.unique();
    const result = await transaction(draft, this.#places(draft, nonce));
    if (result === undefined) return;
    const { output = NO_OUTPUT, letters = [], counts, sets, deletes } = result;
    const outbox = this.#fill(draft, output, nonce);
    const written = letters.flatMap((letter) => deadLetterDocuments(letter).documents);
    if (counts !== undefined) draft.count(counts);
    await this.#commit(memory, draft, nonce, { sets: [...sets, ...outbox.documents, ...written], deletes });
    if (counts !== undefined) this.#setting.counted?.(this.#stage, counts);
    await this.#tell(letters, outbox);
  }

  /** @param lot how much is taken; absent: all */
  async #tryBundle(envelopes: readonly Envelope[], ticks: readonly Tick[], lot?: Lot): Promise<boolean> {
    this.#memory ??= await this.#load();
    const memory = this.#memory;
    const fresh = await this.#fresh(memory.root, envelopes);
    this.#facts.note(memory.root, ticks);
    if (ticks.length > 0) await this.#publishLeft(memory.root);
    const isWorthIt =
      fresh.length > 0 ||
      this.#facts.worthCommit(memory.root, this.#setting.clock.now()) ||
      memory.workspace.isWoken?.(this.#facts);
    if (!isWorthIt) return await this.#lookAgain(memory, ticks);
    const draft = this.#draft(memory.root, ticks);
    const nonce = this.#setting.ids.unique();
    const place = this.#places(draft, nonce);
    const result = await this.#runOn(memory, () => this.#runLot(memory, draft, fresh, place, lot));
    const outbox = this.#fill(draft, result.output, nonce);
    const { letters = [] } = result;
    const written = letters.map(deadLetterDocuments);
    const characters = written.reduce((sum, letter) => sum + letter.characters, result.characters + outbox.characters);
    if (characters > (lot?.limit ?? MAX_BATCH_CHARACTERS) && !lot?.alone) throw new BundleTooLarge(characters);
    const sets = [...result.sets, ...outbox.documents, ...written.flatMap(({ documents }) => documents)];
    draft.count(result.counts);
    await this.#commit(memory, draft, nonce, { sets, deletes: result.deletes });
    this.#setting.counted?.(this.#stage, result.counts);
    await this.#tell(letters, outbox);
    return result.more;
  }

  async #runLot(
    { root, workspace }: Memory,
    draft: RootDraft,
    envelopes: readonly Envelope[],
    place: (i: number) => DeadLetterPlace,
    lot: Lot | undefined,
  ): Promise<BundleResult> {
    const parts = envelopes.map((envelope) => partOf(root, envelope, lot?.elements));
    for (const { envelope, upTo } of parts)
      if (upTo !== undefined) draft.takeOnly(envelope.sender, envelope.number, upTo);
    const taken = parts.map(({ envelope }) => envelope);
    if (lot === undefined) return await workspace.run(draft, taken, this.#facts, place);
    const { inputWatermark, outputWatermark, views } = this.#facts;
    const known = { inputWatermark, outputWatermark, views, deliveries: lot.firings };
    if (lot.alone) return await workspace.run(draft, taken, { ...known, refuseAbove: lot.limit }, place);
    const { refused: tooLarge } = lot;
    if (tooLarge === undefined) return await workspace.run(draft, taken, known, place);
    const result = await workspace.run(draft, [], known, place);
    const { letters = [], counts } = result;
    const refused = taken.flatMap((envelope) => refuse(draft, this.#stage, envelope, tooLarge));
    const more = refused.map((failure, i) => elementDeadLetter(place(letters.length + i), failure));
    for (const { count } of more) {
      counts.elements += count;
      counts.deadLetters += count;
    }
    return { ...result, letters: [...letters, ...more] };
  }

  #places(draft: RootDraft, nonce: string): (i: number) => DeadLetterPlace {
    return (i) => ({
      id: `${this.id}~${nonce}~${i}`,
      stage: this.#stage,
      failedAt: draft.processingTime,
      version: versionOf(this.#setting),
    });
  }

  /** What was committed may be known. */
  async #tell(letters: readonly DeadLetter[], outbox: Outbox): Promise<void> {
    if (letters.length > 0) this.#setting.deadLettered?.(letters);
    for (const document of await publishOutbox(this.#setting.bus, outbox)) this.#facts.published(document);
  }

  /**
   * Runs a bundle. Cells that are read after another instance has committed do not fit the root that was read before: what
   * then fails is contention, whatever it looks like.
   */
  async #runOn<T>({ version }: Memory, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (cause) {
      if ((await this.#storedVersion()) === version) throw cause;
      throw new ContentionError(`${this.id} was committed by another instance while a bundle read its cells`, {
        cause,
      });
    }
  }

  /**
   * Ticks have brought nothing to what is remembered. A sweep sends none without a reason, so another instance may have
   * committed what it means.
   */
  async #lookAgain(memory: Memory, ticks: readonly Tick[]): Promise<boolean> {
    const now = this.#setting.clock.now();
    if (ticks.length === 0 || now < memory.seen + LOOK_AGAIN_AFTER) return false;
    if ((await this.#storedVersion()) === memory.version) {
      memory.seen = now;
      return false;
    }
    this.#memory = undefined;
    return await this.#tryBundle([], ticks);
  }

  async #storedVersion(): Promise<Version | 'absent'> {
    const [stored] = await this.#setting.store.get('roots', [this.id]);
    return stored?.version ?? 'absent';
  }

  #draft(root: Root, ticks: readonly Tick[]): RootDraft {
    const draft = new RootDraft(root);
    draft.processingTime = later(draft.processingTime, this.#setting.clock.now());
    for (const { processingTime } of ticks) draft.processingTime = later(draft.processingTime, processingTime);
    this.#facts.apply(draft);
    return draft;
  }

  #fill(draft: RootDraft, output: BundleOutput, nonce: string): Outbox {
    const messages = outsideMessages(output.outside, this.#setting.pipeline, `${this.id}~${nonce}`);
    return fillOutbox(draft, output.outgoing, messages, this.#setting.inputWatermarkOf);
  }

  async #commit(memory: Memory, draft: RootDraft, nonce: string, changes: Changes): Promise<void> {
    const { store, topology } = this.#setting;
    const { root, version } = await commitRoot(store, draft, memory.version, nonce, topology, changes).catch(
      (error: unknown) => {
        throw error instanceof TooLargeError ? new BundleTooLarge(error.bytes, error.limit, { cause: error }) : error;
      },
    );
    memory.root = root;
    memory.version = version;
    memory.seen = this.#setting.clock.now();
    memory.workspace.committed(root);
    this.#facts.committed();
    this.onCommitted?.(root);
  }

  async #load(): Promise<Memory> {
    const { store, clock, topology } = this.#setting;
    const [stored] = await store.get('roots', [this.id]);
    const { root, version } = openRoot(stored, this.id, topology);
    if (!this.#hasStarted) await this.#publishLeft(root);
    this.#hasStarted = true;
    return { root, version, workspace: this.#work.open(root, version), seen: clock.now() };
  }

  /**
   * What a process before this one has left to publish for topics outside, or has published without having noted it; and
   * what this one could not publish when the bus was down.
   */
  async #publishLeft(root: Root): Promise<void> {
    if (root.outside.length === 0) return;
    const { store, bus } = this.#setting;
    for (const document of await publishLeft(store, bus, root, this.#facts.publishedDocuments))
      this.#facts.published(document);
  }

  /**
   * Leaves out what is known to be done. A sender that this root does not know may be gone, and then everything it sent
   * was done: its root is read afresh in every try, after our own.
   */
  async #fresh(root: Root, envelopes: readonly Envelope[]): Promise<Envelope[]> {
    const unknown = envelopes.filter(({ sender }) => root.done[sender] === undefined);
    const strangers = [...new Set(unknown.map(({ sender }) => sender))];
    const roots = strangers.length === 0 ? [] : await this.#setting.store.get('roots', strangers);
    const gone = strangers.filter((_, i) => roots[i] === undefined);
    return envelopes.filter(({ sender, number }) => !gone.includes(sender) && !isDone(root.done, sender, number));
  }
}
