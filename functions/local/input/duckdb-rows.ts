/**
 * Rows of what DuckDB reads, a chunk at a time. Invariant: all of them or an error. A streamed result that fails after its
 * first chunks ends as if there was no more (its client sees no error), so each result carries a row of its own behind the
 * last one; a result that ends without it has failed.
 */
import type { DuckDBConnection, DuckDBValueConverter, Json } from '@duckdb/node-api';
import { roughSize } from '../../engine/chain/rough-size.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Input } from '../runner.ts';

type DuckDb = typeof import('@duckdb/node-api');
type Row = Readonly<Record<string, Json | null>>;

export interface Rows {
  /** A table function of DuckDB that reads `$path`. */
  readonly from: string;
  /** What a row becomes. */
  readonly value: (row: Row) => unknown;
}

/** A column of every result: whether it is the row behind the last one. */
const END = 'millrace: end of file';

/** @throws DuckDB's error, also when it comes in the middle */
export async function* readRows(
  duckdb: DuckDb,
  connection: DuckDBConnection,
  path: string,
  { from, value }: Rows,
  now: () => EpochMillis,
): Input {
  const sql = `SELECT false AS "${END}", * FROM ${from} UNION ALL BY NAME SELECT true AS "${END}"`;
  const result = await connection.stream(sql, { path });
  let row = 0;
  let ended = false;
  for await (const rows of result.yieldConvertedRowObjects(jsonConverter(duckdb))) {
    ended = rows.at(-1)?.[END] === true;
    yield rows.slice(0, ended ? -1 : undefined).map(({ [END]: _, ...cells }) => {
      row += 1;
      const read = value(cells);
      return { value: read, id: String(row), arrival: now(), characters: roughSize(read) };
    });
  }
  if (ended) return;
  // Reads all of it once more, for the error.
  await connection.run(`SELECT bit_xor(hash(t)) FROM ${from} t`, { path });
  throw new Error(`it ended after ${row} rows, before its end`);
}

/** Values as JSON, at any depth. 64-bit integers that a number holds exactly are numbers, the others texts. */
function jsonConverter({ DuckDBTypeId, JsonDuckDBValueConverter }: DuckDb): DuckDBValueConverter<Json> {
  const long: ReadonlySet<number> = new Set([DuckDBTypeId.BIGINT, DuckDBTypeId.UBIGINT, DuckDBTypeId.HUGEINT]);
  return (value, type, converter) => {
    const json = JsonDuckDBValueConverter(value, type, converter);
    if (!long.has(type.typeId) || json === null) return json;
    return Number.isSafeInteger(Number(json)) ? Number(json) : json;
  };
}
