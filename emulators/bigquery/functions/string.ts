/** String functions: STRING counts code points, BYTES counts bytes. */
import { printf } from '../values/printf.ts';
import { characterLength, characterOffset, characters, sliceCharacters, unitOffset } from '../values/text.ts';
import { regexpGroups } from '../values/regexp-groups.ts';
import { ValueError } from '../values/value-error.ts';
import { define, js, native, total, typedJs } from './definition.ts';

/** The longest text that REPEAT, LPAD and RPAD make. */
const MAX_TEXT = 1_048_576;

type Text = string | Uint8Array;

/** What STRING and BYTES have in common, so that one algorithm serves both. */
interface Sequence<T extends Text> {
  readonly length: (value: T) => number;
  readonly slice: (value: T, from: number, to?: number) => T;
  readonly join: (parts: readonly T[]) => T;
  readonly indexOf: (value: T, part: T, from: number) => number;
  readonly lastIndexOf: (value: T, part: T, from: number) => number;
}

const STRINGS: Sequence<string> = {
  length: characterLength,
  slice: sliceCharacters,
  join: (parts) => parts.join(''),
  indexOf: (value, part, from) => {
    const at = value.indexOf(part, unitOffset(value, from));
    return at < 0 ? -1 : characterOffset(value, at);
  },
  lastIndexOf: (value, part, from) => {
    const at = value.lastIndexOf(part, unitOffset(value, from));
    return at < 0 ? -1 : characterOffset(value, at);
  },
};

const BYTE_SEQUENCES: Sequence<Uint8Array> = {
  length: (value) => value.length,
  slice: (value, from, to) => value.subarray(from, to),
  join: (parts) => new Uint8Array(Buffer.concat(parts)),
  indexOf: (value, part, from) => Buffer.from(value).indexOf(part, from),
  lastIndexOf: (value, part, from) => Buffer.from(value).lastIndexOf(part, from),
};

/** SUBSTR: positions from 1, negative from the end, 0 as 1. */
function substr<T extends Text>({ length, slice }: Sequence<T>) {
  return (value: T, position: bigint, count?: bigint): T => {
    if (count !== undefined && count < 0n) throw new ValueError('Third argument in SUBSTR() cannot be negative');
    const size = length(value);
    const start = position > 0n ? Number(position) - 1 : position === 0n ? 0 : Math.max(0, size + Number(position));
    return slice(value, start, count === undefined ? undefined : start + Number(count));
  };
}

function side<T extends Text>({ length, slice }: Sequence<T>, name: 'LEFT' | 'RIGHT') {
  return (value: T, count: bigint): T => {
    if (count < 0n) throw new ValueError(`Second argument in ${name}() cannot be negative`);
    return name === 'LEFT' ? slice(value, 0, Number(count)) : slice(value, Math.max(0, length(value) - Number(count)));
  };
}

function pad<T extends Text>(sequence: Sequence<T>, name: 'LPAD' | 'RPAD', blank: T) {
  return (value: T, count: bigint, pattern: T = blank): T => {
    if (count < 0n) throw new ValueError(`Second argument (output size) for ${name} cannot be negative`);
    if (count > MAX_TEXT) throw new ValueError(`Output of ${name} exceeds max allowed output size of 1MB`);
    const patternLength = sequence.length(pattern);
    if (patternLength === 0) throw new ValueError(`Third argument (pad pattern) for ${name} cannot be empty`);
    const missing = Number(count) - sequence.length(value);
    if (missing <= 0) return sequence.slice(value, 0, Number(count));
    const repeated = sequence.join(Array.from({ length: Math.ceil(missing / patternLength) }, () => pattern));
    const filling = sequence.slice(repeated, 0, missing);
    return sequence.join(name === 'LPAD' ? [filling, value] : [value, filling]);
  };
}

function repeat<T extends Text>(sequence: Sequence<T>) {
  return (value: T, count: bigint): T => {
    if (count < 0n) throw new ValueError('Second argument in REPEAT cannot be negative');
    if (BigInt(value.length) * count > MAX_TEXT)
      throw new ValueError('Output of REPEAT exceeds max allowed output size of 1MB');
    return sequence.join(Array.from({ length: Number(count) }, () => value));
  };
}

