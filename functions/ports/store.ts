/**
 * The store: documents in a few collections of one pipeline, committed in atomic batches.
 *
 * Contract, held by one suite over every adapter (`test/ports/store-suite.ts`):
 * - `commit` applies all of a batch or nothing, and only when every precondition holds; otherwise `ContentionError`.
 *   When its answer is lost it throws another `RetryableError`, and the batch may or may not have been applied.
 * - A version is opaque and never used twice; it changes with every write that changes its document.
 * - `roots` is one consistent snapshot. `get` and `query` see every commit that was answered before they began.
 * - Bodies are plain JSON and are never changed by anyone once handed over, in either direction.
 */
import type { EpochMillis } from '../model/time.ts';
import type { Query } from './queries.ts';

/** The collections of a pipeline. Their paths in Firestore are the adapter's concern. */
export const COLLECTIONS = [
  'roots',
  'settled',
  'cells',
  'parts',
  'outbox',
  'ids',
  'runs',
  'views',
  'deadLetters',
  'control',
  'pipeline',
] as const;
export type Collection = (typeof COLLECTIONS)[number];

export type Version = string | number;

/** Fields that queries use; everything else of a document is in its body. */
export type IndexFields = Readonly<Record<string, string | number>>;

/** A document to write. */
export interface Document {
  readonly collection: Collection;
  readonly id: string;
  /** Plain JSON; a text where the engine has encoded it already (cells, outbox, runs). */
  readonly body: unknown;
  readonly index?: IndexFields;
}

export interface StoredDocument {
  readonly id: string;
  readonly body: unknown;
  readonly version: Version;
}

export interface DocumentName {
  readonly collection: Collection;
  readonly id: string;
}

/** What a document's version must be for a commit to go through; `'absent'` = it must not exist. */
export interface Precondition extends DocumentName {
  readonly version: Version | 'absent';
}

/** One atomic commit. A document appears once among `sets` and `deletes`. */
export interface Batch {
  /** Usually one: the root's version, or its absence. */
  readonly preconditions: readonly Precondition[];
  readonly sets: readonly Document[];
  readonly deletes: readonly DocumentName[];
}

/** Where one page of a query begins and how far it goes. */
export interface Page {
  /** Only documents whose ordered field is at most this. */
  readonly atMost?: EpochMillis;
  /** The cursor of the page before. */
  readonly after?: string;
  readonly limit: number;
}

export interface QueryResult {
  readonly documents: readonly StoredDocument[];
  /** Give it back as `after` for the next page; absent when this page was the last. */
  readonly cursor?: string;
  /** What the query orders by, of the last document as it is stored; absent when this page was the last. */
  readonly last?: string | number;
}

/** What was read and written, in documents: what Firestore bills. */
export interface StoreCounts {
  /** A document that is not there counts, and so does a query that finds nothing. */
  reads: number;
  writes: number;
  deletes: number;
  commits: number;
}

export function noStoreCounts(): StoreCounts {
  return { reads: 0, writes: 0, deletes: 0, commits: 0 };
}

/** The versions of the documents that a commit wrote, in the order of `Batch.sets`. */
export type CommitResult = readonly Version[];

export interface Store {
  /** Reads documents; `undefined` where there is none. One read each. */
  get(collection: Collection, ids: readonly string[]): Promise<readonly (StoredDocument | undefined)[]>;
  /** Runs one of the named queries. */
  query(query: Query, equals: IndexFields, page: Page): Promise<QueryResult>;
  /** All roots at one instant. */
  roots(): Promise<readonly StoredDocument[]>;
  /** @throws {ContentionError} when a precondition does not hold; nothing was written then */
  commit(batch: Batch): Promise<CommitResult>;
  /**
   * Raises numeric fields of one document, each to the maximum of itself and what is given; makes the document when
   * there is none. No precondition, no read: it may be called by anybody at any time. The body of such a document is its
   * numbers and nothing else, also where `commit` sets it.
   */
  raise(name: DocumentName, fields: Readonly<Record<string, number>>): Promise<void>;
}

/** A store that can also say what it holds; only operators need that. */
export interface ListingStore extends Store {
  /** The ids of some documents of a collection; none = it is empty. One read each. */
  list(collection: Collection, limit: number): Promise<readonly string[]>;
}
