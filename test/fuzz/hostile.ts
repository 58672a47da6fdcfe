/** Input that nobody should send: what parsers, prototypes, numbers and dates stumble over. Seeded, so the same each time. */
import type { Random } from '../simulation/world/random.ts';

/** JSON texts that are valid, and awkward. */
export const AWKWARD_JSON: readonly string[] = [
  '{"__proto__":{"polluted":true},"key":"a"}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"valueOf":2,"hasOwnProperty":3,"key":"b"}',
  '{"toJSON":"x","then":1}',
  '{"$":"bigint","v":"1"}',
  '{"$":"map","v":5}',
  '{"$":"undefined"}',
  '{"at":9007199254740993}',
  '{"at":8640000000000000}',
  '{"at":-8640000000000000}',
  '{"at":8640000000000001}',
  '{"at":1e400}',
  '{"at":-0}',
  '{"at":0.5}',
  '{"at":"0000-00-00T00:00:00Z"}',
  '{"at":"+275760-09-13T00:00:00Z"}',
  '{"at":"2001-02-30T00:00:00Z"}',
  '{"at":[]}',
  '{"at":null,"key":null}',
  '{"key":{"a":{"b":[1,2,{"c":null}]}}}',
  '{"key":"\\ud800"}',
  '{"key":"\\udfff\\ud800"}',
  '{"key":"\\u0000\\u2028"}',
  '{"key":1e308,"value":-1e308}',
  '{"key":123456789012345678901234567890}',
  '{"":""}',
  '[]',
  '{}',
  'null',
  'true',
  '0',
  '-0',
  '1e400',
  '""',
  '"\\ud83d"',
  `${'['.repeat(150)}${']'.repeat(150)}`,
  `${'['.repeat(300)}${']'.repeat(300)}`,
  `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
  `{"key":"${'x'.repeat(300_000)}"}`,
  `{"key":"a","value":"${'€'.repeat(120_000)}"}`,
];

/** Texts that are no JSON. */
export const BROKEN_JSON: readonly string[] = [
  '{',
  '{"a":}',
  "{'a':1}",
  '{"a":1}{"b":2}',
  'NaN',
  'undefined',
  '\u0000',
  '\ufeff{}',
  '[1,]',
  '0x10',
  `${'['.repeat(100_000)}`,
  '\u{10ffff}',
];

export function randomBytes(random: Random, most: number): Buffer {
  return Buffer.from(Array.from({ length: random.whole(0, most) }, () => random.whole(0, 255)));
}

/** Any JSON value, small. */
export function randomJson(random: Random, depth = 0): unknown {
  switch (random.whole(0, depth > 4 ? 5 : 7)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick([0, -1, 0.1, 2 ** 53, -(2 ** 53) - 2, 1e308, 5e-324, 8.64e15, -8.64e15, 8.64e15 + 1]);
    case 3:
    case 4:
      return random.pick(['', 'a', '\ud800', '__proto__', 'stage-0', '1', '\u0000', '{}', '[[', '~', 'x'.repeat(500)]);
    case 5:
      return random.whole(-5, 5);
    case 6:
      return Array.from({ length: random.whole(0, 4) }, () => randomJson(random, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: random.whole(0, 4) }, () => [
          random.pick(['key', 'at', '$', 'v', 'message', 'data', '__proto__', 'toJSON', 'constructor']),
          randomJson(random, depth + 1),
        ]),
      );
  }
}

/** A text with some of its characters changed, doubled or cut out. */
export function damaged(random: Random, text: string): string {
  let result = text;
  for (let i = random.whole(1, 4); i > 0; i--) {
    const at = random.whole(0, result.length);
    const length = random.whole(0, 8);
    const put = random.pick([
      '',
      '"',
      '[',
      ']',
      '{',
      '}',
      ',',
      '0',
      '-',
      'e',
      '\\',
      '\u0000',
      result.slice(at, at + length),
    ]);
    result = result.slice(0, at) + put + result.slice(at + (random.chance(0.5) ? length : 0));
  }
  return result;
}