/** INSTR: the position of the n-th occurrence, searching forwards, or backwards from a negative position. */
function instr<T extends Text>({ length, indexOf, lastIndexOf }: Sequence<T>) {
  return (value: T, part: T, position = 1n, occurrence = 1n): bigint => {
    if (position === 0n) throw new ValueError('Third argument (position) for INSTR cannot be 0');
    if (occurrence <= 0n) throw new ValueError('Fourth argument (occurrence) for INSTR must be positive');
    if (length(part) === 0) return 0n;
    const size = length(value);
    const forwards = position > 0n;
    let at = forwards ? Number(position) - 1 : size + Number(position);
    for (let left = occurrence; at >= 0 && at <= size; left--) {
      const found = forwards ? indexOf(value, part, at) : lastIndexOf(value, part, at);
      if (found < 0) return 0n;
      if (left === 1n) return BigInt(found + 1);
      at = forwards ? found + 1 : found - 1;
    }
    return 0n;
  };
}

function trim(value: string, set: string | undefined, start: boolean, end: boolean): string {
  if (set === undefined) {
    const from = start ? value.replace(/^[\s\u0085]+/u, '') : value;
    return end ? from.replace(/[\s\u0085]+$/u, '') : from;
  }
  if (set === '') return value;
  const drop = new Set(characters(set));
  const all = characters(value);
  let from = 0;
  let to = all.length;
  while (start && from < to && drop.has(all[from] ?? '')) from++;
  while (end && to > from && drop.has(all[to - 1] ?? '')) to--;
  return all.slice(from, to).join('');
}

function trimBytes(value: Uint8Array, set: Uint8Array, start: boolean, end: boolean): Uint8Array {
  const drop = new Set(set);
  let from = 0;
  let to = value.length;
  while (start && from < to && drop.has(value[from] ?? 0)) from++;
  while (end && to > from && drop.has(value[to - 1] ?? 0)) to--;
  return value.subarray(from, to);
}

function split(value: string, delimiter = ','): string[] {
  return delimiter === '' ? (value === '' ? [''] : characters(value)) : value.split(delimiter);
}

function splitBytes(value: Uint8Array, delimiter: Uint8Array): Uint8Array[] {
  if (delimiter.length === 0) return Array.from(value, (byte) => Uint8Array.of(byte));
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let at = Buffer.from(value).indexOf(delimiter); at >= 0; at = Buffer.from(value).indexOf(delimiter, from)) {
    parts.push(value.subarray(from, at));
    from = at + delimiter.length;
  }
  return [...parts, value.subarray(from)];
}

const INITCAP_DELIMITERS = '\t\n\v\f\r !"#$&()*+,-./:;<>?@[\\]^_`{|}~\'';

function initcap(value: string, delimiters = INITCAP_DELIMITERS): string {
  const ends = new Set(characters(delimiters));
  let first = true;
  return characters(value)
    .map((character) => {
      const result = first ? character.toUpperCase() : character.toLowerCase();
      first = ends.has(character);
      return result;
    })
    .join('');
}

function translate(value: string, from: string, to: string): string {
  const targets = characters(to);
  const map = new Map<string, string>();
  characters(from).forEach((character, index) => {
    if (map.has(character)) throw new ValueError(`Duplicate character "${character}" in TRANSLATE source characters`);
    map.set(character, targets[index] ?? '');
  });
  return characters(value)
    .map((character) => map.get(character) ?? character)
    .join('');
}

const SOUNDEX_CODES: Readonly<Record<string, string>> = {
  B: '1',
  F: '1',
  P: '1',
  V: '1',
  C: '2',
  G: '2',
  J: '2',
  K: '2',
  Q: '2',
  S: '2',
  X: '2',
  Z: '2',
  D: '3',
  T: '3',
  L: '4',
  M: '5',
  N: '5',
  R: '6',
};

