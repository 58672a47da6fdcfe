/**
 * Datasets and tables. They live in memory and, written through, in tables of the database itself, so that a data file is
 * whole: opened again it has the same datasets. Changes run one after the other; a change and what it does to the data
 * commit together.
 */
import { createHash, randomUUID } from 'node:crypto';
import { ApiError, duplicate, invalid, notFound } from '../api-error.ts';
import { identifier, stringLiteral } from '../compile/sql-text.ts';
import type { Database, Session } from '../runtime/database.ts';
import type { DatasetResource } from './dataset.ts';
import { createTableSql, storageName } from './storage-sql.ts';
import { fullName, messageName, type TableReference, type TableResource } from './table.ts';

export const CATALOG_SCHEMA = '~catalog';
const DATASETS = `${identifier(CATALOG_SCHEMA)}.datasets`;
const TABLES = `${identifier(CATALOG_SCHEMA)}.tables`;

function datasetKey(projectId: string, datasetId: string): string {
  return `${projectId}.${datasetId}`;
}

function newEtag(): string {
  return createHash('sha1').update(randomUUID()).digest('base64').slice(0, 24);
}

/** What callers give of a new table. */
export type TableDraft = Omit<TableResource, 'storage' | 'creationTime' | 'lastModifiedTime' | 'etag'>;

export class Catalog {
  readonly #database: Database;
  readonly #datasets = new Map<string, DatasetResource>();
  readonly #tables = new Map<string, TableResource>();
  #last: Promise<unknown> = Promise.resolve();

  private constructor(database: Database) {
    this.#database = database;
  }

  /** Opens the catalog of a database, making it in a new one. */
  static async open(database: Database): Promise<Catalog> {
    const catalog = new Catalog(database);
    await database.session(async (session) => {
      await session.run(`CREATE SCHEMA IF NOT EXISTS ${identifier(CATALOG_SCHEMA)}`);
      await session.run(`CREATE TABLE IF NOT EXISTS ${DATASETS} (id VARCHAR, resource VARCHAR)`);
      await session.run(`CREATE TABLE IF NOT EXISTS ${TABLES} (id VARCHAR, resource VARCHAR)`);
      for (const [key, dataset] of await readAll<DatasetResource>(session, DATASETS))
        catalog.#datasets.set(key, dataset);
      for (const [key, table] of await readAll<TableResource>(session, TABLES)) catalog.#tables.set(key, table);
    });
    return catalog;
  }

