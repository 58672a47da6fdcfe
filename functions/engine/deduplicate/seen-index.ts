/**
 * What a shard of a deduplication has let pass: fingerprints in slices of time, appended to documents and held in memory.
 *
 * Invariants: a fingerprint is written in the commit that lets its element pass; a slice is forgotten, with the documents
 * that nothing else is in, once the horizon has passed since the end of the slice; an element goes into the slice of the
 * later of its own time and the clock's, so the horizon runs at least from when it came.
 */
import { type EpochMillis, earlier, epochMillis, later, MAX_TIMESTAMP, type Millis, plus } from '../../model/time.ts';
import type { Document, DocumentName, Store } from '../../ports/store.ts';
import { idsDocumentName, IdsWriter, readIds } from '../ids/id-documents.ts';
import { documentsOnlyIn } from '../ids/id-state.ts';
import { MAX_DELETES } from '../protocol/commit-limits.ts';
import type { ShardId } from '../protocol/names.ts';
import { FingerprintSet, wordsOf } from './fingerprint-set.ts';

/** A slice of time, and the documents `first..last` that hold its fingerprints, and possibly others'. */
export type SeenSlice = readonly [from: EpochMillis, first: number, last: number];

/** What the shard's root keeps. */
export interface SeenState {
  /** The number of the last document. */
  readonly documents: number;
  readonly slices: readonly SeenSlice[];
}

export interface SeenChanges {
  readonly state: SeenState;
  readonly sets: readonly Document[];
  readonly deletes: readonly DocumentName[];
  readonly characters: number;
}

interface Slice {
  readonly from: EpochMillis;
  first: number;
  last: number;
  seen: FingerprintSet;
}

export const NOTHING_SEEN: SeenState = { documents: 0, slices: [] };

/** A horizon is kept in so many slices: what is forgotten is forgotten at most so much of it late. */
const SLICES = 8;

export class SeenIndex {
  readonly #shard: ShardId;
  readonly #horizon: Millis;
  readonly #length: number;
  readonly #store: Store;
  readonly #writer: IdsWriter;
  #slices: Slice[];
  #loaded = false;

  constructor(shard: ShardId, state: SeenState, horizon: Millis, store: Store) {
    this.#shard = `${shard}~seen`;
    this.#horizon = horizon;
    this.#length = Math.max(1, Math.ceil(horizon / SLICES));
    this.#store = store;
    this.#writer = new IdsWriter(this.#shard, state.documents);
    this.#slices = state.slices.map(([from, first, last]) => ({ from, first, last, seen: new FingerprintSet() }));
  }

  /** Once a bundle, before `take`. Reads all that is remembered, the first time. */
  async begin(): Promise<void> {
    this.#writer.begin();
    if (this.#loaded) return;
    const numbers = new Set<number>();
    for (const { first, last } of this.#slices) for (let n = first; n <= last; n++) numbers.add(n);
    const bySlice = new Map(this.#slices.map((slice) => [slice.from, slice]));
    for (const { groups } of (await readIds(this.#store, this.#shard, [...numbers])).values())
      for (const [, from, fingerprints] of groups)
        for (const fingerprint of fingerprints) bySlice.get(from)?.seen.add(wordsOf(fingerprint));
    this.#loaded = true;
  }

  /**
   * Whether a fingerprint is new; it is remembered from now on.
   * @param at the element's own time
   * @param clock the horizon's clock, now
   */
  take(fingerprint: string, at: EpochMillis, clock: EpochMillis): boolean {
    const words = wordsOf(fingerprint);
    if (this.#slices.some(({ seen }) => seen.has(words))) return false;
    const slice = this.#sliceOf(later(at, clock));
    const number = this.#writer.add('', slice.from, fingerprint);
    slice.first ||= number;
    slice.last = number;
    slice.seen.add(words);
    return true;
  }

  /** Forgets what has had its time, and says what to write. Once a bundle. */
  finish(clock: EpochMillis): SeenChanges {
    const { documents, characters } = this.#writer.finish();
    const dropped: number[] = [];
    for (const slice of this.#slices.filter(({ from }) => this.#forgottenAt(from) <= clock)) {
      if (dropped.length >= MAX_DELETES) break;
      dropped.push(...this.#forget(slice, MAX_DELETES - dropped.length));
    }
    for (const number of dropped) this.#writer.abandon(number);
    const deletes = dropped.map((number) => idsDocumentName(this.#shard, number));
    const gone = new Set(deletes.map(({ id }) => id));
    const slices = this.#slices.map(({ from, first, last }): SeenSlice => [from, first, last]);
    const state = { documents: this.#writer.documents, slices };
    return { state, sets: documents.filter(({ id }) => !gone.has(id)), deletes, characters };
  }

  /** When something is next to be forgotten; `MAX_TIMESTAMP` = nothing is remembered. */
  due(): EpochMillis {
    let due: EpochMillis = MAX_TIMESTAMP;
    for (const { from } of this.#slices) due = earlier(due, this.#forgottenAt(from));
    return due;
  }

  /** Drops a slice; of one that has more documents than may go now, what it holds and the first of them. */
  #forget(slice: Slice, atMost: number): number[] {
    const others = this.#slices.filter((other) => other !== slice);
    const documents = documentsOnlyIn(slice, others);
    if (documents.length <= atMost) {
      this.#slices = others;
      return documents;
    }
    const gone = documents.slice(0, atMost);
    slice.first = gone.at(-1)! + 1;
    slice.seen = new FingerprintSet();
    return gone;
  }

  #sliceOf(at: EpochMillis): Slice {
    const from = epochMillis(Math.floor(at / this.#length) * this.#length);
    let slice = this.#slices.find((each) => each.from === from);
    if (slice === undefined) {
      slice = { from, first: 0, last: 0, seen: new FingerprintSet() };
      this.#slices.push(slice);
    }
    return slice;
  }

  #forgottenAt(from: EpochMillis): EpochMillis {
    return plus(from, this.#length + this.#horizon);
  }
}