function soundex(value: string): string {
  const letters = value.toUpperCase().replace(/[^A-Z]/g, '');
  if (letters === '') return '';
  let result = letters[0] ?? '';
  let last = SOUNDEX_CODES[result] ?? '';
  for (const letter of letters.slice(1)) {
    const code = SOUNDEX_CODES[letter] ?? '';
    if (code !== '' && code !== last) result += code;
    if (code !== '') last = code;
    if (result.length === 4) break;
  }
  return result.padEnd(4, '0');
}

function codePoint(code: bigint): string {
  if (code === 0n) return '';
  if (code < 0n || code > 0x10ffffn || (code >= 0xd800n && code <= 0xdfffn))
    throw new ValueError(`Invalid codepoint ${code}`);
  return String.fromCodePoint(Number(code));
}

function codePointsToString(codes: readonly (bigint | null)[]): string | null {
  if (codes.some((code) => code === null)) return null;
  return codes.map((code) => (code === 0n ? '\0' : codePoint(code ?? 0n))).join('');
}

function codePointsToBytes(codes: readonly (bigint | null)[]): Uint8Array | null {
  if (codes.some((code) => code === null)) return null;
  return Uint8Array.from(codes, (code) => {
    if ((code ?? 0n) < 0n || (code ?? 0n) > 255n) throw new ValueError(`Invalid extended ASCII code ${code}`);
    return Number(code);
  });
}

function normalize(value: string, mode = 'NFC'): string {
  if (!['NFC', 'NFD', 'NFKC', 'NFKD'].includes(mode)) throw new ValueError(`Invalid normalization mode ${mode}`);
  return value.normalize(mode);
}

function editDistance(a: string, b: string, limit?: bigint): bigint {
  const left = characters(a);
  const right = characters(b);
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  left.forEach((character, i) => {
    const next = [i + 1];
    for (const [j, other] of right.entries()) {
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (character === other ? 0 : 1)));
    }
    row = next;
  });
  const distance = BigInt(row[right.length] ?? 0);
  return limit !== undefined && distance > limit ? limit : distance;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function toBase32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  let text = '';
  for (let at = 0; at < bits.length; at += 5) text += BASE32[Number.parseInt(bits.slice(at, at + 5).padEnd(5, '0'), 2)];
  return text.padEnd(Math.ceil(text.length / 8) * 8, '=');
}

function fromBase32(text: string): Uint8Array {
  let bits = '';
  for (const character of text.replace(/=+$/, '').toUpperCase()) {
    const value = BASE32.indexOf(character);
    if (value < 0) throw new ValueError('Failed to decode invalid base32 string');
    bits += value.toString(2).padStart(5, '0');
  }
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

function fromBase64(text: string): Uint8Array {
  const clean = text.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(clean)) throw new ValueError('Failed to decode invalid base64 string');
  return new Uint8Array(Buffer.from(clean, 'base64'));
}

function fromHex(text: string): Uint8Array {
  if (!/^[0-9a-fA-F]*$/.test(text)) throw new ValueError('Failed to decode invalid hexadecimal string');
  return new Uint8Array(Buffer.from(text.length % 2 ? `0${text}` : text, 'hex'));
}

const reversed = (value: string) => characters(value).reverse().join('');
const trims = (name: string, start: boolean, end: boolean) =>
  define(
    name,
    js('STRING, STRING? -> STRING', (value: string, set?: string) => trim(value, set, start, end)),
    js('BYTES, BYTES -> BYTES', (value: Uint8Array, set: Uint8Array) => trimBytes(value, set, start, end)),
  );
const both = (
  name: string,
  signature: string,
  make: <T extends Text>(sequence: Sequence<T>) => (...args: never[]) => unknown,
) =>
  define(
    name,
    js(signature.replaceAll('TEXT', 'STRING'), make(STRINGS)),
    js(signature.replaceAll('TEXT', 'BYTES'), make(BYTE_SEQUENCES)),
  );

