import { describe, expect, it } from 'vitest';
import { decodeValue, encodeValue, isPlain, plainText } from '../../functions/model/json.ts';

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
};

describe('the text of a plain value', () => {
  it.each([
    0,
    -1.5,
    1e21,
    5e-324,
    Number.MAX_SAFE_INTEGER,
    null,
    true,
    'a "text" \ud800',
    [],
    [1, [2, null, [0.1]]],
    [1, 'b', { c: [false] }],
    { a: 1, b: undefined },
    nested(200),
  ])('is its JSON: %j', (value) => {
    expect(isPlain(value)).toBe(true);
    expect(plainText(value)).toBe(JSON.stringify(value));
  });

  it.each([
    ['minus zero', -0],
    ['no number', Number.NaN],
    ['an infinity', [1, [Number.POSITIVE_INFINITY]]],
    ['undefined', undefined],
    ['holes', new Array<number>(2)],
    ['a bigint', [1n]],
    ['a date', new Date(0)],
    ['an object with a key of its own', { $: 1 }],
  ])('is not there for %s, which has another form', (_, value) => {
    expect(isPlain(value)).toBe(false);
    expect(plainText(value)).toBeUndefined();
    expect(decodeValue(JSON.parse(JSON.stringify(encodeValue(value))))).toEqual(value);
  });

  it('is not there for what is nested too deep', () => {
    expect(plainText(nested(202))).toBeUndefined();
    expect(() => encodeValue(nested(202))).toThrow('nested deeper than 200');
  });
});
