/** tabledata.insertAll: rows go in at once, marked as lying in the streaming buffer. */
import { ApiError, invalid } from '../api-error.ts';
import { isIngestionPartitioned, PARTITION_TIME_COLUMN, STREAMED_COLUMN, storageName } from '../catalog/storage-sql.ts';
import { fullName, structTypeOf, type TableResource } from '../catalog/table.ts';
import { datetimeLiteral, identifier } from '../compile/sql-text.ts';
import type { Database } from '../runtime/database.ts';
import { duckType, toDuck } from '../runtime/duck-values.ts';
import { fieldName } from '../types/storage.ts';
import { arrayOf } from '../types/type.ts';
import { truncateMicros } from '../values/clock-time.ts';
import { recordValues, RowError } from './row-value.ts';

const MAX_ROWS = 50_000;

/** How long an insertId is remembered, in milliseconds: BigQuery promises about a minute, best effort. */
const REMEMBERED_MILLIS = 60_000;

export interface InsertedRow {
  readonly insertId?: string;
  readonly json: Record<string, unknown>;
}

export interface InsertAllRequest {
  readonly rows: readonly InsertedRow[];
  readonly skipInvalidRows: boolean;
  readonly ignoreUnknownValues: boolean;
}

export interface RowErrors {
  readonly index: number;
  readonly errors: readonly {
    readonly reason: string;
    readonly location: string;
    readonly debugInfo: string;
    readonly message: string;
  }[];
}

export function readInsertAll(body: Record<string, unknown>): InsertAllRequest {
  const { rows } = body;
  if (!Array.isArray(rows)) throw new ApiError('required', 'Required parameter is missing: rows');
  if (rows.length === 0) throw invalid('No rows present in the request.');
  if (rows.length > MAX_ROWS)
    throw invalid(`Too many rows present in the request, limit: ${MAX_ROWS} row count: ${rows.length}.`);
  if (body['templateSuffix'] !== undefined && body['templateSuffix'] !== null)
    throw new ApiError('notImplemented', 'templateSuffix is not supported by this local BigQuery server');
  return {
    rows: rows.map((row: unknown): InsertedRow => {
      const { insertId, json } = (row ?? {}) as { insertId?: unknown; json?: unknown };
      const content =
        typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : {};
      if (typeof insertId === 'string' && insertId.length > 128)
        throw invalid('insertId is longer than 128 characters');
      return { json: content, ...(typeof insertId === 'string' && insertId !== '' && { insertId }) };
    }),
    skipInvalidRows: body['skipInvalidRows'] === true,
    ignoreUnknownValues: body['ignoreUnknownValues'] === true,
  };
}

export class Streamer {
  readonly #database: Database;
  /** insertIds by table, with when they came. */
  readonly #seen = new Map<string, Map<string, number>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds what is valid, and says of every other row what is wrong with it. */
  async insert(table: TableResource, request: InsertAllRequest): Promise<readonly RowErrors[]> {
    if (table.kind === 'VIEW') throw invalid(`Cannot add rows to a view: ${fullName(table.reference)}`);
    if (table.fields.length === 0) throw invalid(`The destination table ${fullName(table.reference)} has no schema.`);
    const errors: RowErrors[] = [];
    const valid: { readonly values: readonly unknown[]; readonly insertId: string | undefined }[] = [];
    for (const [index, row] of request.rows.entries()) {
      try {
        valid.push({
          values: recordValues(row.json, table.fields, '', request.ignoreUnknownValues),
          insertId: row.insertId,
        });
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        errors.push({
          index,
          errors: [{ reason: 'invalid', location: error.location, debugInfo: '', message: error.message }],
        });
      }
    }
    if (errors.length > 0 && !request.skipInvalidRows) {
      const bad = new Set(errors.map((entry) => entry.index));
      const stopped = request.rows.flatMap((_, index) =>
        bad.has(index) ? [] : [{ index, errors: [{ reason: 'stopped', location: '', debugInfo: '', message: '' }] }],
      );
      return [...errors, ...stopped].sort((a, b) => a.index - b.index);
    }
    const name = fullName(table.reference);
    const fresh = valid.filter(({ insertId }) => insertId === undefined || this.#isNew(name, insertId));
    try {
      if (fresh.length > 0)
        await this.#append(
          table,
          fresh.map(({ values }) => values),
        );
    } catch (error) {
      for (const { insertId } of fresh) if (insertId !== undefined) this.#seen.get(name)?.delete(insertId);
      throw error;
    }
    return errors;
  }

  #isNew(table: string, insertId: string): boolean {
    const now = Date.now();
    const seen = this.#seen.get(table) ?? new Map<string, number>();
    this.#seen.set(table, seen);
    for (const [id, at] of seen) {
      if (now - at < REMEMBERED_MILLIS) break;
      seen.delete(id);
    }
    const known = seen.has(insertId);
    if (!known) seen.set(insertId, now);
    return !known;
  }

  async #append(table: TableResource, rows: readonly (readonly unknown[])[]): Promise<void> {
    const type = arrayOf(structTypeOf(table.fields));
    const now = BigInt(Date.now()) * 1000n;
    const columns = [...table.fields.map((field) => identifier(field.name)), identifier(STREAMED_COLUMN)];
    const values = [
      ...table.fields.map((_, index) => `struct_extract(r, '${fieldName(index)}')`),
      datetimeLiteral(now),
    ];
    if (isIngestionPartitioned(table)) {
      columns.push(identifier(PARTITION_TIME_COLUMN));
      values.push(datetimeLiteral(truncateMicros(now, table.timePartitioning?.type ?? 'DAY')));
    }
    const sql = `INSERT INTO ${storageName(table)} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM (SELECT unnest($rows) AS r)`;
    await this.#database.session((session) =>
      session.run(sql, { values: { rows: toDuck(type)(rows) }, types: { rows: duckType(type) } }),
    );
  }
}
