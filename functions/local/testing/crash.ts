import type { Query } from '../../ports/queries.ts';
import type {
  Batch,
  Collection,
  CommitResult,
  DocumentName,
  IndexFields,
  Page,
  QueryResult,
  Store,
  StoredDocument,
} from '../../ports/store.ts';

/** The process has died. */
export class Crash extends Error {}

/**
 * One process's way to the store. The process dies right after a commit: the batch is applied, and nothing else that it
 * does reaches the outside.
 */
export class MortalStore implements Store {
  readonly #store: Store;
  #dead = false;

  constructor(store: Store) {
    this.#store = store;
  }

  get isDead(): boolean {
    return this.#dead;
  }

  get(collection: Collection, ids: readonly string[]): Promise<readonly (StoredDocument | undefined)[]> {
    this.#live();
    return this.#store.get(collection, ids);
  }

  query(query: Query, equals: IndexFields, page: Page): Promise<QueryResult> {
    this.#live();
    return this.#store.query(query, equals, page);
  }

  roots(): Promise<readonly StoredDocument[]> {
    this.#live();
    return this.#store.roots();
  }

  async commit(batch: Batch): Promise<CommitResult> {
    this.#live();
    await this.#store.commit(batch);
    this.#dead = true;
    throw new Crash('the process has died after a commit');
  }

  raise(name: DocumentName, fields: Readonly<Record<string, number>>): Promise<void> {
    this.#live();
    return this.#store.raise(name, fields);
  }

  #live(): void {
    if (this.#dead) throw new Crash('the process is dead');
  }
}
