/**
 * The store in memory. Keeps the port's contract: atomic batches, versions that are never used twice, snapshots. Documents
 * are kept as they are handed over, since nobody changes them afterwards; `strict` proves that by copying and freezing.
 */
import { ContentionError } from '../model/errors.ts';
import type { Query } from '../ports/queries.ts';
import {
  type Batch,
  type Collection,
  type CommitResult,
  type Document,
  type DocumentName,
  type IndexFields,
  type ListingStore,
  noStoreCounts,
  type Page,
  type QueryResult,
  type StoreCounts,
  type StoredDocument,
} from '../ports/store.ts';

interface Kept extends StoredDocument {
  readonly index: IndexFields | undefined;
}

export interface MemoryStoreOptions {
  /** Copies through JSON and freezes, so that a body that is not plain, or is changed later, shows. Default false. */
  readonly strict?: boolean;
}

export class MemoryStore implements ListingStore {
  readonly counts: StoreCounts = noStoreCounts();
  readonly #collections = new Map<Collection, Map<string, Kept>>();
  /** How many documents were deleted since a collection's map was made. */
  readonly #deleted = new Map<Collection, number>();
  readonly #strict: boolean;
  #version = 0;

  constructor(options: MemoryStoreOptions = {}) {
    this.#strict = options.strict ?? false;
  }

  async get(collection: Collection, ids: readonly string[]): Promise<readonly (StoredDocument | undefined)[]> {
    this.counts.reads += ids.length;
    const documents = this.#collection(collection);
    return ids.map((id) => documents.get(id));
  }

  async query(query: Query, equals: IndexFields, page: Page): Promise<QueryResult> {
    const { limit, atMost = Number.POSITIVE_INFINITY } = page;
    const after = page.after === undefined ? undefined : (JSON.parse(page.after) as [number | string, string]);
    const found = [...this.#collection(query.collection).values()]
      .filter(
        ({ index }) =>
          index?.[query.orderBy] !== undefined && query.equal.every((field) => index[field] === equals[field]),
      )
      .map((document) => ({ document, at: [document.index![query.orderBy]!, document.id] as const }))
      .filter(({ at }) => (at[0] as number) <= atMost && (after === undefined || compare(at, after) > 0))
      .sort((a, b) => compare(a.at, b.at));
    const documents = found.slice(0, limit);
    this.counts.reads += Math.max(1, documents.length);
    const last = documents.at(-1);
    const more = found.length > limit && last !== undefined;
    return {
      documents: documents.map(({ document }) => document),
      ...(more ? { cursor: JSON.stringify(last.at), last: last.at[0] } : {}),
    };
  }

  async roots(): Promise<readonly StoredDocument[]> {
    const roots = [...this.#collection('roots').values()];
    this.counts.reads += roots.length;
    return roots;
  }

  async commit(batch: Batch): Promise<CommitResult> {
    for (const { collection, id, version } of batch.preconditions) {
      const stored = this.#collection(collection).get(id);
      if ((stored?.version ?? 'absent') !== version)
        throw new ContentionError(`${collection}/${id} is at ${stored?.version ?? 'absent'}, not ${version}`);
    }
    for (const { collection, id } of batch.deletes) this.#delete(collection, id);
    this.counts.commits += 1;
    this.counts.writes += batch.sets.length;
    this.counts.deletes += batch.deletes.length;
    return batch.sets.map((document) => this.#put(document));
  }

  async raise(name: DocumentName, fields: Readonly<Record<string, number>>): Promise<void> {
    const stored = this.#collection(name.collection).get(name.id)?.body as Record<string, number> | undefined;
    const body = { ...stored };
    for (const field in fields) body[field] = Math.max(body[field] ?? Number.NEGATIVE_INFINITY, fields[field]!);
    this.counts.writes += 1;
    this.#put({ ...name, body });
  }

  async list(collection: Collection, limit: number): Promise<readonly string[]> {
    const ids = [...this.#collection(collection).keys()].slice(0, limit);
    this.counts.reads += Math.max(1, ids.length);
    return ids;
  }

  /** How many documents a collection holds; for tests and the runner's closing check. */
  size(collection: Collection): number {
    return this.#collection(collection).size;
  }

  /** All documents of a collection; for tests and the runner. */
  all(collection: Collection): readonly StoredDocument[] {
    return [...this.#collection(collection).values()];
  }

  /** Every document as it was written, collection by collection. */
  *documents(): Iterable<Document> {
    for (const [collection, documents] of this.#collections)
      for (const { id, body, index } of documents.values())
        yield { collection, id, body, ...(index === undefined ? {} : { index }) };
  }

  /** Takes in documents that another store has written. */
  restore(documents: Iterable<Document>): void {
    for (const document of documents) this.#put(document);
  }

  /**
   * Where documents come and go, their map is made anew before V8 would make its table anew: it links the old table to the
   * new one, and once a table is in the old generation all that later ones held survives every scavenge.
   */
  #delete(collection: Collection, id: string): void {
    const documents = this.#collection(collection);
    if (!documents.delete(id)) return;
    const deleted = (this.#deleted.get(collection) ?? 0) + 1;
    const isManyTimes = deleted * 2 > documents.size;
    this.#deleted.set(collection, isManyTimes ? 0 : deleted);
    if (isManyTimes) this.#collections.set(collection, new Map(documents));
  }

  #put({ collection, id, body, index }: Document): number {
    this.#version += 1;
    const kept: Kept = { id, body: this.#strict ? frozenCopy(body) : body, version: this.#version, index };
    this.#collection(collection).set(id, kept);
    return this.#version;
  }

  #collection(collection: Collection): Map<string, Kept> {
    let documents = this.#collections.get(collection);
    if (documents === undefined) {
      documents = new Map();
      this.#collections.set(collection, documents);
    }
    return documents;
  }
}

function compare(a: readonly [number | string, string], b: readonly [number | string, string]): number {
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1;
  return a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0;
}

function frozenCopy(body: unknown): unknown {
  const text = JSON.stringify(body, (_, value) => {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${value} is not plain JSON`);
    return value;
  });
  return deepFreeze(JSON.parse(text));
}

function deepFreeze(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
