import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { ConfigurationError } from '../../model/errors.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Input } from '../runner.ts';
import { readCsv } from './csv.ts';
import { DUCKDB_EXTENSIONS, readByDuckDb } from './duckdb.ts';
import { readJsonLines } from './json-lines.ts';

const LINES = ['.jsonl', '.ndjson'];
const CSV = '.csv';
/** What is read as text may be packed: `flights.jsonl.gz`. */
const PACKED = '.gz';

/**
 * Opens a file as a source's input by its extension.
 * @param now what records count as arrived at, where the source does not say
 * @throws {ConfigurationError} when there is no such file, or its kind is not known
 */
export function openInput(path: string, now: () => EpochMillis): Input {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new ConfigurationError(`there is no file ${path}; give --input source=file`);
  const last = extname(path).toLowerCase();
  const extension = last === PACKED ? extname(path.slice(0, -PACKED.length)).toLowerCase() : last;
  if (LINES.includes(extension)) return readJsonLines(path, now);
  if (extension === CSV) return readCsv(path, now);
  if (last !== PACKED && DUCKDB_EXTENSIONS.includes(extension)) return readByDuckDb(path, extension, now);
  throw new ConfigurationError(
    `${path} ends in '${last}'; known are ${[...LINES, CSV, ...DUCKDB_EXTENSIONS].join(', ')}, and ${[...LINES, CSV].map((each) => each + PACKED).join(', ')}`,
  );
}
