/** Decodes the escapes of GoogleSQL's quoted literals (lexical structure, "Escape sequences"). */
import { SqlError } from './sql-error.ts';

const SIMPLE: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
  '?': 63,
  '"': 34,
  "'": 39,
  '`': 96,
};

/** The code unit or byte that an escape of a fixed number of digits stands for; `undefined` when it is not one. */
function numericEscape(
  body: string,
  at: number,
): { readonly value: number; readonly length: number; readonly unicode: boolean } | undefined {
  const rest = body.slice(at, at + 9);
  const octal = /^[0-3][0-7]{2}/.exec(rest);
  if (octal) return { value: Number.parseInt(octal[0], 8), length: 3, unicode: false };
  const hex = /^[xX]([0-9a-fA-F]{2})/.exec(rest);
  if (hex) return { value: Number.parseInt(hex[1] ?? '', 16), length: 3, unicode: false };
  const unicode = /^u([0-9a-fA-F]{4})/.exec(rest) ?? /^U([0-9a-fA-F]{8})/.exec(rest);
  if (unicode) return { value: Number.parseInt(unicode[1] ?? '', 16), length: unicode[0].length, unicode: true };
  return undefined;
}

/** Walks the body of a literal, calling `text` for plain runs and `code` for each decoded escape. */
function decode(
  body: string,
  offset: number,
  text: (run: string) => void,
  code: (value: number, unicode: boolean) => void,
): void {
  let at = 0;
  while (at < body.length) {
    const slash = body.indexOf('\\', at);
    if (slash < 0) {
      text(body.slice(at));
      return;
    }
    if (slash > at) text(body.slice(at, slash));
    const next = body[slash + 1] ?? '';
    const simple = SIMPLE[next];
    const numeric = simple === undefined ? numericEscape(body, slash + 1) : undefined;
    if (simple !== undefined) {
      code(simple, true);
      at = slash + 2;
    } else if (numeric) {
      code(numeric.value, numeric.unicode);
      at = slash + 1 + numeric.length;
    } else {
      throw new SqlError(`Syntax error: Illegal escape sequence: \\${next}`, offset + slash);
    }
  }
}

/** The characters of a STRING literal. `offset` is where the body starts in the query, for messages. */
export function decodeString(body: string, raw: boolean, offset: number): string {
  if (raw || !body.includes('\\')) return body;
  const parts: string[] = [];
  decode(
    body,
    offset,
    (run) => parts.push(run),
    (value) => {
      if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) {
        throw new SqlError('Syntax error: Illegal escape sequence: not a Unicode code point', offset);
      }
      parts.push(String.fromCodePoint(value));
    },
  );
  return parts.join('');
}

/** The bytes of a BYTES literal. */
export function decodeBytes(body: string, raw: boolean, offset: number): Uint8Array {
  if (raw) return Buffer.from(body, 'utf8');
  const parts: Buffer[] = [];
  decode(
    body,
    offset,
    (run) => parts.push(Buffer.from(run, 'utf8')),
    (value, unicode) => {
      if (unicode && value > 127) {
        throw new SqlError(
          'Syntax error: Illegal escape sequence: Unicode escapes cannot be used in bytes literals',
          offset,
        );
      }
      parts.push(Buffer.from([value]));
    },
  );
  return Buffer.concat(parts);
}
