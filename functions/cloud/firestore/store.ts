/**
 * The store on Firestore. Invariants: every call is tried once, so that its outcome is known here (the engine tries again);
 * sizes are checked before anything is sent; a batch is one Commit.
 */
import { ConfigurationError, ContentionError, TooLargeError } from '../../model/errors.ts';
import type { Query } from '../../ports/queries.ts';
import {
  type Batch,
  type Collection,
  type CommitResult,
  type DocumentName,
  type IndexFields,
  type ListingStore,
  noStoreCounts,
  type Page,
  type QueryResult,
  type StoreCounts,
  type StoredDocument,
} from '../../ports/store.ts';
import { classifyGrpc, GRPC, grpcCode } from '../grpc-errors.ts';
import { type FirestoreClient, type FirestoreSetting, openFirestore } from './client.ts';
import { decodeDocument, encodeDocument, numberValue, timeOf, versionOf, type WireDocument } from './fields.ts';
import { Paths } from './paths.ts';
import { cursorAfter, orderOf, structuredQuery } from './structured-query.ts';
import type { Condition, WireWrite } from './wire.ts';

export interface FirestoreStoreOptions extends FirestoreSetting {
  readonly pipeline: string;
  /** For each call, in milliseconds. Default 20,000: as long as Firestore waits for a lock. */
  readonly timeoutMillis?: number;
}

/** Firestore takes 10 MiB; its emulator hangs above 4. */
export const MAX_COMMIT_BYTES = 3 * 1024 * 1024;
/** Documents asked for by one request. */
const READ_AT_ONCE = 1_000;
const DEFAULT_TIMEOUT = 20_000;
/** Of calls that stream their answer, which have retries of their own. */
const NO_RETRIES = { retries: 0, noResponseRetries: 0 };
/** Of these a commit says that a precondition does not hold, or that it lost against another; nothing was written. */
const CONTENTION: ReadonlySet<number> = new Set([
  GRPC.notFound,
  GRPC.alreadyExists,
  GRPC.failedPrecondition,
  GRPC.aborted,
]);

export class FirestoreStore implements ListingStore {
  readonly counts: StoreCounts = noStoreCounts();
  readonly #options: FirestoreStoreOptions;
  readonly #paths: Paths;
  #client: Promise<FirestoreClient> | undefined;

  constructor(options: FirestoreStoreOptions) {
    this.#options = options;
    this.#paths = new Paths(options.projectId, options.databaseId ?? '(default)', options.pipeline);
  }

