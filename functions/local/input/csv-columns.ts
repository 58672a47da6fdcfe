/**
 * The columns of a CSV file. A column is one of numbers, or of truth values, where all its cells among the first rows are;
 * else of texts. Later a cell of another kind stays as it is written, so that the schema refuses its row and no other.
 */
import type { Cell } from './csv-cells.ts';

/** What a column's cells become. */
type Reader = (text: string) => unknown;

const INTEGER = /^-?(0|[1-9]\d*)$/;
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const BOOLEAN = /^(true|false)$/i;

/** A number keeps what is written: no leading zeros, and no whole number beyond what it holds exactly. */
const NUMBER: Reader = (text) => {
  if (!DECIMAL.test(text)) return text;
  const value = Number(text);
  return (INTEGER.test(text) ? Number.isSafeInteger(value) : Number.isFinite(value)) ? value : text;
};
const TRUTH: Reader = (text) => (BOOLEAN.test(text) ? text.toLowerCase() === 'true' : text);
const TEXT: Reader = (text) => text;

/** How the cells of each column are read, by the file's first rows. */
export function columnReaders(columns: number, rows: readonly (readonly Cell[])[]): readonly Reader[] {
  return Array.from({ length: columns }, (_, column) => {
    const texts = rows.map((row) => row[column]).filter((each) => typeof each === 'string');
    const fits = (reader: Reader): boolean =>
      texts.length > 0 && texts.every((text) => typeof reader(text) !== 'string');
    return [NUMBER, TRUTH].find(fits) ?? TEXT;
  });
}

/** Names of columns, each once: of those that are there twice the second is `name_1`, of those without one `column_1`. */
export function columnNames(header: readonly Cell[]): readonly string[] {
  const names = new Set<string>();
  for (const [i, name] of header.entries()) {
    const wanted = name?.trim() || `column_${i + 1}`;
    let unique = wanted;
    for (let n = 1; names.has(unique); n++) unique = `${wanted}_${n}`;
    names.add(unique);
  }
  return [...names];
}
