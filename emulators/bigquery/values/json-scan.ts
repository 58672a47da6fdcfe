/**
 * JSON text read without building values: what lies at a path, the elements of an array, the scalars of an object. Numbers
 * keep their spelling (`1.50` stays `1.50`), as BigQuery's JSON functions on STRINGs keep it, and a row costs a microsecond.
 */
import type { PathStep } from './json-path.ts';

const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;

const MAX_DEPTH = 1000;

/** The text is not JSON at an offset. Inside this file only: callers get `undefined`. */
class Malformed extends Error {}

/** What a slice of JSON text is. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

export interface JsonSlice {
  readonly kind: JsonKind;
  /** The value's text, white space outside strings removed. */
  readonly text: string;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

class Scanner {
  readonly text: string;
  at = 0;
  /** How many white spaces were skipped so far: a value without any needs no compacting. */
  spaces = 0;
  constructor(text: string) {
    this.text = text;
  }

  skipSpace(): void {
    while (isSpace(this.text.charCodeAt(this.at))) {
      this.at++;
      this.spaces++;
    }
  }

  /** Takes one symbol. */
  expect(code: number): void {
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== code) throw new Malformed();
    this.at++;
  }

  accept(code: number): boolean {
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== code) return false;
    this.at++;
    return true;
  }

  kind(): JsonKind {
    this.skipSpace();
    switch (this.text.charCodeAt(this.at)) {
      case OPEN_OBJECT:
        return 'object';
      case OPEN_ARRAY:
        return 'array';
      case QUOTE:
        return 'string';
      case 116:
      case 102:
        return 'boolean';
      case 110:
        return 'null';
      default:
        return 'number';
    }
  }

  /** Goes over a string, quotes included. */
  string(): void {
    let close = this.text.indexOf('"', this.at + 1);
    while (close > 0 && this.#escaped(close)) close = this.text.indexOf('"', close + 1);
    if (close < 0) throw new Malformed();
    this.at = close + 1;
  }

  #escaped(at: number): boolean {
    let slashes = 0;
    while (this.text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    return slashes % 2 === 1;
  }

  /** Goes over a value and says what it was. */
  value(depth = 0): JsonKind {
    if (depth > MAX_DEPTH) throw new Malformed();
    const kind = this.kind();
    if (kind === 'string') this.string();
    else if (kind === 'object') this.members(() => this.value(depth + 1));
    else if (kind === 'array') this.elements(() => this.value(depth + 1));
    else this.#word(kind);
    return kind;
  }

  #word(kind: JsonKind): void {
    const from = this.at;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      const part =
        (code >= 48 && code <= 57) ||
        (code >= 97 && code <= 122) ||
        code === 46 ||
        code === 45 ||
        code === 43 ||
        code === 69;
      if (!part) break;
      this.at++;
    }
    const word = this.text.slice(from, this.at);
    const fits =
      kind === 'number'
        ? /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)
        : word === 'true' || word === 'false' || word === 'null';
    if (!fits) throw new Malformed();
  }

  /** Goes over an object, calling `member` where each value begins. `member` goes over it; true ends the walk there. */
  members(member: (name: string) => unknown): boolean {
    this.expect(OPEN_OBJECT);
    if (this.accept(CLOSE_OBJECT)) return false;
    do {
      this.skipSpace();
      if (this.text.charCodeAt(this.at) !== QUOTE) throw new Malformed();
      const from = this.at;
      this.string();
      const raw = this.text.slice(from + 1, this.at - 1);
      const name = raw.includes('\\') ? decode(`"${raw}"`) : raw;
      this.expect(COLON);
      if (member(name) === true) return true;
    } while (this.accept(COMMA));
    this.expect(CLOSE_OBJECT);
    return false;
  }

  /** Goes over an array in the same way. */
  elements(element: (index: number) => unknown): boolean {
    this.expect(OPEN_ARRAY);
    if (this.accept(CLOSE_ARRAY)) return false;
    let index = 0;
    do {
      if (element(index++) === true) return true;
    } while (this.accept(COMMA));
    this.expect(CLOSE_ARRAY);
    return false;
  }
}

function decode(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new Malformed();
  }
}

