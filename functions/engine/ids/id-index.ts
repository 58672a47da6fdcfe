/**
 * Tells the elements of sources that deliver at least once from their repetitions, in the first stage that keeps state.
 *
 * Invariants: an id is remembered in the very commit that takes its element; whether one is known is decided on all that is
 * stored of its span. What is in memory is valid as long as the root's version; when a commit fails it is thrown away.
 */
import { type EpochMillis, earlier, later, MAX_TIMESTAMP, MIN_TIMESTAMP, plus } from '../../model/time.ts';
import type { Document, DocumentName, Store } from '../../ports/store.ts';
import { type Published, readPublished } from '../pipeline-document.ts';
import { MAX_DELETES } from '../protocol/commit-limits.ts';
import type { ShardId } from '../protocol/names.ts';
import type { RootDraft } from '../protocol/root.ts';
import { timeOfId } from './element-id.ts';
import { idsDocumentName, IdsWriter, keptId, readIds } from './id-documents.ts';
import {
  bySourceAndTime,
  closestSpans,
  documentsOnlyIn,
  expiryOf,
  type IdRule,
  type IdRules,
  type IdSpan,
  type IdState,
  joinedSpans,
  lastPublished,
  NO_IDS,
  sliceOf,
} from './id-state.ts';

/** An element's id and the source that it comes from. */
export interface SourceId {
  readonly source: string;
  readonly id: string;
}

export interface IdChanges {
  readonly sets: readonly Document[];
  readonly deletes: readonly DocumentName[];
  readonly characters: number;
  /** When ids are next to be forgotten; `MAX_TIMESTAMP` = never. */
  readonly due: EpochMillis;
}

interface Remembered {
  span: IdSpan;
  /** The ids, where they are in memory. */
  ids: Set<string> | undefined;
  /** In this bundle, by a new id or by one that came again. */
  touched: boolean;
}

/** Ids in memory beyond this are dropped, those first that were written longest ago. */
const MAX_IDS = 300_000;
/** A span whose messages may still come again is looked at again after this; milliseconds. */
const LOOK_AGAIN = 60_000;

export class IdIndex {
  readonly #shard: ShardId;
  readonly #rules: IdRules;
  readonly #store: Store;
  readonly #writer: IdsWriter;
  #remembered: Remembered[];
  #published: Pick<Published, 'horizons' | 'taken'> = { horizons: {}, taken: {} };
  #publishedReadAt: EpochMillis = MIN_TIMESTAMP;

  /** @param state as the shard's root keeps it */
  constructor(shard: ShardId, state: IdState | undefined, rules: IdRules, store: Store) {
    const { spans, documents } = state ?? NO_IDS;
    this.#shard = shard;
    this.#rules = rules;
    this.#store = store;
    this.#writer = new IdsWriter(shard, documents);
    this.#remembered = spans.map((span) => ({ span, ids: undefined, touched: false }));
  }