  async get(collection: Collection, ids: readonly string[]): Promise<readonly (StoredDocument | undefined)[]> {
    const chunks: Promise<(StoredDocument | undefined)[]>[] = [];
    for (let from = 0; from < ids.length; from += READ_AT_ONCE)
      chunks.push(this.#getSome(collection, ids.slice(from, from + READ_AT_ONCE)));
    return (await Promise.all(chunks)).flat();
  }

  async query(query: Query, equals: IndexFields, page: Page): Promise<QueryResult> {
    const found = await this.#runQuery(
      query.collection,
      // One more, to know whether there is another page.
      structuredQuery(query, equals, { ...page, limit: page.limit + 1 }, this.#paths),
    );
    const documents = found.slice(0, page.limit).map((wire) => this.#decode(query.collection, wire));
    if (found.length <= page.limit) return { documents };
    const last = found[page.limit - 1]!;
    return { documents, cursor: cursorAfter(query, last, this.#paths), last: orderOf(query, last) };
  }

  /** One query is one snapshot: what it returns is as of its last read time. */
  async roots(): Promise<readonly StoredDocument[]> {
    const found = await this.#runQuery('roots', { from: [{ collectionId: 'roots' }] });
    return found.map((wire) => this.#decode('roots', wire));
  }

  async list(collection: Collection, limit: number): Promise<readonly string[]> {
    const select = { fields: [{ fieldPath: '__name__' }] };
    const found = await this.#runQuery(collection, {
      from: [{ collectionId: collection }],
      select,
      limit: { value: limit },
    });
    return found.map(({ name }) => this.#paths.idAt(collection, name ?? ''));
  }

  async commit(batch: Batch): Promise<CommitResult> {
    const writes = this.#writes(batch);
    const what = `commit of ${batch.sets[0]?.id ?? batch.deletes[0]?.id ?? 'nothing'}`;
    const { writeResults } = await this.#call(what, async (client) => {
      const [answer] = await client.commit({ database: this.#paths.database, writes }, this.#callOptions());
      return answer;
    }).catch((error: unknown) => {
      throw CONTENTION.has(grpcCode((error as Error).cause) ?? -1)
        ? new ContentionError((error as Error).message, { cause: error })
        : error;
    });
    this.counts.commits += 1;
    this.counts.deletes += batch.deletes.length;
    this.counts.writes += writes.length - batch.deletes.length;
    return batch.sets.map((_, i) => versionOf(writeResults?.[i]?.updateTime));
  }

  async raise(name: DocumentName, fields: Readonly<Record<string, number>>): Promise<void> {
    const document = this.#paths.of(name);
    const fieldTransforms = Object.entries(fields).map(([field, value]) => ({
      fieldPath: `\`${field.replace(/[\\`]/g, '\\$&')}\``,
      maximum: numberValue(value),
    }));
    await this.#call(`raise of ${name.collection}/${name.id}`, (client) =>
      client.commit(
        { database: this.#paths.database, writes: [{ transform: { document, fieldTransforms } }] },
        this.#callOptions(),
      ),
    );
    this.counts.writes += 1;
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await (await client)?.close();
  }

  /** Sets first, then deletes, then what is only held to be so. */
  #writes({ preconditions, sets, deletes }: Batch): WireWrite[] {
    const conditions = new Map<string, Condition>();
    for (const { version, ...name } of preconditions)
      conditions.set(this.#paths.of(name), version === 'absent' ? { exists: false } : { updateTime: timeOf(version) });
    const take = (path: string): { currentDocument?: Condition } => {
      const condition = conditions.get(path);
      conditions.delete(path);
      return condition === undefined ? {} : { currentDocument: condition };
    };
    const writes: WireWrite[] = [];
    let bytes = 0;
    for (const document of sets) {
      const path = this.#paths.of(document);
      const encoded = encodeDocument(document, path);
      bytes += encoded.bytes;
      writes.push({ update: encoded.wire, ...take(path) });
    }
    for (const name of deletes) {
      const path = this.#paths.of(name);
      bytes += path.length;
      writes.push({ delete: path, ...take(path) });
    }
    if (bytes > MAX_COMMIT_BYTES) throw tooLarge(sets[0]?.id, writes, bytes);
    for (const [path, currentDocument] of conditions)
      writes.push(
        currentDocument.exists === false
          ? { delete: path, currentDocument }
          : { update: { name: path }, updateMask: { fieldPaths: [] }, currentDocument },
      );
    return writes;
  }

  async #getSome(collection: Collection, ids: readonly string[]): Promise<(StoredDocument | undefined)[]> {
    const paths = ids.map((id) => this.#paths.of({ collection, id }));
    const found = new Map<string, StoredDocument>();
    await this.#read(`read of ${collection}/${ids[0]}`, async (client) => {
      // Firestore refuses one name twice.
      const request = { database: this.#paths.database, documents: [...new Set(paths)] };
      for await (const { found: wire } of client.batchGetDocuments(request, this.#callOptions()))
        if (wire) found.set(wire.name, this.#decode(collection, wire));
    });
    this.counts.reads += ids.length;
    return paths.map((path) => found.get(path));
  }

  async #runQuery(collection: Collection, structured: object): Promise<WireDocument[]> {
    const found: WireDocument[] = [];
    await this.#read(`query of ${collection}`, async (client) => {
      const request = { parent: this.#paths.pipeline, structuredQuery: structured };
      for await (const { document } of client.runQuery(request, this.#callOptions()))
        if (document) found.push(document);
    });
    this.counts.reads += Math.max(1, found.length);
    return found;
  }

  /** @throws {ConfigurationError} when the database is not there; a document that is not there is no error */
  async #read(what: string, attempt: (client: FirestoreClient) => Promise<void>): Promise<void> {
    try {
      await this.#call(what, attempt);
    } catch (error) {
      if (grpcCode((error as Error).cause) !== GRPC.notFound) throw error;
      const { projectId, databaseId = '(default)', pipeline } = this.#options;
      throw new ConfigurationError(
        `Firestore: there is no database '${databaseId}' in project '${projectId}'; is '${pipeline}' deployed there, and are the names of pipeline, project and database right?`,
        { cause: error },
      );
    }
  }

  async #call<T>(what: string, attempt: (client: FirestoreClient) => Promise<T>): Promise<T> {
    try {
      this.#client ??= openFirestore(this.#options).catch((error: unknown) => {
        this.#client = undefined;
        throw error;
      });
      return await attempt(await this.#client);
    } catch (error) {
      throw classifyGrpc(error, `Firestore: ${what}`);
    }
  }

  /** Fresh for each call: the client writes into it. */
  #callOptions() {
    const { emulatorHost, timeoutMillis = DEFAULT_TIMEOUT } = this.#options;
    const headers: Record<string, string> = { 'google-cloud-resource-prefix': this.#paths.database };
    if (emulatorHost !== undefined) headers['Authorization'] = 'Bearer owner';
    return { timeout: timeoutMillis, retry: null, retryRequestOptions: NO_RETRIES, otherArgs: { headers } };
  }

  #decode(collection: Collection, wire: WireDocument): StoredDocument {
    return decodeDocument(this.#paths.idAt(collection, wire.name ?? ''), wire);
  }
}

function tooLarge(first: string | undefined, writes: readonly WireWrite[], bytes: number): TooLargeError {
  return new TooLargeError(
    `the commit of ${first ?? 'deletions'} with ${writes.length} writes`,
    bytes,
    MAX_COMMIT_BYTES,
  );
}
