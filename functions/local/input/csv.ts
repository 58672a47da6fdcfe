import type { RawRecord } from '../../engine/ingest/source-decoder.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Input } from '../runner.ts';
import { columnNames, columnReaders } from './csv-columns.ts';
import { type CsvRow, CsvRows } from './csv-rows.ts';
import { textChunks } from './text-chunks.ts';

/** Rows, or characters of text, by which the columns' types are found. */
const FIRST_ROWS = 20_000;
const FIRST_CHARACTERS = 4_000_000;

/**
 * Reads a CSV file whose first line names the columns. A line that is no row of it (too few cells, an open quote) comes out
 * with its problem, and becomes a dead letter. Empty lines are passed over; record ids are line numbers.
 * @throws {ConfigurationError} when the first line names no columns
 */
export async function* readCsv(path: string, now: () => EpochMillis): Input {
  const rows = new CsvRows();
  let columns: Columns | undefined;
  let first: CsvRow[] = [];
  let characters = 0;
  for await (const chunk of textChunks(path)) {
    const found = [...rows.add(chunk)];
    if (columns === undefined) {
      first.push(...found);
      characters += chunk.length;
      if (first.length <= FIRST_ROWS && characters < FIRST_CHARACTERS) continue;
    }
    columns ??= new Columns(path, first);
    yield columns.records(first.length > 0 ? first.slice(1) : found, now());
    first = [];
  }
  const last = [...first, ...rows.end()];
  yield columns === undefined ? new Columns(path, last).records(last.slice(1), now()) : columns.records(last, now());
}

/** What is known from a file's first rows. */
class Columns {
  readonly #path: string;
  readonly #names: readonly string[];
  readonly #readers: readonly ((text: string) => unknown)[];

  constructor(path: string, [header, ...rows]: readonly CsvRow[]) {
    this.#path = path;
    const cells = header?.cells ?? [];
    if ('problem' in cells)
      throw new ConfigurationError(`${path} line ${header!.line} should name the columns: ${cells.problem}`);
    this.#names = columnNames(cells);
    const whole = rows.flatMap((row) => ('problem' in row.cells ? [] : [row.cells]));
    this.#readers = columnReaders(
      this.#names.length,
      whole.filter(({ length }) => length === this.#names.length),
    );
  }

  records(rows: readonly CsvRow[], arrival: EpochMillis): RawRecord[] {
    return rows.map(({ line, text, cells }) => {
      const facts = { id: String(line), arrival, characters: text.length };
      const made = this.#value(cells);
      return typeof made === 'string'
        ? { ...facts, value: text, problem: `${this.#path} line ${line} is no row: ${made}` }
        : { ...facts, value: made };
    });
  }

  /** A row as an object, or what is wrong with it. */
  #value(cells: CsvRow['cells']): Record<string, unknown> | string {
    if ('problem' in cells) return cells.problem;
    const names = this.#names;
    if (cells.length !== names.length) return `it has ${cells.length} of ${names.length} cells`;
    const value: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) {
      const cell = cells[i]!;
      value[names[i]!] = cell === null ? null : this.#readers[i]!(cell);
    }
    return value;
  }
}