export const STRING_FUNCTIONS = [
  define(
    'ASCII',
    js('STRING -> INT64', (value: string) => BigInt(value.codePointAt(0) ?? 0)),
    js('BYTES -> INT64', (value: Uint8Array) => BigInt(value[0] ?? 0)),
  ),
  define(
    'UNICODE',
    js('STRING -> INT64', (value: string) => BigInt(value.codePointAt(0) ?? 0)),
  ),
  ...['BYTE_LENGTH', 'OCTET_LENGTH'].map((name) =>
    define(name, total('STRING -> INT64', 'CAST(strlen($1) AS BIGINT)'), total('BYTES -> INT64', 'octet_length($1)')),
  ),
  ...['CHAR_LENGTH', 'CHARACTER_LENGTH'].map((name) =>
    define(name, total('STRING -> INT64', 'CAST(length($1) AS BIGINT)')),
  ),
  define('LENGTH', total('STRING -> INT64', 'CAST(length($1) AS BIGINT)'), total('BYTES -> INT64', 'octet_length($1)')),
  define('CHR', js('INT64 -> STRING', codePoint)),
  define('CODE_POINTS_TO_STRING', js('ARRAY<INT64> -> STRING', codePointsToString)),
  define('CODE_POINTS_TO_BYTES', js('ARRAY<INT64> -> BYTES', codePointsToBytes)),
  define(
    'TO_CODE_POINTS',
    js('STRING -> ARRAY<INT64>', (value: string) =>
      Array.from(value, (character) => BigInt(character.codePointAt(0) ?? 0)),
    ),
    js('BYTES -> ARRAY<INT64>', (value: Uint8Array) => Array.from(value, BigInt)),
  ),
  define('EDIT_DISTANCE', js('STRING, STRING, max_distance:INT64? -> INT64', editDistance)),
  define(
    'STARTS_WITH',
    total('STRING, STRING -> BOOL', 'starts_with($1, $2)'),
    js('BYTES, BYTES -> BOOL', (value: Uint8Array, part: Uint8Array) =>
      Buffer.from(value.subarray(0, part.length)).equals(part),
    ),
  ),
  define(
    'ENDS_WITH',
    total('STRING, STRING -> BOOL', 'ends_with($1, $2)'),
    js(
      'BYTES, BYTES -> BOOL',
      (value: Uint8Array, part: Uint8Array) =>
        part.length <= value.length && Buffer.from(value.subarray(value.length - part.length)).equals(part),
    ),
  ),
  define(
    'FORMAT',
    typedJs('STRING, any... -> STRING', (types, [format, ...values]) =>
      format === null ? null : printf(format as string, types.slice(1), values),
    ),
  ),
  define('FROM_BASE32', js('STRING -> BYTES', fromBase32)),
  define('FROM_BASE64', js('STRING -> BYTES', fromBase64)),
  define('FROM_HEX', js('STRING -> BYTES', fromHex)),
  define('TO_BASE32', js('BYTES -> STRING', toBase32)),
  define(
    'TO_BASE64',
    js('BYTES -> STRING', (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')),
  ),
  define(
    'TO_HEX',
    js('BYTES -> STRING', (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')),
  ),
  define('INITCAP', js('STRING, STRING? -> STRING', initcap)),
  both('INSTR', 'TEXT, TEXT, INT64?, INT64? -> INT64', instr),
  both('LEFT', 'TEXT, INT64 -> TEXT', (sequence) => side(sequence, 'LEFT')),
  both('RIGHT', 'TEXT, INT64 -> TEXT', (sequence) => side(sequence, 'RIGHT')),
  define(
    'LOWER',
    js('STRING -> STRING', (value: string) => value.toLowerCase()),
    js('BYTES -> BYTES', (value: Uint8Array) => asciiCase(value, 65, 90, 32)),
  ),
  define(
    'UPPER',
    js('STRING -> STRING', (value: string) => value.toUpperCase()),
    js('BYTES -> BYTES', (value: Uint8Array) => asciiCase(value, 97, 122, -32)),
  ),
  define(
    'LPAD',
    js('STRING, INT64, STRING? -> STRING', pad(STRINGS, 'LPAD', ' ')),
    js('BYTES, INT64, BYTES? -> BYTES', pad(BYTE_SEQUENCES, 'LPAD', Uint8Array.of(32))),
  ),
  define(
    'RPAD',
    js('STRING, INT64, STRING? -> STRING', pad(STRINGS, 'RPAD', ' ')),
    js('BYTES, INT64, BYTES? -> BYTES', pad(BYTE_SEQUENCES, 'RPAD', Uint8Array.of(32))),
  ),
  trims('TRIM', true, true),
  trims('LTRIM', true, false),
  trims('RTRIM', false, true),
  define('NORMALIZE', js('STRING, STRING? -> STRING', normalize)),
  define(
    'NORMALIZE_AND_CASEFOLD',
    js('STRING, STRING? -> STRING', (value: string, mode?: string) => normalize(value.toLowerCase(), mode)),
  ),
  both('REPEAT', 'TEXT, INT64 -> TEXT', repeat),
  define(
    'REPLACE',
    js('STRING, STRING, STRING -> STRING', (value: string, from: string, to: string) =>
      from === '' ? value : value.replaceAll(from, () => to),
    ),
    js('BYTES, BYTES, BYTES -> BYTES', (value: Uint8Array, from: Uint8Array, to: Uint8Array) =>
      from.length === 0 ? value : joinBytes(splitBytes(value, from), to),
    ),
  ),
  define(
    'REVERSE',
    js('STRING -> STRING', reversed),
    js('BYTES -> BYTES', (value: Uint8Array) => Uint8Array.from(value).reverse()),
  ),
  define(
    'SAFE_CONVERT_BYTES_TO_STRING',
    js('BYTES -> STRING', (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)),
  ),
  define('SOUNDEX', js('STRING -> STRING', soundex)),
  define('SPLIT', js('STRING, STRING? -> ARRAY<STRING>', split), js('BYTES, BYTES -> ARRAY<BYTES>', splitBytes)),
  define(
    'STRPOS',
    js('STRING, STRING -> INT64', (value: string, part: string) => BigInt(STRINGS.indexOf(value, part, 0) + 1)),
    js('BYTES, BYTES -> INT64', (value: Uint8Array, part: Uint8Array) =>
      BigInt(BYTE_SEQUENCES.indexOf(value, part, 0) + 1),
    ),
  ),
  ...['SUBSTR', 'SUBSTRING'].map((name) => both(name, 'TEXT, INT64, INT64? -> TEXT', substr)),
  define('TRANSLATE', js('STRING, STRING, STRING -> STRING', translate)),
  define('REGEXP_GROUPS', js('STRING -> INT64', regexpGroupCount)),
  define('REGEXP_FROM', js('STRING, INT64 -> STRING', regexpFrom)),
  define('REGEXP_OCCURRENCE', js('INT64 -> INT64', regexpOccurrence)),
  define('REGEXP_CONTAINS', native('STRING, STRING -> BOOL', 'regexp_matches($1, $2)')),
  define('REGEXP_REPLACE', native('STRING, STRING, STRING -> STRING', "regexp_replace($1, $2, $3, 'g')")),
];

function asciiCase(value: Uint8Array, low: number, high: number, shift: number): Uint8Array {
  return Uint8Array.from(value, (byte) => (byte >= low && byte <= high ? byte + shift : byte));
}

function joinBytes(parts: readonly Uint8Array[], separator: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]))));
}

function regexpGroupCount(pattern: string): bigint {
  const groups = regexpGroups(pattern);
  if (groups > 1) throw new ValueError('Regular expression has more than 1 capturing group');
  return BigInt(groups);
}

/** The text from a position on; NULL, and so no match, behind the end. */
function regexpFrom(text: string, position: bigint): string | null {
  if (position <= 0n)
    throw new ValueError('Third argument (position) of a regular expression function must be positive');
  return position > BigInt(characterLength(text)) + 1n ? null : sliceCharacters(text, Number(position) - 1);
}

function regexpOccurrence(occurrence: bigint): bigint {
  if (occurrence <= 0n)
    throw new ValueError('Fourth argument (occurrence) of a regular expression function must be positive');
  return occurrence;
}
