import { ConfigurationError, messageOf } from '../../model/errors.ts';
import { roughSize } from '../../engine/chain/rough-size.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Input } from '../runner.ts';

/**
 * How DuckDB reads each kind of file. The path is bound, never spliced. Dates and times of a CSV file stay as they are
 * written; of a JSON file everything does.
 */
const READERS: Readonly<Record<string, string>> = {
  '.csv': "read_csv($path, header = true, auto_type_candidates = ['BOOLEAN', 'BIGINT', 'DOUBLE', 'VARCHAR'])",
  '.json': "read_json_objects($path, format = 'auto', maximum_object_size = 268435456)",
  '.parquet': 'read_parquet($path)',
};

export const DUCKDB_EXTENSIONS: readonly string[] = Object.keys(READERS);

/** Reads a CSV, JSON or Parquet file, about 2,000 rows at a time. Record ids are row numbers; Parquet's timestamps come as text. */
export async function* readByDuckDb(path: string, extension: string, now: () => EpochMillis): Input {
  // Loaded by those who need it: most runs read JSON Lines.
  const { DuckDBInstance, DuckDBTypeId } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  let row = 0;
  try {
    const result = await connection.stream(`SELECT * FROM ${READERS[extension]}`, { path });
    const long: readonly number[] = [DuckDBTypeId.BIGINT, DuckDBTypeId.UBIGINT, DuckDBTypeId.HUGEINT];
    const integers = result.columnNames().filter((_, i) => long.includes(result.columnTypeId(i)));
    for await (const rows of result.yieldRowObjectJson()) {
      yield rows.map((value) => {
        row += 1;
        return {
          value: extension === '.json' ? JSON.parse(value['json'] as string) : numeric(value, integers),
          id: String(row),
          arrival: now(),
          characters: roughSize(value),
        };
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
function numeric(row: Readonly<Record<string, unknown>>, integers: readonly string[]): Record<string, unknown> {
  const result: Record<string, unknown> = { ...row };
  for (const name of integers) {
    const value = result[name];
    if (typeof value === 'string' && /^-?\d{1,15}$/.test(value)) result[name] = Number(value);
  }
  return result;
}
