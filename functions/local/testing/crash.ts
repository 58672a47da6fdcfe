import type { Root } from '../../engine/protocol/root.ts';
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
 * After which commits processes die, one after the other: after each, but for one that changes nothing, and one that only
 * notes what its process is about to do (call a model, write a table) when the process before has died over just that. Else
 * nobody would ever do what follows such a commit.
 */
export class Deaths {
  /** The roots over whose notes processes have died, and that have got no further since. */
  readonly #noted = new Set<string>();

  /** Whether whoever commits this dies of it. @param before the root as it stood */
  follow({ sets, deletes }: Batch, before: unknown): boolean {
    const [root] = sets;
    if (root?.collection !== 'roots') return true;
    if (sets.length > 1 || deletes.length > 0) {
      this.#noted.delete(root.id);
      return true;
    }
    if (this.#noted.has(root.id) || isSame(root.body as Root, before as Root | undefined)) return false;
    this.#noted.add(root.id);
    return true;
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
    const [root] = batch.sets;
    const [before] = root === undefined ? [] : await this.#store.get(root.collection, [root.id]);
    const result = await this.#store.commit(batch);
    if (!this.#deaths.follow(batch, before?.body)) return result;
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

/** Whether two states of a root differ in nothing but that a commit was made. */
function isSame(root: Root, before: Root | undefined): boolean {
  if (before === undefined) return false;
  const { nonce, written, processingTime } = before;
  return JSON.stringify({ ...root, nonce, written, processingTime }) === JSON.stringify(before);
}
