import type { ViewNode } from '../../model/graph.ts';
import { type EpochMillis, later, plus } from '../../model/time.ts';
import type { Window } from '../../model/windows.ts';
import type { Document } from '../../ports/store.ts';
import { type DeadLetter, type DeadLetterPlace, firingDeadLetter } from '../dead-letter.ts';
import { deadLetterDocuments } from '../dead-letter-document.ts';
import type { Changes } from '../protocol/commit.ts';
import type { Root, RootDraft } from '../protocol/root.ts';
import { tryAgain } from '../protocol/try-again.ts';
import { type Shard, type ShardSetting, versionOf } from '../shard/shard.ts';
import { noCounts } from '../shard/work.ts';
import { type ViewContent, viewContent } from './content.ts';
import { GarbageBin } from './garbage.ts';
import { keepState } from './keep-state.ts';
import type { LoadedElements, ViewLoader } from './loader.ts';
import { chunkPrefix } from './names.ts';
import { withProblem, withVersion } from './panes.ts';
import { type Lines, pointerDocument } from './pointer.ts';
import { ViewShapeError, ViewTooLargeError } from './problems.ts';
import { readPane } from './read-pane.ts';
import {
  findWindow,
  nextToShow,
  type PendingPane,
  revised,
  type ViewProblem,
  viewState,
  type ViewState,
  type ViewWindow,
  withWindow,
} from './view-state.ts';

/** A version of so many bytes is shown in one commit. */
const ONE_COMMIT = 600_000;
/** What one commit of chunks holds; bytes. */
const BATCH = 2_500_000;
/** How long a version may take to be written; milliseconds. */
const LEASE = 120_000;
/** How long the chunks of a version that was given up are kept, for its writer may still be at it; milliseconds. */
const GIVEN_UP = 600_000;

/** What readers see from now on; for metrics. */
export interface ViewShown {
  readonly view: string;
  readonly window: Window;
  readonly elements: number;
  readonly bytes: number;
  /** The view's budget. */
  readonly maxBytes: number;
}

export interface PublisherSetting extends ShardSetting {
  /** Told of each version after the commit that shows it. */
  readonly viewShown?: (shown: ViewShown) => void;
}

/** A version that was built and is not shown. */
interface Built {
  readonly at: Window;
  readonly pane: PendingPane;
  readonly version: string;
  readonly content: ViewContent;
  readonly documents: readonly Document[];
  /** What could not be read of a view that refreshes. */
  readonly letters: readonly DeadLetter[];
}

export class ViewPublisher {
  readonly #shard: Shard;
  readonly #node: ViewNode;
  readonly #setting: PublisherSetting;
  readonly #loader: ViewLoader | undefined;
  readonly #owner: string;
  #latest: Root | undefined;
  #showing: Promise<void> | undefined;

  /** @param loader reads the elements of a view that refreshes; absent: they are staged */
  constructor(shard: Shard, node: ViewNode, setting: PublisherSetting, loader?: ViewLoader) {
    this.#shard = shard;
    this.#node = node;
    this.#setting = setting;
    this.#loader = loader;
    this.#owner = setting.ids.unique();
  }