/** White space outside strings removed, escapes that need not be written decoded. */
function compact(text: string, spaced: boolean): string {
  if (!spaced && !text.includes('\\')) return text;
  return text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (part) =>
    part.startsWith('"') ? (part.includes('\\') ? JSON.stringify(decode(part)) : part) : '',
  );
}

function guarded<T>(scan: () => T): T | undefined {
  try {
    return scan();
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

/** Moves the scanner to the value at the path; false when there is none. */
function seek(scanner: Scanner, steps: readonly PathStep[]): boolean {
  const skip = () => {
    scanner.value();
    return false;
  };
  for (const step of steps) {
    const kind = scanner.kind();
    let found = false;
    if (kind === 'object') {
      found = scanner.members((name) => name === String(step) || skip());
    } else if (kind === 'array' && /^\d+$/.test(String(step))) {
      found = scanner.elements((index) => index === Number(step) || skip());
    }
    if (!found) return false;
  }
  return true;
}

/** What lies at the path; `undefined` when nothing does, or the text up to there is not JSON. */
export function sliceAt(text: string, steps: readonly PathStep[]): JsonSlice | undefined {
  return guarded(() => {
    const scanner = new Scanner(text);
    if (!seek(scanner, steps)) return undefined;
    scanner.skipSpace();
    const from = scanner.at;
    const before = scanner.spaces;
    const kind = scanner.value();
    const spaced = scanner.spaces > before;
    if (steps.length === 0) {
      const end = scanner.at;
      scanner.skipSpace();
      if (scanner.at < text.length) return undefined;
      scanner.at = end;
    }
    return { kind, text: compact(text.slice(from, scanner.at), spaced) };
  });
}

/** The elements of the array at the path; `undefined` when there is no array. */
export function elementsAt(text: string, steps: readonly PathStep[]): JsonSlice[] | undefined {
  return guarded(() => {
    const scanner = new Scanner(text);
    if (!seek(scanner, steps) || scanner.kind() !== 'array') return undefined;
    const items: JsonSlice[] = [];
    scanner.elements(() => {
      scanner.skipSpace();
      const from = scanner.at;
      const before = scanner.spaces;
      const kind = scanner.value();
      items.push({ kind, text: compact(text.slice(from, scanner.at), scanner.spaces > before) });
    });
    return items;
  });
}

/** A scalar as JSON_VALUE answers it: strings without quotes, numbers as spelt, `undefined` for null and containers. */
export function scalarText(slice: JsonSlice): string | undefined {
  if (slice.kind === 'string') return decode(slice.text);
  return slice.kind === 'number' || slice.kind === 'boolean' ? slice.text : undefined;
}

/**
 * An object's scalars as an object of strings: `{"a": 1.50, "b": "x", "c": [1]}` becomes `{"a":"1.50","b":"x"}`, and an
 * array's as an array: `[1.50, "x", [1]]` becomes `["1.50","x",null]`. DuckDB reads any number of members out of that, each
 * for a fraction of what a scan costs, and no number loses its spelling.
 */
export function flattenScalars(text: string): string | null {
  const flat = guarded(() => {
    const scanner = new Scanner(text);
    if (scanner.kind() === 'array') return flattenElements(scanner);
    if (scanner.kind() !== 'object') return '{}';
    const seen = new Set<string>();
    let result = '';
    scanner.members((name) => {
      scanner.skipSpace();
      const from = scanner.at;
      const kind = scanner.value();
      if (seen.has(name)) return false;
      seen.add(name);
      const value = text.slice(from, scanner.at);
      if (kind === 'string') result += `,${JSON.stringify(name)}:${value}`;
      else if (kind === 'number' || kind === 'boolean') result += `,${JSON.stringify(name)}:"${value}"`;
      return false;
    });
    return `{${result.slice(1)}}`;
  });
  return flat ?? null;
}

function flattenElements(scanner: Scanner): string {
  let result = '';
  scanner.elements(() => {
    scanner.skipSpace();
    const from = scanner.at;
    const kind = scanner.value();
    const value = scanner.text.slice(from, scanner.at);
    result += kind === 'string' ? `,${value}` : kind === 'number' || kind === 'boolean' ? `,"${value}"` : ',null';
    return false;
  });
  return `[${result.slice(1)}]`;
}