  /** Remembers ids, and says of each whether it is new. Those that no rule covers always are. Once a bundle. */
  async take(ids: readonly SourceId[]): Promise<boolean[]> {
    this.#writer.begin();
    for (const remembered of this.#remembered) remembered.touched = false;
    await this.#load(ids);
    return ids.map((id) => this.#takeOne(id));
  }

  /** Writes what was taken and forgets what has had its time; keeps `draft.ids`. Once a bundle, after `take`. */
  async finish(draft: RootDraft): Promise<IdChanges> {
    const now = draft.processingTime;
    for (const remembered of this.#remembered)
      if (remembered.touched) remembered.span = { ...remembered.span, written: now };
    this.#join();
    const { documents, characters } = this.#writer.finish();
    const expired = await this.#expire(now);
    this.#trim();
    draft.ids = { spans: this.#remembered.map(({ span }) => span), documents: this.#writer.documents };
    const deleted = new Set(expired);
    const sets = documents.filter(({ id }) => !deleted.has(id));
    const deletes = expired.map((id): DocumentName => ({ collection: 'ids', id }));
    return { sets, deletes, characters, due: this.#due(now) };
  }

  #takeOne({ source, id }: SourceId): boolean {
    const rule = this.#rules.get(source);
    const time = timeOfId(id);
    if (rule === undefined || time === undefined) return true;
    const remembered = this.#find(source, time) ?? this.#begin(source, time, rule);
    const kept = keptId(id);
    const known = this.#knownIn(kept, remembered, rule);
    if (known !== undefined) {
      // What came again may do so once more.
      known.touched = true;
      return false;
    }
    remembered.ids!.add(kept);
    remembered.touched = true;
    const { span } = remembered;
    const number = this.#writer.add(source, span.from, kept);
    if (span.last !== number) remembered.span = { ...span, first: span.first || number, last: number };
    return true;
  }

  #knownIn(kept: string, remembered: Remembered, { by }: IdRule): Remembered | undefined {
    if (remembered.ids!.has(kept)) return remembered;
    if (by !== 'publishTimes') return undefined;
    const { source } = remembered.span;
    return this.#remembered.find(({ span, ids }) => span.source === source && ids!.has(kept));
  }

  #find(source: string, time: EpochMillis): Remembered | undefined {
    return this.#remembered.find(({ span }) => span.source === source && span.from <= time && time < span.to);
  }

  /** A slice of which nothing is remembered, as far as it reaches between its neighbours. */
  #begin(source: string, time: EpochMillis, rule: IdRule): Remembered {
    let { from, to } = sliceOf(rule, time);
    for (const { span } of this.#remembered) {
      if (span.source !== source) continue;
      if (span.to <= time) from = later(from, span.to);
      else to = earlier(to, span.from);
    }
    const span = { source, from, to, written: MIN_TIMESTAMP, first: 0, last: 0 };
    const remembered: Remembered = { span, ids: new Set(), touched: true };
    this.#remembered.push(remembered);
    return remembered;
  }

  /** Reads the spans that these ids fall into, as far as they are not in memory. */
  async #load(ids: readonly SourceId[]): Promise<void> {
    const wanted = new Set<Remembered>();
    for (const { source, id } of ids) {
      const time = timeOfId(id);
      const remembered = time === undefined ? undefined : this.#find(source, time);
      if (remembered !== undefined) wanted.add(remembered);
    }
    const everywhere = new Set(
      ids.map(({ source }) => source).filter((each) => this.#rules.get(each)?.by === 'publishTimes'),
    );
    for (const remembered of this.#remembered) if (everywhere.has(remembered.span.source)) wanted.add(remembered);
    const missing = [...wanted].filter((remembered) => remembered.ids === undefined);
    if (missing.length === 0) return;
    const numbers = new Set<number>();
    for (const { span } of missing) for (let n = span.first; n <= span.last; n++) numbers.add(n);
    const bodies = await readIds(this.#store, this.#shard, [...numbers]);
    for (const remembered of missing) {
      const { source, from, to } = remembered.span;
      const known = new Set<string>();
      for (const { groups } of bodies.values())
        for (const [groupSource, groupFrom, texts] of groups)
          if (groupSource === source && from <= groupFrom && groupFrom < to) for (const text of texts) known.add(text);
      remembered.ids = known;
    }
  }

  #join(): void {
    this.#remembered.sort((a, b) => bySourceAndTime(a.span, b.span));
    for (;;) {
      const at = closestSpans(this.#remembered.map(({ span }) => span));
      if (at === undefined) return;
      const [a, b] = this.#remembered.splice(at, 2) as [Remembered, Remembered];
      const ids = a.ids === undefined || b.ids === undefined ? undefined : new Set([...a.ids, ...b.ids]);
      this.#remembered.splice(at, 0, { span: joinedSpans(a.span, b.span), ids, touched: a.touched || b.touched });
    }
  }

  /** Drops the spans that have had their time. @returns the ids of the documents that go with them */
  async #expire(now: EpochMillis): Promise<string[]> {
    const due = this.#remembered.filter(({ span }) => expiryOf(span, this.#rules) <= now);
    if (due.length === 0) return [];
    if (due.some(({ span }) => this.#mayComeAgain(span))) await this.#readPublished(now);
    const documents: number[] = [];
    for (const remembered of due)
      if (documents.length < MAX_DELETES && !this.#mayComeAgain(remembered.span))
        documents.push(...this.#forget(remembered, MAX_DELETES - documents.length));
    for (const number of documents) this.#writer.abandon(number);
    return documents.map((number) => idsDocumentName(this.#shard, number).id);
  }

  /** Drops a span, or the first part of one that has more documents than may go now. @returns the documents to delete */
  #forget(remembered: Remembered, atMost: number): number[] {
    const others = this.#remembered.filter((other) => other !== remembered);
    const documents = documentsOnlyIn(
      remembered.span,
      others.map(({ span }) => span),
    );
    if (documents.length <= atMost) {
      this.#remembered = others;
      return documents;
    }
    const gone = documents.slice(0, atMost);
    remembered.span = { ...remembered.span, first: gone.at(-1)! + 1 };
    remembered.ids = undefined;
    return gone;
  }

  /** Whether messages of the span may still come again: from their source, or by envelopes that are under way since. */
  #mayComeAgain(span: IdSpan): boolean {
    const rule = this.#rules.get(span.source);
    if (rule === undefined) return false;
    const { horizons, taken } = this.#published;
    const fromSource = (horizons[span.source] ?? MIN_TIMESTAMP) < lastPublished(span, rule);
    return fromSource || (taken[span.source] ?? MIN_TIMESTAMP) < expiryOf(span, this.#rules);
  }

  async #readPublished(now: EpochMillis): Promise<void> {
    if (plus(this.#publishedReadAt, LOOK_AGAIN / 2) > now) return;
    this.#publishedReadAt = now;
    this.#published = await readPublished(this.#store);
  }

  #due(now: EpochMillis): EpochMillis {
    let due: EpochMillis = MAX_TIMESTAMP;
    for (const { span } of this.#remembered) {
      const expiry = expiryOf(span, this.#rules);
      const blocked = expiry <= now && this.#mayComeAgain(span);
      due = earlier(due, blocked ? plus(now, LOOK_AGAIN) : expiry);
    }
    return due;
  }

  /** Keeps memory bounded. */
  #trim(): void {
    let total = this.#remembered.reduce((sum, { ids }) => sum + (ids?.size ?? 0), 0);
    if (total <= MAX_IDS) return;
    const oldest = this.#remembered
      .filter(({ ids, touched }) => ids !== undefined && !touched)
      .sort((a, b) => a.span.written - b.span.written);
    for (const remembered of oldest) {
      if (total <= MAX_IDS) return;
      total -= remembered.ids!.size;
      remembered.ids = undefined;
    }
  }
}
