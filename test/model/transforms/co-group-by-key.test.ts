import { describe, expect, it } from 'vitest';
import type { KeyedPCollection } from '../../../functions/model/collection.ts';
import { pipeline } from '../../../functions/model/pipeline.ts';
import {
  coGroupByKey,
  fullJoin,
  innerJoin,
  leftJoin,
  onlyOne,
} from '../../../functions/model/transforms/co-group-by-key.ts';
import { afterCount, repeatedly } from '../../../functions/model/triggers.ts';
import { fixedWindows, sessions } from '../../../functions/model/windows.ts';
import { capture, Harness, source } from '../../engine/views/harness.ts';

type Pair = readonly [string, number];
type Keyed = KeyedPCollection<string, number>;

async function run(
  join: (left: Keyed, right: Keyed) => KeyedPCollection<string, unknown>,
  left: readonly Pair[],
  right: readonly Pair[],
): Promise<Harness> {
  const harness = await Harness.start(
    pipeline('joining', (p) => {
      const keyed = (name: string): Keyed =>
        source<Pair>(p, name)
          .window(`${name}-windows`, fixedWindows(10))
          .keyBy(`${name}-keys`, ([key]) => key)
          .mapValues(`${name}-numbers`, ([, value]) => value);
      capture(join(keyed('left'), keyed('right')));
    }),
    { shards: 1 },
  );
  await harness.send('left', ...left.map((value, at) => ({ at, value })));
  await harness.send('right', ...right.map((value, at) => ({ at, value })));
  await harness.finish('left', 'right');
  expect(harness.remains()).toEqual([]);
  return harness;
}

/** Keys are spread over shards and come in no order. */
function byKey(harness: Harness): unknown[] {
  return (harness.values() as { key: string }[]).toSorted((a, b) => a.key.localeCompare(b.key));
}

const LEFT: readonly Pair[] = [
  ['a', 1],
  ['b', 2],
  ['a', 3],
];
const RIGHT: readonly Pair[] = [
  ['a', 10],
  ['c', 30],
];

