import { describe, expect, it } from 'vitest';
import type { KeyedPCollection, PCollection } from '../../../functions/model/collection.ts';
import type { SideContext } from '../../../functions/model/dofn.ts';
import { pipeline } from '../../../functions/model/pipeline.ts';
import type { SideInputs, View } from '../../../functions/model/views.ts';
import { fixedWindows } from '../../../functions/model/windows.ts';
import { capture, Harness, source } from './harness.ts';

type Pair = readonly [string, number];

/** Reads a view of the side input with every element of the main input. */
async function read<T>(
  view: (side: KeyedPCollection<string, number>) => View<T>,
  use: (seen: T, element: string) => unknown,
  side: readonly Pair[],
  main: readonly string[] = ['x'],
): Promise<Harness> {
  const harness = await Harness.start(
    pipeline('reading', (p) => {
      const keyed = source<Pair>(p, 'side')
        .window('side-windows', fixedWindows(10))
        .keyBy('key', ([key]) => key)
        .mapValues('value', ([, value]) => value);
      const seen = view(keyed);
      const process = async (element: string, context: SideContext<unknown, SideInputs>): Promise<void> =>
        context.output(await use(context.sideInput(seen), element));
      const joined: PCollection<unknown> = source<string>(p, 'main')
        .window('main-windows', fixedWindows(10))
        .parDo('join', { process }, { sideInputs: { seen } });
      capture(joined);
    }),
    { shards: 1 },
  );
  await harness.send('side', ...side.map((value, i) => ({ at: i, value })));
  await harness.send('main', ...main.map((value) => ({ at: 5, value })));
  await harness.finish('side', 'main');
  expect(harness.remains()).toEqual([]);
  return harness;
}

async function all<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const element of iterable) found.push(element);
  return found;
}

const values = (side: KeyedPCollection<string, number>) => side.values('values');

describe('singleton', () => {
  it('shows the one element of a window', async () => {
    const harness = await read(
      (side) => values(side).asSingleton('view'),
      (value) => value + 1,
      [['a', 41]],
    );
    expect(harness.values()).toEqual([42]);
  });

  it('SI08: of no element it shows the default', async () => {
    const harness = await read(
      (side) => values(side).asSingleton('view', { default: null }),
      (value) => [value],
      [],
    );
    expect(harness.values()).toEqual([[null]]);
  });

  it('SI08: of no element and without a default, the element that reads it fails', async () => {
    const harness = await read(
      (side) => values(side).asSingleton('view'),
      (value) => value,
      [],
    );
    expect(harness.deadLetters()).toMatchObject([
      {
        step: 'join',
        kind: 'element',
        code: 'VIEW_SHAPE',
        message:
          "view 'view' has no element for [1970-01-01T00:00:00.000Z, 1970-01-01T00:00:00.010Z) and no default; write asSingleton(…, { default: … })",
        value: 'x',
      },
    ]);
  });

  it('SI08: of several elements it is a dead letter itself, and so are the elements that read it', async () => {
    const harness = await read(
      (side) => values(side).asSingleton('view'),
      (value) => value,
      [
        ['a', 1],
        ['b', 2],
      ],
    );
    const message =
      "view 'view': a singleton takes one element in a window and got 2; combine them before, for example with latest(…), or use asList";
    expect(harness.deadLetters()).toMatchObject([
      { stage: 'view', kind: 'firing', code: 'VIEW_SHAPE', message, count: 2, value: { elements: 2 } },
      { stage: 'join', kind: 'element', code: 'VIEW_SHAPE', message, count: 1, value: 'x' },
    ]);
    expect(harness.embedded.counts.get('view')).toMatchObject({ elements: 2, deadLetters: 2 });
  });
});

