import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';

/** Writes the first `count` flights that come with vega-datasets as JSON Lines, in order of arrival (`date` + `delay`). */
export async function writeFlights(file: string, count: number): Promise<void> {
  const data = fileURLToPath(new URL('../data/flights-3m.parquet', import.meta.resolve('vega-datasets')));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(
    `COPY (SELECT strftime(date, '%Y-%m-%dT%H:%M:%SZ') AS date, delay, distance, origin, destination
       FROM (SELECT * FROM read_parquet(${quoted(data)}) LIMIT ${count}) ORDER BY epoch_ms(date) + delay * 60000)
     TO ${quoted(file)} (FORMAT JSON)`,
  );
  connection.closeSync();
  instance.closeSync();
}

/** DuckDB binds no parameters in COPY. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
