import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { ConfigurationError } from '../../model/errors.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Input } from '../runner.ts';
import { DUCKDB_EXTENSIONS, readByDuckDb } from './duckdb.ts';
import { readJsonLines } from './json-lines.ts';

const LINES = ['.jsonl', '.ndjson'];

/**
 * Opens a file as a source's input by its extension.
 * @param now what records count as arrived at, where the source does not say
 * @throws {ConfigurationError} when there is no such file, or its kind is not known
 */
export function openInput(path: string, now: () => EpochMillis): Input {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new ConfigurationError(`there is no file ${path}; give --input source=file`);
  const extension = extname(path).toLowerCase();
  if (LINES.includes(extension)) return readJsonLines(path, now);
  if (DUCKDB_EXTENSIONS.includes(extension)) return readByDuckDb(path, extension, now);
  throw new ConfigurationError(
    `${path} ends in '${extension}'; known are ${[...LINES, ...DUCKDB_EXTENSIONS].join(', ')}`,
  );
}
