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
 * After which commits processes die, one after the other: after each, but for one that only notes what its process is about
 * to do (show a view, call a model, write a table) when the process before has died over just that. Else nobody would ever
 * do it.
 */
export class Deaths {
  #noted: string | undefined;

  /** Whether whoever commits this dies of it. */
  follow({ sets }: Batch): boolean {
    const [root] = sets;
    const note = sets.length === 1 && root?.collection === 'roots' ? root.id : undefined;
    const isSpared = note !== undefined && note === this.#noted;
    this.#noted = isSpared ? undefined : note;
    return !isSpared;
  }
}

/**
 * One process's way to the store. The process dies right after a commit: the batch is applied, and nothing else that it
 * does reaches the outside.
 */
export class MortalStore implements Store {
  readonly #store: Store;
  readonly #deaths: Deaths;
  #dead = false;

  /** @param deaths of all processes of a test */
  constructor(store: Store, deaths: Deaths) {
    this.#store = store;
    this.#deaths = deaths;
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
    const result = await this.#store.commit(batch);
    if (!this.#deaths.follow(batch)) return result;
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