describe('coGroupByKey', () => {
  it('G01: has every key of any input, with an empty list where an input lacks it', async () => {
    const harness = await run((left, right) => coGroupByKey('group', { left, right }), LEFT, RIGHT);
    expect(byKey(harness)).toEqual([
      { key: 'a', value: { left: [1, 3], right: [10] } },
      { key: 'b', value: { left: [2], right: [] } },
      { key: 'c', value: { left: [], right: [30] } },
    ]);
  });

  it('G02: joins window by window, at the earliest timestamp where that is asked for', async () => {
    const harness = await Harness.start(
      pipeline('clicks', (p) => {
        const keyed = (name: string): KeyedPCollection<number, string> =>
          source<readonly [number, string]>(p, name)
            .window(`${name}-windows`, fixedWindows(4), { timestampCombiner: 'earliest' })
            .keyBy(`${name}-keys`, ([key]) => key)
            .mapValues(`${name}-things`, ([, value]) => value);
        capture(coGroupByKey('group', { clicks: keyed('clicks'), purchases: keyed('purchases') }));
      }),
      { shards: 1 },
    );
    await harness.send('clicks', { at: 0, value: [1, 'a'] }, { at: 2, value: [1, 'b'] }, { at: 4, value: [1, 'c'] });
    await harness.send('purchases', { at: 1, value: [1, 'x'] }, { at: 7, value: [2, 'y'] });
    await harness.finish('clicks', 'purchases');
    expect(harness.out().sort((a, b) => a.timestamp - b.timestamp)).toEqual([
      { value: { key: 1, value: { clicks: ['a', 'b'], purchases: ['x'] } }, timestamp: 0, window: [0, 4] },
      { value: { key: 1, value: { clicks: ['c'], purchases: [] } }, timestamp: 4, window: [4, 8] },
      { value: { key: 2, value: { clicks: [], purchases: ['y'] } }, timestamp: 7, window: [4, 8] },
    ]);
  });

  it('takes more than two inputs', async () => {
    const harness = await run(
      (left, right) => coGroupByKey('group', { left, right, again: left.mapValues('again', (value) => -value) }),
      [['a', 1]],
      [['a', 2]],
    );
    expect(harness.values()).toEqual([{ key: 'a', value: { left: [1], right: [2], again: [-1] } }]);
  });

  it('a pane keeps what it held when the window goes on growing', async () => {
    const harness = await Harness.start(
      pipeline('growing', (p) => {
        const keyed = (name: string): KeyedPCollection<string, number> =>
          source<number>(p, name)
            .window(`${name}-windows`, fixedWindows(10), {
              trigger: repeatedly(afterCount(1)),
              accumulation: 'accumulating',
              allowedLateness: 0,
            })
            .keyBy(`${name}-keys`, () => 'k');
        capture(coGroupByKey('group', { a: keyed('a'), b: keyed('b') }));
      }),
      { shards: 1 },
    );
    await harness.send('a', { at: 1, value: 1 });
    await harness.send('b', { at: 2, value: 2 });
    await harness.finish('a', 'b');
    expect(harness.values()).toEqual([
      { key: 'k', value: { a: [1], b: [] } },
      { key: 'k', value: { a: [1], b: [2] } },
      // On time, with nothing new.
      { key: 'k', value: { a: [1], b: [2] } },
    ]);
  });

  it('G02: refuses inputs whose windows, triggers or accumulation differ, and fewer than two', () => {
    const build = (other: (keyed: KeyedPCollection<string, string>) => KeyedPCollection<string, string>) => () =>
      pipeline('refused', (p) => {
        const keyed = source<string>(p, 'main')
          .window('windows', fixedWindows(10))
          .keyBy('key', (value) => value);
        coGroupByKey('group', { a: keyed, b: other(keyed) });
      });
    expect(build((keyed) => keyed.window('other', fixedWindows(20)))).toThrow(
      "coGroupByKey 'group': input 1 has fixedWindows(10, { offset: 0 }) and input 2 has fixedWindows(20, { offset: 0 }); window both alike before",
    );
    expect(
      build((keyed) =>
        keyed.window('other', fixedWindows(10), {
          trigger: repeatedly(afterCount(2)),
          accumulation: 'discarding',
          allowedLateness: 0,
        }),
      ),
    ).toThrow('input 2 has the trigger repeatedly(afterCount(2)); window both alike before');
    expect(build((keyed) => keyed.window('other', fixedWindows(10), { accumulation: 'accumulating' }))).toThrow(
      'input 1 is discarding and input 2 is accumulating; choose one for both',
    );
    expect(build((keyed) => keyed.window('other', sessions(10)))).toThrow('window both alike before');
    expect(() =>
      pipeline('one', (p) => {
        coGroupByKey('group', { only: source<string>(p, 'main').keyBy('key', (value) => value) });
      }),
    ).toThrow("coGroupByKey 'group': expected two inputs or more, got 1");
  });
});

describe('joins', () => {
  it('an inner join has the pairs of keys that both sides have', async () => {
    const harness = await run((left, right) => innerJoin('join', left, right), LEFT, RIGHT);
    expect(byKey(harness)).toEqual([
      { key: 'a', value: { left: 1, right: 10 } },
      { key: 'a', value: { left: 3, right: 10 } },
    ]);
  });

  it('a left join has the others of the left side too', async () => {
    const harness = await run((left, right) => leftJoin('join', left, right), LEFT, RIGHT);
    expect(byKey(harness)).toEqual([
      { key: 'a', value: { left: 1, right: 10 } },
      { key: 'a', value: { left: 3, right: 10 } },
      { key: 'b', value: { left: 2, right: null } },
    ]);
  });

  it('a full join has those of both', async () => {
    const harness = await run((left, right) => fullJoin('join', left, right), LEFT, RIGHT);
    expect(byKey(harness)).toEqual([
      { key: 'a', value: { left: 1, right: 10 } },
      { key: 'a', value: { left: 3, right: 10 } },
      { key: 'b', value: { left: 2, right: null } },
      { key: 'c', value: { left: null, right: 30 } },
    ]);
  });

  it('G01: onlyOne gives the one value, the default of none, and refuses several', () => {
    expect(onlyOne([7])).toBe(7);
    expect(onlyOne([], { default: null })).toBeNull();
    expect(() => onlyOne([])).toThrow('expected one value, got 0; give onlyOne a default, or use the list');
    expect(() => onlyOne([1, 2], { default: 0 })).toThrow('expected one value, got 2; use the list');
  });
});