describe('list and iterable', () => {
  const SIDE: readonly Pair[] = [
    ['a', 1],
    ['b', 2],
    ['a', 3],
  ];

  it('a list has all elements', async () => {
    const harness = await read(
      (side) => values(side).asList('view'),
      (list) => list,
      SIDE,
    );
    expect(harness.values()).toEqual([[1, 2, 3]]);
  });

  it('SI09: a list cannot be changed, nor can what is in it', async () => {
    const harness = await read(
      (side) => side.asList('view'),
      (list, element) => {
        if (element === 'push') (list as unknown[]).push(0);
        if (element === 'set') (list[0] as { value: number }).value = 0;
        return list.map(({ value }) => value);
      },
      SIDE,
      ['push', 'set', 'look'],
    );
    expect(harness.values()).toEqual([[1, 2, 3]]);
    expect(harness.deadLetters().map(({ value, errorClass }) => [value, errorClass])).toEqual([
      ['push', 'TypeError'],
      ['set', 'TypeError'],
    ]);
  });

  it('an iterable has all elements, as often as it is asked', async () => {
    const harness = await read(
      (side) => values(side).asIterable('view'),
      async (iterable) => [await all(iterable), await all(iterable)],
      SIDE,
    );
    expect(harness.values()).toEqual([
      [
        [1, 2, 3],
        [1, 2, 3],
      ],
    ]);
  });

  it('of no element both are empty', async () => {
    const list = await read(
      (side) => values(side).asList('view'),
      (seen) => seen,
      [],
    );
    const iterable = await read(
      (side) => values(side).asIterable('view'),
      (seen) => all(seen),
      [],
    );
    expect([list.values(), iterable.values()]).toEqual([[[]], [[]]]);
  });
});

describe('map and multimap', () => {
  it('a map has a value for each key', async () => {
    const harness = await read(
      (side) => side.asMap('view'),
      async (map, key) => [key, (await map.get(key)) ?? null, await map.has(key), map.size],
      [
        ['a', 1],
        ['b', 2],
      ],
      ['a', 'b', 'c'],
    );
    expect(harness.values()).toEqual([
      ['a', 1, true, 2],
      ['b', 2, true, 2],
      ['c', null, false, 2],
    ]);
  });

  it('SI09: a map refuses two values of a key, and says what to do', async () => {
    const harness = await read(
      (side) => side.asMap('view'),
      (map) => map.get('a'),
      [
        ['a', 1],
        ['b', 2],
        ['a', 3],
      ],
    );
    expect(harness.deadLetters().map(({ kind, message }) => [kind, message])).toEqual([
      [
        'firing',
        `view 'view': the key "a" came twice in a window; combine the values of a key before, for example with latest(…), or use asMultimap`,
      ],
      [
        'element',
        `view 'view': the key "a" came twice in a window; combine the values of a key before, for example with latest(…), or use asMultimap`,
      ],
    ]);
  });

  it('a multimap has all values of a key', async () => {
    const harness = await read(
      (side) => side.asMultimap('view'),
      async (map, key) => [key, await map.get(key), await map.has(key), map.size],
      [
        ['a', 1],
        ['b', 2],
        ['a', 3],
      ],
      ['a', 'b', 'c'],
    );
    expect(harness.values()).toEqual([
      ['a', [1, 3], true, 3],
      ['b', [2], true, 3],
      ['c', [], false, 3],
    ]);
  });

  it('SI09: what a map gives is not shared, so nobody can change what others get', async () => {
    const harness = await read(
      (side) => side.mapValues('boxed', (value) => ({ value })).asMap('view'),
      async (map) => {
        const box = (await map.get('a'))!;
        box.value += 1;
        return box.value;
      },
      [['a', 1]],
      ['x', 'y'],
    );
    expect(harness.values()).toEqual([2, 2]);
  });

  it('entries are all there, in maps of one and of many chunks', async () => {
    const many = Array.from({ length: 3_000 }, (_, i): Pair => [`key-${i}-${'x'.repeat(100)}`, i]);
    for (const [side, total] of [
      [
        [
          ['a', 1],
          ['b', 2],
        ] as Pair[],
        3,
      ],
      [many, 4_498_500],
    ] as const) {
      const harness = await read(
        (keyed) => keyed.window('one', fixedWindows('1h')).asMap('view'),
        async (map) => {
          let sum = 0;
          for await (const [key, value] of map.entries()) if ((await map.get(key)) === value) sum += value;
          return sum;
        },
        side,
      );
      expect(harness.values()).toEqual([total]);
    }
  });
});
