/** The elements of envelopes: what is carried comes back equal; what was damaged is refused as corrupt. */
import { describe, expect, it } from 'vitest';
import { UNGROUPED } from '../../functions/engine/element.ts';
import { decodeBody, encodeElement } from '../../functions/engine/element-codec.ts';
import { CorruptionError, EncodeError } from '../../functions/model/errors.ts';
import { keyText } from '../../functions/model/key.ts';
import type { EpochMillis } from '../../functions/model/time.ts';
import { GLOBAL_WINDOW } from '../../functions/model/windows.ts';
import { Random } from '../simulation/world/random.ts';
import { AWKWARD_JSON, damaged, randomJson } from './hostile.ts';

function encoded(key: unknown, value: unknown): string {
  const timestamp = 5 as EpochMillis;
  return encodeElement(0, keyText(key), value, {
    value,
    timestamp,
    windows: [GLOBAL_WINDOW],
    pane: UNGROUPED,
    id: undefined,
  });
}

const VALUES: readonly unknown[] = [
  undefined,
  Number.NaN,
  -0,
  Number.NEGATIVE_INFINITY,
  2n ** 80n,
  new Date(Number.NaN),
  new Date(8.64e15),
  new Map<unknown, unknown>([[{ $: 1 }, new Set([undefined, -0])]]),
  new Uint8Array([0, 255]),
  { $: 'date', v: 'no date' },
  { toJSON: 'a text' },
  // With a hole, which is undefined and not null.
  Object.assign([undefined, 1, 3], { length: 5 }),
  Object.create(null),
  '\ud800',
];

describe('values in envelopes', () => {
  it.each(VALUES.map((value, i) => [i, value] as const))('come back as they were: %i', (_, value) => {
    const [incoming] = decodeBody(`[${encoded('a', value)}]`);
    expect(incoming!.value).toEqual(Array.isArray(value) ? Array.from(value) : value);
  });

  it('come back as they were, or are refused by name, whatever JSON they are', () => {
    const random = new Random(1, 'values');
    const values = [
      ...AWKWARD_JSON.map((text) => JSON.parse(text)),
      ...Array.from({ length: 3_000 }, () => randomJson(random)),
    ];
    let carried = 0;
    for (const value of values) {
      try {
        const [incoming] = decodeBody(`[${encoded('a', value)}]`);
        expect(incoming!.value).toEqual(value);
        carried += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(EncodeError);
      }
    }
    expect(carried).toBeGreaterThan(2_900);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('bodies that are damaged', () => {
  it('are lists of elements still, or corrupt', () => {
    const random = new Random(2, 'bodies');
    for (let i = 0; i < 8_000; i++) {
      const text = damaged(
        random,
        `[${encoded(randomKey(random), random.chance(0.5) ? new Date(5) : randomJson(random))}]`,
      );
      try {
        for (const { keyText, windows } of decodeBody(text))
          expect([typeof keyText, Array.isArray(windows)]).toEqual(['string', true]);
      } catch (error) {
        expect(error).toBeInstanceOf(CorruptionError);
      }
    }
  });
});

function randomKey(random: Random): unknown {
  return random.pick(['a', 1, null, true, ['x', 2], { b: 1, a: 2 }, '\ud800', '']);
}
