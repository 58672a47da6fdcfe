/** A store that says in one sentence that it cannot be reached, and tries each call once: operators are quicker than patience. */
import { ConfigurationError, ContentionError, messageOf, RetryableError } from '../../model/errors.ts';
import type { Query } from '../../ports/queries.ts';
import type {
  Batch,
  Collection,
  CommitResult,
  DocumentName,
  IndexFields,
  ListingStore,
  Page,
  QueryResult,
  StoredDocument,
} from '../../ports/store.ts';

export interface Server {
  /** E.g. `the Firestore emulator at localhost:8080`. */
  readonly name: string;
  readonly isEmulator: boolean;
}

/** The store does not answer. */
export class Unreachable extends ConfigurationError {
  override readonly code = 'UNREACHABLE';

  constructor({ name, isEmulator }: Server, reason: string, options?: ErrorOptions) {
    const hint = isEmulator
      ? 'is it running, and is its address right?'
      : 'does this machine reach Google, and is the name of the project right?';
    super(`${name} does not answer (${reason}); ${hint}`, options);
  }
}

export class Reachable implements ListingStore {
  readonly #store: ListingStore;
  readonly #server: Server;

  /** @param server what to name in errors */
  constructor(store: ListingStore, server: Server) {
    this.#store = store;
    this.#server = server;
  }

  get(collection: Collection, ids: readonly string[]): Promise<readonly (StoredDocument | undefined)[]> {
    return this.#asked(this.#store.get(collection, ids));
  }

  query(query: Query, equals: IndexFields, page: Page): Promise<QueryResult> {
    return this.#asked(this.#store.query(query, equals, page));
  }

  roots(): Promise<readonly StoredDocument[]> {
    return this.#asked(this.#store.roots());
  }

  list(collection: Collection, limit: number): Promise<readonly string[]> {
    return this.#asked(this.#store.list(collection, limit));
  }

  commit(batch: Batch): Promise<CommitResult> {
    return this.#asked(this.#store.commit(batch));
  }

  raise(name: DocumentName, fields: Readonly<Record<string, number>>): Promise<void> {
    return this.#asked(this.#store.raise(name, fields));
  }

  async #asked<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof RetryableError) || error instanceof ContentionError) throw error;
      const [reason] = messageOf(error).split('\n');
      throw new Unreachable(this.#server, reason ?? '', { cause: error });
    }
  }
}
