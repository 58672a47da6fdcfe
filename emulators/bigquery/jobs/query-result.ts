/** The rows of a query, kept as DuckDB gave them and turned into BigQuery's form a page at a time. */
import type { DuckDBDataChunk } from '@duckdb/node-api';
import { ApiError } from '../api-error.ts';
import { fieldOfType, fieldToWire, type WireField } from '../catalog/field-schema.ts';
import type { OutputColumn } from '../compile/context.ts';
import { fromDuck } from '../runtime/duck-values.ts';
import type { Type } from '../types/type.ts';
import { type TimestampFormat, type WireCell, wireWriter } from '../wire/value.ts';

export interface ResultColumn {
  readonly name: string;
  readonly type: Type;
}

export interface WireRow {
  readonly f: readonly WireCell[];
}

/** A page of answers is cut here, in characters of JSON: BigQuery's answers hold about 10 MB. */
const MAX_PAGE_CHARACTERS = 10_000_000;

/** Columns without a name are called `f0_`, `f1_` … */
function named(columns: readonly OutputColumn[]): ResultColumn[] {
  let anonymous = 0;
  return columns.map(({ name, type }) => ({ name: name === '' ? `f${anonymous++}_` : name, type }));
}

/** Columns of an answer under the names that BigQuery gives: of one name, the second is `name_1`. */
export function resultColumns(columns: readonly OutputColumn[]): ResultColumn[] {
  const taken = new Set<string>();
  return named(columns).map(({ name, type }) => {
    let unique = name;
    for (let number = 1; taken.has(unique.toLowerCase()); number++) unique = `${name}_${number}`;
    taken.add(unique.toLowerCase());
    return { name: unique, type };
  });
}

/**
 * Columns of a query whose rows become a table or a view.
 * @throws {ApiError} when two have one name.
 */
export function tableColumns(columns: readonly OutputColumn[]): ResultColumn[] {
  const result = named(columns);
  const seen = new Set<string>();
  for (const { name } of result) {
    if (seen.has(name.toLowerCase()))
      throw new ApiError(
        'invalidQuery',
        `Duplicate column names in the result are not supported when a destination table is present. Found duplicate(s): ${name}`,
      );
    seen.add(name.toLowerCase());
  }
  return result;
}

export class QueryResult {
  readonly columns: readonly ResultColumn[];
  readonly totalRows: number;
  readonly #chunks: readonly DuckDBDataChunk[];

  constructor(columns: readonly ResultColumn[], chunks: readonly DuckDBDataChunk[]) {
    this.columns = columns;
    this.#chunks = chunks;
    this.totalRows = chunks.reduce((sum, chunk) => sum + chunk.rowCount, 0);
  }

  schema(): { readonly fields: readonly WireField[] } {
    return { fields: this.columns.map(({ name, type }) => fieldToWire(fieldOfType(name, type))) };
  }

  /**
   * Rows from `start` on, as many as asked for and fit an answer.
   * @throws {ValueError} when an array holds a NULL, which BigQuery cannot answer.
   */
  page(start: number, maxRows: number, format: TimestampFormat): WireRow[] {
    const rows: WireRow[] = [];
    let size = 0;
    let before = 0;
    for (const chunk of this.#chunks) {
      const from = Math.max(0, start - before);
      before += chunk.rowCount;
      if (from >= chunk.rowCount) continue;
      const readers = this.columns.map(({ type }, index) => {
        const vector = chunk.getColumnVector(index);
        const read = fromDuck(type);
        const write = wireWriter(type, format);
        return (row: number): WireCell => ({ v: write(read(vector.getItem(row))) });
      });
      for (let row = from; row < chunk.rowCount; row++) {
        if (rows.length >= maxRows || size > MAX_PAGE_CHARACTERS) return rows;
        const cells = readers.map((reader) => reader(row));
        size += cells.reduce(
          (sum, { v }) => sum + (typeof v === 'string' ? v.length + 8 : v === null ? 10 : JSON.stringify(v).length + 6),
          4,
        );
        rows.push({ f: cells });
      }
    }
    return rows;
  }
}
