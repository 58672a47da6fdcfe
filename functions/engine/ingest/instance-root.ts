/**
 * The root of one ingest instance. Invariants: it ends in a random incarnation, is created with must-not-exist, and once a
 * commit of it was refused its name is never used again; none is created once a later epoch has begun or a drain has ended
 * the reading, nor after it was retired; a commit whose outcome is not known is sent again as it was, so that its nonce tells
 * whether it was applied.
 */
import { ContentionError, OutdatedError, RetryableError } from '../../model/errors.ts';
import { type EpochMillis, later, type Millis, MIN_TIMESTAMP, plus } from '../../model/time.ts';
import type { DocumentName, Precondition } from '../../ports/store.ts';
import { epochFence, readingFence } from '../control.ts';
import { outsideMessages } from '../chain/outside.ts';
import type { DeadLetter } from '../dead-letter.ts';
import { deadLetterDocuments } from '../dead-letter-document.ts';
import { commitRoot, publishOutbox, type StoredRoot } from '../protocol/commit.ts';
import { ingestRootId } from '../protocol/names.ts';
import { fillOutbox, type Outbox } from '../protocol/outbox.ts';
import { newRoot, RootDraft } from '../protocol/root.ts';
import type { ShardSetting } from '../shard/shard.ts';
import type { MessageBundle } from './message-bundle.ts';
import { isClosed, messageState, retirementFence, type SettledBody } from './message-state.ts';
import { publishLeft } from '../sweep/republish.ts';
import { foldedSlices, withPublications } from './publish-slices.ts';
import type { SourceActivity } from './source-watermark.ts';

/** What sweeps tell is asked for at most so often; milliseconds. */
const SETTLE_EVERY = 5_000;
const MAX_TRIES = 8;
const FIRST_BACKOFF = 20;
const LONGEST_BACKOFF = 2_000;

const NOTHING_SETTLED: SettledBody = { settled: {}, counted: MIN_TIMESTAMP };

/** A commit in the making. */
interface Attempt {
  readonly draft: RootDraft;
  readonly outbox: Outbox;
  readonly nonce: string;
}

export interface Committed {
  /** Those that this commit has written; others of the bundle were written before. */
  readonly letters: readonly DeadLetter[];
}

export class InstanceRoot {
  readonly #source: string;
  readonly #setting: ShardSetting;
  readonly #slice: Millis;
  #stored: StoredRoot | undefined;
  #settled: SettledBody = NOTHING_SETTLED;
  #settledReadAt: EpochMillis = MIN_TIMESTAMP;
  #published: readonly number[] = [];

  /** @param slice how long a publish-time slice is */
  constructor(source: string, setting: ShardSetting, slice: Millis) {
    this.#source = source;
    this.#setting = setting;
    this.#slice = slice;
  }

  /** Reads what sweeps have told since, unless it was read a moment ago. */
  async learn(): Promise<void> {
    const { store, clock } = this.#setting;
    if (this.#stored === undefined || plus(this.#settledReadAt, SETTLE_EVERY) > clock.now()) return;
    this.#settledReadAt = clock.now();
    const [document] = await store.get('settled', [this.#stored.root.id]);
    if (document !== undefined) this.#settled = document.body as SettledBody;
  }

  /**
   * Commits a bundle and publishes what it made.
   * @param latest processing time from which on it is not committed: elsewhere its ids may be forgotten again
   * @throws {RetryableError} when it cannot be known whether it was committed, or must not be; the messages have to come again
   */
  async commit(bundle: MessageBundle, latest: EpochMillis): Promise<Committed> {
    const { store, bus, topology, clock } = this.#setting;
    // What was not published when the bus was down.
    if (this.#stored !== undefined) this.#published = await publishLeft(store, bus, this.#stored.root, this.#published);
    let attempt = this.#prepare(bundle);
    let fences: readonly Precondition[] | undefined;
    let letters = bundle.letters;
    for (let tries = 1; ; tries++) {
      const names = letters.map(({ id }): DocumentName => ({ collection: 'deadLetters', id }));
      try {
        fences ??= await this.#fences();
        if (clock.now() >= latest) throw heldTooLong(this.#source);
        const changes = {
          sets: [...attempt.outbox.documents, ...letters.flatMap((letter) => deadLetterDocuments(letter).documents)],
          deletes: [],
          preconditions: [...names.map((name) => ({ ...name, version: 'absent' as const })), ...fences],
        };
        const version = this.#stored?.version ?? 'absent';
        this.#stored = await commitRoot(store, attempt.draft, version, attempt.nonce, topology, changes);
        break;
      } catch (error) {
        const isOutOfTime = tries >= MAX_TRIES || clock.now() >= latest;
        if (!(error instanceof RetryableError) || error instanceof OutdatedError || isOutOfTime) {
          this.#forget();
          throw error;
        }
        if (!(error instanceof ContentionError)) await this.#backOff(tries);
        else {
          const fresh = await this.#withoutWritten(letters);
          // Either some letters were there already, or the root is not as this instance left it.
          if (fresh.length < letters.length) letters = fresh;
          else this.#forget();
          attempt = this.#prepare(bundle);
          fences = undefined;
        }
      }
    }
    this.#settled = { ...this.#settled, settled: {} };
    this.#published = await publishOutbox(bus, attempt.outbox);
    // A sweep did so before this commit was known to be applied.
    if (isClosed(this.#stored.root)) this.#forget();
    return { letters };
  }

  #prepare({ output, publications }: MessageBundle): Attempt {
    const { clock, ids, topology, pipeline, inputWatermarkOf } = this.#setting;
    const root = this.#stored?.root ?? newRoot(ingestRootId(this.#source, ids.unique()), topology);
    const draft = new RootDraft(root);
    draft.processingTime = later(draft.processingTime, clock.now());
    draft.settle(this.#settled.settled);
    for (const document of this.#published) draft.published(document);
    const nonce = ids.unique();
    const outside = outsideMessages(output.outside, pipeline, `${root.id}~${nonce}`);
    const outbox = fillOutbox(draft, output.outgoing, outside, inputWatermarkOf);
    const slices = withPublications(messageState(root).slices, publications, this.#slice);
    const state: SourceActivity = {
      slices: foldedSlices(slices, this.#settled.counted),
      active: draft.processingTime,
    };
    draft.extra = state;
    return { draft, outbox, nonce };
  }

  /** What the next commit asks beside its root's version, whichever of its tries arrives. */
  async #fences(): Promise<readonly Precondition[]> {
    const { store, epoch = 1 } = this.#setting;
    if (this.#stored !== undefined) return [];
    return Promise.all([epochFence(store, epoch), readingFence(store), retirementFence(store, this.#source)]);
  }

  async #withoutWritten(letters: readonly DeadLetter[]): Promise<readonly DeadLetter[]> {
    if (letters.length === 0) return letters;
    const ids = letters.map(({ id }) => id);
    const stored = await this.#setting.store.get('deadLetters', ids);
    return letters.filter((_, i) => stored[i] === undefined);
  }

  /** The next commit is the first of a new root. */
  #forget(): void {
    this.#stored = undefined;
    this.#settled = NOTHING_SETTLED;
    this.#published = [];
  }

  async #backOff(tries: number): Promise<void> {
    const { clock, ids } = this.#setting;
    await clock.sleep(Math.ceil(ids.random() * Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** tries)) as Millis);
  }
}

function heldTooLong(source: string): RetryableError {
  return new RetryableError(
    `messages of source '${source}' were held here for more than half of its idHorizon; they have to come again`,
  );
}
