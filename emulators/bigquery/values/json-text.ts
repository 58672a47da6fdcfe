/**
 * JSON values as BigQuery keeps them: members sorted by name, numbers exact where they are 64-bit integers, else doubles.
 * A value of type JSON is held as its normalised text, so equal values have equal texts.
 */
import { formatG } from './float.ts';
import { MIN_INT64 } from './integer.ts';
import { ValueError } from './value-error.ts';

/** A parsed JSON value. Integers of up to 64 bits are bigints, all other numbers are numbers; objects keep their order. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | Map<string, JsonValue>;

const MAX_UINT64 = 2n ** 64n - 1n;
const MAX_DEPTH = 200;

const WORDS: readonly (readonly [string, null | boolean])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
];

function numberOf(source: string): number | bigint {
  if (!/[.eE]/.test(source) && source !== '-0') {
    const integer = BigInt(source);
    if (integer >= MIN_INT64 && integer <= MAX_UINT64) return integer;
  }
  return Number(source);
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;

class JsonReader {
  readonly #text: string;
  #at = 0;
  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonValue {
    const value = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#error();
    return value;
  }

  #error(): ValueError {
    return new ValueError(`syntax error while parsing JSON at offset ${this.#at}`);
  }

  #skipSpace(): void {
    SPACE.lastIndex = this.#at;
    SPACE.exec(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #accept(symbol: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== symbol) return false;
    this.#at++;
    return true;
  }

  #value(depth: number): JsonValue {
    if (depth > MAX_DEPTH)
      throw new ValueError(`Max nesting depth of ${MAX_DEPTH} has been exceeded while parsing JSON`);
    if (this.#accept('{')) return this.#object(depth);
    if (this.#accept('[')) return this.#array(depth);
    if (this.#text[this.#at] === '"') return this.#string();
    for (const [word, value] of WORDS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    NUMBER.lastIndex = this.#at;
    const number = NUMBER.exec(this.#text)?.[0];
    if (number === undefined) throw this.#error();
    this.#at += number.length;
    return numberOf(number);
  }

  #string(): string {
    const from = this.#at;
    let close = this.#text.indexOf('"', from + 1);
    while (close > 0 && this.#escaped(close)) close = this.#text.indexOf('"', close + 1);
    if (close < 0) throw this.#error();
    this.#at = close + 1;
    try {
      return JSON.parse(this.#text.slice(from, this.#at)) as string;
    } catch {
      this.#at = from;
      throw this.#error();
    }
  }

  /** True when an odd number of backslashes stands before. */
  #escaped(at: number): boolean {
    let slashes = 0;
    while (this.#text[at - 1 - slashes] === '\\') slashes++;
    return slashes % 2 === 1;
  }

  #array(depth: number): JsonValue[] {
    const items: JsonValue[] = [];
    if (this.#accept(']')) return items;
    do items.push(this.#value(depth + 1));
    while (this.#accept(','));
    if (!this.#accept(']')) throw this.#error();
    return items;
  }

  #object(depth: number): Map<string, JsonValue> {
    const members = new Map<string, JsonValue>();
    if (this.#accept('}')) return members;
    do {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') throw this.#error();
      const name = this.#string();
      if (!this.#accept(':')) throw this.#error();
      const value = this.#value(depth + 1);
      if (!members.has(name)) members.set(name, value);
    } while (this.#accept(','));
    if (!this.#accept('}')) throw this.#error();
    return members;
  }
}

/** @throws {ValueError} when the text is not JSON. */
export function parseJson(text: string): JsonValue {
  return new JsonReader(text).document();
}

/** The value of a text, or `undefined` when it is not JSON: the extraction functions answer NULL then. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** A double in JSON: 15 significant digits where they suffice, else 17, and `.0` where it would look like an integer. */
export function jsonNumber(value: number): string {
  const short = formatG(value, 15);
  const text = Number(short) === value ? short : formatG(value, 17);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** Text of a value. Members in their own order, or sorted by name. */
export function writeJson(value: JsonValue, sorted = false): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      return jsonString(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'number':
      return jsonNumber(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => writeJson(item, sorted)).join(',')}]`;
  const names = [...value.keys()];
  if (sorted) names.sort(byCodePoint);
  return `{${names.map((name) => `${jsonString(name)}:${writeJson(value.get(name) ?? null, sorted)}`).join(',')}}`;
}

function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** A string in JSON. Beyond what JSON demands, the two line separators that JavaScript knows are escaped. */
export function jsonString(text: string): string {
  const json = JSON.stringify(text);
  return /[\u2028\u2029]/.test(json) ? json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029') : json;
}

/** The normalised text of a value of type JSON. */
export function normalizeJson(text: string): string {
  return writeJson(parseJson(text), true);
}
