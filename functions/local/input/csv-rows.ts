/**
 * From the text of a CSV file to its rows. Invariant: a line with a quote that is never closed costs no other line.
 *
 * Our own, since that is what no reader at hand does: behind such a quote DuckDB guesses other rules for the whole file, and
 * parsers read on to its end.
 */
import { type Cell, type NoRow, readCells } from './csv-cells.ts';

/** A row, or what is none, with the number of its first line. */
export interface CsvRow {
  readonly line: number;
  readonly text: string;
  readonly cells: readonly Cell[] | NoRow;
}

/** A row of several lines may have so many characters. */
const LONGEST_ROW = 1_000_000;
const DELIMITERS = [',', ';', '\t', '|'] as const;

export class CsvRows {
  /** Known from the first line, which names the columns. */
  #delimiter: string | undefined;
  #line = 0;
  #rest = '';
  /** Lines of a row whose quote is still open. */
  #open: string[] = [];
  #openLength = 0;

  /** The rows that are complete with this text. */
  *add(text: string): Iterable<CsvRow> {
    this.#rest += text;
    if (!text.includes('\n')) return;
    const lines = this.#rest.split('\n');
    this.#rest = lines.pop()!;
    yield* this.#rows(lines);
  }

  /** What is left when the text has ended. */
  *end(): Iterable<CsvRow> {
    const lines = this.#rest === '' ? [] : [this.#rest];
    this.#rest = '';
    yield* this.#rows(lines);
    while (this.#open.length > 0) yield* this.#giveUp();
  }

  *#rows(lines: readonly string[]): Iterable<CsvRow> {
    for (const line of lines) {
      this.#open.push(line);
      this.#openLength += line.length;
      // Only a line with a quote can close one.
      if (this.#open.length > 1 && !line.includes('"') && this.#openLength < LONGEST_ROW) continue;
      yield* this.#close();
    }
  }

  *#close(): Iterable<CsvRow> {
    const text = this.#open.join('\n').replace(/\r$/, '');
    if (text !== '') this.#delimiter ??= delimiterOf(text);
    const cells = text === '' ? [] : readCells(text, this.#delimiter!);
    const isOpen = 'unclosed' in cells;
    if (isOpen && this.#openLength < LONGEST_ROW) return;
    // Whoever forgets a closing quote means the one that opens the next cell no more than the lines between.
    if (isOpen || ('problem' in cells && this.#open.length > 1)) return yield* this.#giveUp();
    const line = this.#line + 1;
    this.#line += this.#open.length;
    this.#clear();
    if (text !== '') yield { line, text, cells };
  }

  /** The first line is no row by itself; the others are read anew. */
  *#giveUp(): Iterable<CsvRow> {
    const [first, ...others] = this.#open as [string, ...string[]];
    this.#clear();
    this.#line += 1;
    const text = first.replace(/\r$/, '');
    yield { line: this.#line, text, cells: readCells(text, this.#delimiter!) };
    yield* this.#rows(others);
  }

  #clear(): void {
    this.#open = [];
    this.#openLength = 0;
  }
}

/** What stands most often between the names of the columns. */
function delimiterOf(header: string): string {
  const bare = header.replaceAll(/"[^"]*"/g, '');
  const found = DELIMITERS.map((each) => [each, bare.split(each).length] as const);
  return found.reduce((most, each) => (each[1] > most[1] ? each : most))[0];
}