  /** Runs a change alone, in a transaction; the maps follow only when it has committed. */
  change<T>(work: (session: Session, after: (effect: () => void) => void) => Promise<T>): Promise<T> {
    const run = async () => {
      const effects: (() => void)[] = [];
      const result = await this.#database.session(async (session) => {
        await session.run('BEGIN TRANSACTION');
        const value = await work(session, (effect) => effects.push(effect));
        await session.run('COMMIT');
        return value;
      });
      for (const effect of effects) effect();
      return result;
    };
    const next = this.#last.then(run, run);
    this.#last = next.catch(() => undefined);
    return next;
  }

  datasets(projectId: string): DatasetResource[] {
    return [...this.#datasets.values()]
      .filter((dataset) => dataset.projectId === projectId)
      .sort((a, b) => (a.datasetId < b.datasetId ? -1 : 1));
  }

  /** Projects that have a dataset. */
  projects(): string[] {
    return [...new Set([...this.#datasets.values()].map((dataset) => dataset.projectId))].sort();
  }

  findDataset(projectId: string, datasetId: string): DatasetResource | undefined {
    return this.#datasets.get(datasetKey(projectId, datasetId));
  }

  /** @throws {ApiError} 404 when there is none. */
  dataset(projectId: string, datasetId: string): DatasetResource {
    const dataset = this.findDataset(projectId, datasetId);
    if (!dataset) throw notFound(`Dataset ${projectId}:${datasetId}`);
    return dataset;
  }

  createDataset(draft: Omit<DatasetResource, 'creationTime' | 'lastModifiedTime' | 'etag'>): Promise<DatasetResource> {
    const key = datasetKey(draft.projectId, draft.datasetId);
    return this.change(async (session, after) => {
      if (this.#datasets.has(key)) throw duplicate(`Dataset ${draft.projectId}:${draft.datasetId}`);
      const now = Date.now();
      const dataset: DatasetResource = { ...draft, creationTime: now, lastModifiedTime: now, etag: newEtag() };
      await session.run(`CREATE SCHEMA IF NOT EXISTS ${identifier(key)}`);
      await write(session, DATASETS, key, dataset);
      after(() => this.#datasets.set(key, dataset));
      return dataset;
    });
  }

  updateDataset(
    projectId: string,
    datasetId: string,
    change: (dataset: DatasetResource) => DatasetResource,
  ): Promise<DatasetResource> {
    return this.change(async (session, after) => {
      const key = datasetKey(projectId, datasetId);
      const dataset = { ...change(this.dataset(projectId, datasetId)), lastModifiedTime: Date.now(), etag: newEtag() };
      await write(session, DATASETS, key, dataset);
      after(() => this.#datasets.set(key, dataset));
      return dataset;
    });
  }

  /** @throws {ApiError} when the dataset has tables and `contents` does not say that they go too. */
  deleteDataset(projectId: string, datasetId: string, contents: boolean): Promise<void> {
    return this.change(async (session, after) => {
      this.dataset(projectId, datasetId);
      const key = datasetKey(projectId, datasetId);
      const tables = this.tables(projectId, datasetId);
      if (tables.length > 0 && !contents)
        throw new ApiError('resourceInUse', `Dataset ${projectId}:${datasetId} is still in use`);
      await session.run(`DROP SCHEMA IF EXISTS ${identifier(key)} CASCADE`);
      await session.run(`DELETE FROM ${DATASETS} WHERE id = ${stringLiteral(key)}`);
      for (const table of tables)
        await session.run(`DELETE FROM ${TABLES} WHERE id = ${stringLiteral(fullName(table.reference))}`);
      after(() => {
        this.#datasets.delete(key);
        for (const table of tables) this.#tables.delete(fullName(table.reference));
      });
    });
  }

  tables(projectId: string, datasetId: string): TableResource[] {
    return [...this.#tables.values()]
      .filter(({ reference }) => reference.projectId === projectId && reference.datasetId === datasetId)
      .filter((table) => !isExpired(table))
      .sort((a, b) => (a.reference.tableId < b.reference.tableId ? -1 : 1));
  }

  findTable(reference: TableReference): TableResource | undefined {
    const table = this.#tables.get(fullName(reference));
    return table && !isExpired(table) ? table : undefined;
  }

  /** @throws {ApiError} 404 when there is none. */
  table(reference: TableReference): TableResource {
    this.dataset(reference.projectId, reference.datasetId);
    const table = this.findTable(reference);
    if (!table) throw notFound(`Table ${messageName(reference)}`);
    return table;
  }

  createTable(
    draft: TableDraft,
    fill?: (session: Session, table: TableResource) => Promise<void>,
    replace = false,
  ): Promise<TableResource> {
    return this.change(async (session, after) => {
      const { reference } = draft;
      const dataset = this.dataset(reference.projectId, reference.datasetId);
      const existing = this.#tables.get(fullName(reference));
      if (existing && !isExpired(existing) && !replace) throw duplicate(`Table ${messageName(reference)}`);
      if (existing) await dropStorage(session, existing);
      const table = this.#complete(draft, dataset, existing);
      if (table.kind === 'TABLE') await session.run(createTableSql(table));
      await fill?.(session, table);
      await write(session, TABLES, fullName(reference), table);
      after(() => this.#tables.set(fullName(reference), table));
      return table;
    });
  }

  #complete(draft: TableDraft, dataset: DatasetResource, existing: TableResource | undefined): TableResource {
    const now = Date.now();
    const { reference } = draft;
    const lifetime = dataset.defaultTableExpirationMs;
    const expiration = draft.expirationTime ?? (lifetime === undefined ? undefined : String(now + Number(lifetime)));
    return {
      ...draft,
      storage: existing?.storage ?? {
        schema: datasetKey(reference.projectId, reference.datasetId),
        table: this.#storageTable(reference),
      },
      creationTime: now,
      lastModifiedTime: now,
      etag: newEtag(),
      ...(expiration !== undefined && { expirationTime: expiration }),
    };
  }

  /** DuckDB's names are equal in every case, BigQuery's are not: a name taken in another case gets a number. */
  #storageTable({ projectId, datasetId, tableId }: TableReference): string {
    const taken = new Set(this.tables(projectId, datasetId).map((table) => table.storage.table.toLowerCase()));
    let name = tableId;
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${tableId}~${number}`;
    return name;
  }

  /** Changes a table's metadata; `alter` changes what lies in DuckDB with it. */
  updateTable(
    reference: TableReference,
    change: (table: TableResource) => TableResource,
    alter?: (session: Session, before: TableResource, after: TableResource) => Promise<void>,
  ): Promise<TableResource> {
    return this.change(async (session, after) => {
      const before = this.table(reference);
      const table = { ...change(before), lastModifiedTime: Date.now(), etag: newEtag() };
      await alter?.(session, before, table);
      if (fullName(table.reference) !== fullName(reference)) {
        if (this.findTable(table.reference)) throw duplicate(`Table ${messageName(table.reference)}`);
        await session.run(`DELETE FROM ${TABLES} WHERE id = ${stringLiteral(fullName(reference))}`);
      }
      await write(session, TABLES, fullName(table.reference), table);
      after(() => {
        this.#tables.delete(fullName(reference));
        this.#tables.set(fullName(table.reference), table);
      });
      return table;
    });
  }

  deleteTable(reference: TableReference): Promise<void> {
    return this.change(async (session, after) => {
      const table = this.table(reference);
      await dropStorage(session, table);
      await session.run(`DELETE FROM ${TABLES} WHERE id = ${stringLiteral(fullName(reference))}`);
      after(() => this.#tables.delete(fullName(reference)));
    });
  }

  /** Forgets everything, data included. */
  async clear(): Promise<void> {
    for (const dataset of [...this.#datasets.values()])
      await this.deleteDataset(dataset.projectId, dataset.datasetId, true);
  }

  /** @throws {ApiError} 412 when a caller's If-Match names another version. */
  static checkEtag(given: string | undefined, current: string): void {
    if (given !== undefined && given !== '*' && given.replaceAll('"', '') !== current) {
      throw new ApiError('conditionNotMet', `Precondition check failed: If-Match ${given.slice(0, 100)}`);
    }
  }
}

function isExpired({ expirationTime }: TableResource): boolean {
  return expirationTime !== undefined && Number(expirationTime) <= Date.now();
}

async function dropStorage(session: Session, table: TableResource): Promise<void> {
  if (table.kind === 'TABLE') await session.run(`DROP TABLE IF EXISTS ${storageName(table)}`);
}

async function write(session: Session, into: string, id: string, resource: object): Promise<void> {
  await session.run(`DELETE FROM ${into} WHERE id = ${stringLiteral(id)}`);
  await session.run(`INSERT INTO ${into} VALUES (${stringLiteral(id)}, ${stringLiteral(JSON.stringify(resource))})`);
}

async function readAll<T>(session: Session, from: string): Promise<[string, T][]> {
  const entries: [string, T][] = [];
  for (const chunk of await session.run(`SELECT id, resource FROM ${from}`)) {
    for (let row = 0; row < chunk.rowCount; row++) {
      const resource = String(chunk.getColumnVector(1).getItem(row));
      try {
        entries.push([String(chunk.getColumnVector(0).getItem(row)), JSON.parse(resource) as T]);
      } catch {
        throw invalid(`The catalog in the data file cannot be read: ${resource.slice(0, 100)}`);
      }
    }
  }
  return entries;
}
