/** String functions that STRING and BYTES share: STRING counts code points, BYTES counts bytes. */
import { characterLength, characterOffset, characters, sliceCharacters, unitOffset } from '../values/text.ts';
import { ValueError } from '../values/value-error.ts';
import { define, js, total } from './definition.ts';

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

function joinBytes(parts: readonly Uint8Array[], separator: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]))));
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

export const TEXT_FUNCTIONS = [
  ...['BYTE_LENGTH', 'OCTET_LENGTH'].map((name) =>
    define(name, total('STRING -> INT64', 'CAST(strlen($1) AS BIGINT)'), total('BYTES -> INT64', 'octet_length($1)')),
  ),
  ...['CHAR_LENGTH', 'CHARACTER_LENGTH'].map((name) =>
    define(name, total('STRING -> INT64', 'CAST(length($1) AS BIGINT)')),
  ),
  define('LENGTH', total('STRING -> INT64', 'CAST(length($1) AS BIGINT)'), total('BYTES -> INT64', 'octet_length($1)')),
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
  both('INSTR', 'TEXT, TEXT, INT64?, INT64? -> INT64', instr),
  both('LEFT', 'TEXT, INT64 -> TEXT', (sequence) => side(sequence, 'LEFT')),
  both('RIGHT', 'TEXT, INT64 -> TEXT', (sequence) => side(sequence, 'RIGHT')),
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
  define('SPLIT', js('STRING, STRING? -> ARRAY<STRING>', split), js('BYTES, BYTES -> ARRAY<BYTES>', splitBytes)),
  define(
    'STRPOS',
    js('STRING, STRING -> INT64', (value: string, part: string) => BigInt(STRINGS.indexOf(value, part, 0) + 1)),
    js('BYTES, BYTES -> INT64', (value: Uint8Array, part: Uint8Array) =>
      BigInt(BYTE_SEQUENCES.indexOf(value, part, 0) + 1),
    ),
  ),
  ...['SUBSTR', 'SUBSTRING'].map((name) => both(name, 'TEXT, INT64, INT64? -> TEXT', substr)),
];
