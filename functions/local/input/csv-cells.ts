/** The cells of one row of a CSV file (RFC 4180). */

/** A cell without text is null. */
export type Cell = string | null;

/** What a row's text is, where it is no row. `unclosed`: it may go on with the next line. */
export interface NoRow {
  readonly problem: string;
  readonly unclosed?: boolean;
}

/** The cells of a row's text, which has more than one line where a cell between quotes has. */
export function readCells(text: string, delimiter: string): readonly Cell[] | NoRow {
  if (!text.includes('"')) return text.split(delimiter).map(cell);
  const cells: Cell[] = [];
  for (let at = 0; ; ) {
    const quoted = text[at] === '"';
    const end = quoted ? closingQuote(text, at) + 1 : endOfPlain(text, at, delimiter);
    if (end === 0) return { problem: `the quote before cell ${cells.length + 1} is never closed`, unclosed: true };
    if (quoted && end < text.length && text[end] !== delimiter)
      return { problem: `cell ${cells.length + 1} goes on behind its closing quote` };
    cells.push(cell(quoted ? text.slice(at + 1, end - 1).replaceAll('""', '"') : text.slice(at, end)));
    if (end >= text.length) return cells;
    at = end + 1;
  }
}

function cell(text: string): Cell {
  return text === '' ? null : text;
}

function endOfPlain(text: string, at: number, delimiter: string): number {
  const end = text.indexOf(delimiter, at);
  return end < 0 ? text.length : end;
}

/** Where the quote at `open` is closed; -1 = nowhere. Two quotes are one in the cell. */
function closingQuote(text: string, open: number): number {
  let at = text.indexOf('"', open + 1);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}
