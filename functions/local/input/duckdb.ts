/** Files that DuckDB reads: Parquet and JSON. */
import { closeSync, openSync, readSync } from 'node:fs';
import { ConfigurationError, messageOf } from '../../model/errors.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Input } from '../runner.ts';
import { type Rows, readRows } from './duckdb-rows.ts';

/** How rows of each kind of file are read. The path is bound, never spliced. */
const READERS: Readonly<Record<string, (path: string) => Rows>> = {
  '.json': (path) => ({
    // Behind a byte order mark DuckDB does not see that a list begins.
    from: `read_json_objects($path, format = '${beginsWith(path, '\uFEFF[') ? 'array' : 'auto'}', maximum_object_size = 268435456)`,
    value: ({ json }) => JSON.parse(json as string),
  }),
  '.parquet': () => ({ from: 'read_parquet($path)', value: (row) => row }),
};

export const DUCKDB_EXTENSIONS: readonly string[] = Object.keys(READERS);

/**
 * Reads a JSON or Parquet file, about 2,000 rows at a time. Record ids are row numbers; Parquet's timestamps come as text;
 * of a JSON file everything stays as it is written.
 * @throws {ConfigurationError} when the file cannot be read to its end
 */
export async function* readByDuckDb(path: string, extension: string, now: () => EpochMillis): Input {
  // Loaded by those who need it: most runs read JSON Lines.
  const duckdb = await import('@duckdb/node-api');
  const instance = await duckdb.DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    yield* readRows(duckdb, connection, path, READERS[extension]!(path), now);
  } catch (error) {
    // What follows its first paragraph is about the SQL statement.
    throw new ConfigurationError(`${path} cannot be read: ${messageOf(error).split('\n\n')[0]}`, { cause: error });
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function beginsWith(path: string, text: string): boolean {
  const file = openSync(path, 'r');
  try {
    const wanted = Buffer.from(text);
    const found = Buffer.alloc(wanted.length);
    readSync(file, found);
    return found.equals(wanted);
  } finally {
    closeSync(file);
  }
}
