import { ConfigurationError, messageOf } from '../../model/errors.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Input } from '../runner.ts';

/** How DuckDB reads each kind of file. The path is bound, never spliced. */
const READERS: Readonly<Record<string, string>> = {
  '.csv': 'read_csv($path, header = true)',
  '.json': "read_json($path, format = 'auto', maximum_object_size = 268435456)",
  '.parquet': 'read_parquet($path)',
};

export const DUCKDB_EXTENSIONS: readonly string[] = Object.keys(READERS);

/** Reads a CSV, JSON or Parquet file. Record ids are row numbers; timestamps come as text. */
export async function* readByDuckDb(path: string, extension: string, now: () => EpochMillis): Input {
  // Loaded by those who need it: most runs read JSON Lines.
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  let row = 0;
  try {
    const result = await connection.stream(`SELECT * FROM ${READERS[extension]}`, { path });
    for await (const rows of result.yieldRowObjectJson()) {
      yield rows.map((value) => {
        row += 1;
        return { value: numeric(value), id: String(row), arrival: now() };
      });
    }
  } catch (error) {
    throw new ConfigurationError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** DuckDB writes 64-bit integers as text; those that a number holds exactly become numbers again. */
function numeric(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const name in row) {
    const value = row[name];
    const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
    result[name] = number;
  }
  return result;
}
