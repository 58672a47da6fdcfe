/** String functions on characters as people read them: case, normal forms, similarity, FORMAT. */
import type { Type } from '../types/type.ts';
import { displayText } from '../values/literal-text.ts';
import { printf } from '../values/printf.ts';
import { characters } from '../values/text.ts';
import { ValueError } from '../values/value-error.ts';
import { define, js, typedJs } from './definition.ts';

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

function normalize(value: string, mode = 'NFC'): string {
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

function asciiCase(value: Uint8Array, low: number, high: number, shift: number): Uint8Array {
  return Uint8Array.from(value, (byte) => (byte >= low && byte <= high ? byte + shift : byte));
}

/** What CONTAINS_SUBSTR compares: compatibility forms composed, case folded. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** True when the text of a value, or of a part of an array or struct, holds the search text. NULL where a NULL part might. */
function containsText(value: unknown, type: Type, search: string): boolean | null {
  if (value === null) return null;
  const parts: [unknown, Type][] =
    type.kind === 'ARRAY'
      ? (value as readonly unknown[]).map((item) => [item, type.element])
      : type.kind === 'STRUCT'
        ? type.fields.map((field, index) => [(value as readonly unknown[])[index] ?? null, field.type])
        : [];
  if (type.kind !== 'ARRAY' && type.kind !== 'STRUCT') return folded(displayText(value, type)).includes(search);
  const found = parts.map(([part, partType]) => containsText(part, partType, search));
  return found.includes(true) ? true : found.includes(null) ? null : false;
}

export const STRING_FUNCTIONS = [
  define(
    'CONTAINS_SUBSTR',
    typedJs('any, STRING -> BOOL', ([type], [value, search]) => {
      if (typeof search !== 'string')
        throw new ValueError('CONTAINS_SUBSTR needs a literal to search for that is not NULL');
      return containsText(value, type as Type, folded(search));
    }),
  ),
  define('EDIT_DISTANCE', js('STRING, STRING, max_distance:INT64? -> INT64', editDistance)),
  define(
    'FORMAT',
    typedJs('STRING, any... -> STRING', (types, [format, ...values]) =>
      format === null ? null : printf(format as string, types.slice(1), values),
    ),
  ),
  define('INITCAP', js('STRING, STRING? -> STRING', initcap)),
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
  define('NORMALIZE', js('STRING, part<normalization>? -> STRING', normalize)),
  define(
    'NORMALIZE_AND_CASEFOLD',
    js('STRING, part<normalization>? -> STRING', (value: string, mode?: string) =>
      normalize(value.toLowerCase(), mode),
    ),
  ),
  define('SOUNDEX', js('STRING -> STRING', soundex)),
  define('TRANSLATE', js('STRING, STRING, STRING -> STRING', translate)),
];