  /**
   * The shard has committed: shows all that is due. Joins what is under way.
   * @throws {RetryableError} when the store is down; the commit of a later tick begins again
   */
  committed(root: Root): Promise<void> {
    this.#latest = root;
    this.#showing ??= this.#showDue().finally(() => {
      this.#showing = undefined;
    });
    return this.#showing;
  }

  async #showDue(): Promise<void> {
    for (;;) {
      const root = this.#latest!;
      const now = later(root.processingTime, this.#setting.clock.now());
      const window = nextToShow(viewState(root), now);
      if (window === undefined) return;
      await this.#show(window, window.pending!);
      if (this.#latest === root) return;
    }
  }

  async #show(window: ViewWindow, pane: PendingPane): Promise<void> {
    const elements = await this.#elements(window, pane);
    // Somebody else has shown it meanwhile; what they committed will be learnt with the next commit.
    if (elements === undefined) return;
    const { lines, letters } = elements;
    let content: ViewContent;
    try {
      if (elements.tooLarge !== undefined) throw elements.tooLarge;
      content = viewContent(this.#node, lines);
    } catch (error) {
      if (!(error instanceof ViewShapeError || error instanceof ViewTooLargeError)) throw error;
      return this.#giveUp(window, pane, error, elements.count, letters);
    }
    const version = this.#setting.ids.unique();
    const prefix = chunkPrefix(this.#node.name, version);
    const documents = content.chunks.map((text, i): Document => {
      const body: Lines = { lines: text };
      return { collection: 'views', id: `${prefix}${i}`, body };
    });
    const built: Built = { at: window, pane, version, content, documents, letters };
    if (content.bytes <= ONE_COMMIT) await this.#shard.transact((draft) => this.#settle(draft, built, documents));
    else await this.#showLarge(built);
    const { start, end } = window;
    if (findWindow(viewState(this.#latest!), window)?.shown?.version !== version) return;
    this.#tell(letters);
    const { name: view, maxBytes } = this.#node;
    const { count, bytes } = content;
    this.#setting.viewShown?.({ view, window: { start, end }, elements: count, bytes, maxBytes });
  }

  async #elements(window: ViewWindow, pane: PendingPane): Promise<LoadedElements | undefined> {
    if (this.#loader !== undefined) return this.#loader.load(pane.index);
    const lines = await readPane(this.#setting.store, this.#shard.id, this.#node, window, pane);
    return lines === undefined ? undefined : { lines, count: lines.length, letters: [] };
  }

  async #showLarge(built: Built): Promise<void> {
    let claimed = false;
    await this.#shard.transact((draft) => {
      claimed = false;
      const changes = this.#claim(draft, built);
      claimed = changes !== undefined;
      return changes;
    });
    if (!claimed) return;
    const { store, clock, ids } = this.#setting;
    for (const sets of batches(built.documents))
      await tryAgain(clock, ids, () => store.commit({ preconditions: [], sets, deletes: [] }), forgetNothing);
    await this.#shard.transact((draft) => {
      const { claim } = viewState(draft);
      // Taken over by another instance, which has thrown this version away.
      return claim?.version === built.version ? this.#settle(draft, built, []) : undefined;
    });
  }

  #claim(draft: RootDraft, { at, pane, version, content }: Built): Changes | undefined {
    const state = viewState(draft);
    if (findWindow(state, at)?.pending == null) return undefined;
    const { claim } = state;
    if (claim !== null && claim.lease > draft.processingTime && claim.owner !== this.#owner) return undefined;
    const bin = this.#bin(state);
    if (claim !== null) bin.chunks(claim, claim.version, claim.chunks, plus(draft.processingTime, GIVEN_UP));
    const { start, end } = at;
    const chunks = content.chunks.length;
    const lease = plus(draft.processingTime, LEASE);
    const next = { start, end, version, chunks, pane: pane.index, owner: this.#owner, lease };
    return this.#keep(draft, { ...state, claim: next, garbage: bin.items }, []);
  }

  #settle(draft: RootDraft, built: Built, chunks: readonly Document[]): Changes | undefined {
    const { at, pane, version, content } = built;
    const state = viewState(draft);
    const window = findWindow(state, at);
    const bin = this.#bin(state);
    const since = draft.processingTime;
    const { count, bytes, starts } = content;
    const shown = {
      version,
      pane: pane.index,
      through: pane.to,
      chunks: content.chunks.length,
      count,
      bytes,
      since,
    };
    const changed = window === undefined ? undefined : withVersion(this.#node, window, shown, bin);
    const claim = state.claim?.version === version ? null : state.claim;
    if (changed === undefined) {
      // The window is gone, or readers see a newer pane: only what was written outside needs to be thrown away.
      if (claim === state.claim) return undefined;
      bin.chunks(at, version, content.chunks.length, since);
      return this.#keep(draft, { ...state, claim, garbage: bin.items }, []);
    }
    const next = revised({ ...state, claim, garbage: bin.items }, since);
    const pointer = pointerDocument(this.#node.name, at, { version, chunks: shown.chunks, starts, count, bytes });
    const sets = [...chunks, pointer, ...built.letters.flatMap((letter) => deadLetterDocuments(letter).documents)];
    return this.#keep(draft, withWindow(next, at, changed), sets);
  }

  /** The pane is none that the view can show: a dead letter says why, and readers keep what they see. */
  async #giveUp(
    at: ViewWindow,
    pane: PendingPane,
    error: ViewShapeError | ViewTooLargeError,
    count: number,
    letters: readonly DeadLetter[],
  ): Promise<void> {
    const letter = (failedAt: EpochMillis) => {
      const id = `${this.#shard.id}~${at.start}~${pane.index}`;
      const place: DeadLetterPlace = { id, stage: this.#node.name, failedAt, version: versionOf(this.#setting) };
      const failure = { window: at, timestamp: pane.hold, error, state: { elements: count } };
      return { ...firingDeadLetter(place, null, failure), count };
    };
    let failedAt: EpochMillis | undefined;
    await this.#shard.transact((draft) => {
      const state = viewState(draft);
      const window = findWindow(state, at);
      failedAt = undefined;
      if (window?.pending == null || window.pending.index < pane.index) return undefined;
      failedAt = draft.processingTime;
      const { code, message } = error;
      const problem: ViewProblem = { code, message, since: failedAt };
      const bin = this.#bin(state);
      const changed = withProblem(this.#node, window, pane, problem, bin);
      const sets = [letter(failedAt), ...letters].flatMap((each) => [...deadLetterDocuments(each).documents]);
      // Readers who have seen nothing of this window learn why.
      if (window.shown === null) sets.push(pointerDocument(this.#node.name, at, { problem: { code, message } }));
      const next = revised({ ...state, garbage: bin.items }, failedAt);
      return this.#keep(draft, withWindow(next, at, changed), sets);
    });
    if (failedAt === undefined) return;
    this.#tell([letter(failedAt), ...letters]);
  }

  #tell(letters: readonly DeadLetter[]): void {
    if (letters.length === 0) return;
    const deadLetters = letters.reduce((sum, { count }) => sum + count, 0);
    this.#setting.counted?.(this.#node.name, { ...noCounts(), deadLetters });
    this.#setting.deadLettered?.(letters);
  }

  #keep(draft: RootDraft, state: ViewState, sets: readonly Document[]): Changes {
    keepState(draft, this.#node, state);
    return { sets, deletes: [] };
  }

  #bin(state: ViewState): GarbageBin {
    return new GarbageBin(state.garbage, this.#node.name, this.#shard.id);
  }
}

/** Documents in commits of a bounded size. */
function* batches(documents: readonly Document[]): Generator<readonly Document[]> {
  let batch: Document[] = [];
  let bytes = 0;
  for (const document of documents) {
    const size = Buffer.byteLength((document.body as Lines).lines);
    if (batch.length > 0 && bytes + size > BATCH) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(document);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** What is written here depends on nothing that was read. */
function forgetNothing(): void {}
