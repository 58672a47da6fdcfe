/** State that outgrows its cell, and what each operation reads and writes. */
import { describe, expect, it } from 'vitest';
import {
  bagState,
  emits,
  eventTimer,
  eventTimerFamily,
  fixedWindows,
  mapState,
  setState,
  valueState,
} from '../../../functions/index.ts';
import type { TestPipeline } from '../../../functions/local/testing.ts';
import { kv, start } from './keyed-stream.ts';

const LONG = 'x'.repeat(1_000);

/** What one step of a test reads and writes of cells and parts; roots and outboxes are left out. */
async function counted(
  test: TestPipeline,
  step: () => Promise<void>,
): Promise<{ cells: number; partsRead: number; partsWritten: number; partsDeleted: number }> {
  const { store } = test;
  const counts = { cells: 0, partsRead: 0, partsWritten: 0, partsDeleted: 0 };
  const { get, commit } = store;
  store.get = async (collection, ids) => {
    if (collection === 'parts') counts.partsRead += ids.length;
    return get.call(store, collection, ids);
  };
  store.commit = async (batch) => {
    for (const { collection } of batch.sets) {
      if (collection === 'cells') counts.cells += 1;
      if (collection === 'parts') counts.partsWritten += 1;
    }
    for (const { collection } of batch.deletes) if (collection === 'parts') counts.partsDeleted += 1;
    return commit.call(store, batch);
  };
  await step();
  store.get = get;
  store.commit = commit;
  return counts;
}

/** A step whose elements say what to do. */
type Order =
  | { readonly do: 'add'; readonly from: number; readonly to: number }
  | { readonly do: 'read' | 'clear' | 'isEmpty' }
  | { readonly do: 'get' | 'has' | 'remove' | 'putIfAbsent'; readonly at: number };

function bagStep(stream: Parameters<Parameters<typeof start<Order>>[0]>[0]) {
  stream.statefulParDo('bag', {
    emits: emits<unknown>(),
    state: { all: bagState<string>() },
    async process({ value }, { state, output }) {
      if (value.do === 'add') for (let i = value.from; i < value.to; i++) state.all.add(`${i} ${LONG}`);
      if (value.do === 'read') output((await state.all.read()).map((text) => Number.parseInt(text, 10)));
      if (value.do === 'isEmpty') output(await state.all.isEmpty());
      if (value.do === 'clear') state.all.clear();
    },
  });
}

describe('a bag', () => {
  it('that outgrows its cell goes into parts, is added to without a read, and read in order', async () => {
    const test = await start<Order>(bagStep, { shards: 1, watch: ['bag'] });
    for (let i = 0; i < 10; i++)
      expect(
        await counted(test, () => test.send('in', kv('k', { do: 'add', from: i * 20, to: i * 20 + 20 }, 1))),
      ).toMatchObject({ partsRead: 0, cells: 1 });
    expect(test.store.size('parts')).toBe(5);
    for (const { body } of test.store.all('cells'))
      expect((body as { state: string }).state.length).toBeLessThan(33_000);
    await test.send('in', kv('k', { do: 'read' }, 1));
    expect(test.outputs('bag')).toEqual([Array.from({ length: 200 }, (_, i) => i)]);
  });

  it('is known to be empty or not without a read, and cleared without one', async () => {
    const test = await start<Order>(bagStep, { shards: 1, troubles: { crashAfterCommits: true }, watch: ['bag'] });
    await test.send('in', kv('k', { do: 'add', from: 0, to: 100 }, 1));
    const asked = await counted(test, () => test.send('in', kv('k', { do: 'isEmpty' }, 1)));
    const cleared = await counted(test, () => test.send('in', kv('k', { do: 'clear' }, 1)));
    const again = await counted(test, () => test.send('in', kv('k', { do: 'isEmpty' }, 1)));
    expect(test.outputs('bag')).toEqual([false, true]);
    expect(asked.partsRead).toBe(0);
    expect(cleared).toMatchObject({ partsRead: 0, partsDeleted: 1, partsWritten: 0 });
    expect(again.partsRead).toBe(0);
    expect(test.store.size('parts')).toBe(0);
  });

  it('is read with one read a part, where nothing is cached', async () => {
    const test = await start<Order>(bagStep, { shards: 1, troubles: { crashAfterCommits: true }, watch: ['bag'] });
    for (let i = 0; i < 4; i++) await test.send('in', kv('k', { do: 'add', from: i * 40, to: i * 40 + 40 }, 1));
    expect(test.store.size('parts')).toBe(4);
    const read = await counted(test, () => test.send('in', kv('k', { do: 'read' }, 1)));
    expect(read).toMatchObject({ partsRead: 4, partsWritten: 0 });
    expect(test.outputs('bag')).toEqual([Array.from({ length: 160 }, (_, i) => i)]);
  });
});

function mapStep(stream: Parameters<Parameters<typeof start<Order>>[0]>[0]) {
  stream.statefulParDo('map', {
    emits: emits<unknown>(),
    state: { all: mapState<string, string>(), names: setState<string>() },
    async process({ value }, { state, output }) {
      if (value.do === 'add')
        for (let i = value.from; i < value.to; i++) {
          state.all.put(`key ${i}`, `${i} ${LONG.slice(0, 200)}`);
          state.names.add(`name ${i} ${LONG.slice(0, 100)}`);
        }
      if (value.do === 'get') output((await state.all.get(`key ${value.at}`))?.slice(0, 6).trim());
      if (value.do === 'has') output(await state.names.has(`name ${value.at} ${LONG.slice(0, 100)}`));
      if (value.do === 'remove') state.all.remove(`key ${value.at}`);
      if (value.do === 'putIfAbsent')
        output((await state.all.putIfAbsent(`key ${value.at}`, 'new'))?.slice(0, 6).trim());
      if (value.do === 'read') output([(await state.all.keys()).length, (await state.names.read()).length]);
      if (value.do === 'isEmpty') output([await state.all.isEmpty(), await state.names.isEmpty()]);
      if (value.do === 'clear') {
        state.all.clear();
        state.names.clear();
      }
    },
  });
}

describe('a map and a set', () => {
  const options = { shards: 1, troubles: { crashAfterCommits: true }, watch: ['map'] };

  it('that outgrow their cell answer one key with one read', async () => {
    const test = await start<Order>(mapStep, options);
    for (let i = 0; i < 10; i++) await test.send('in', kv('k', { do: 'add', from: i * 100, to: i * 100 + 100 }, 1));
    expect(test.store.size('parts')).toBeGreaterThan(20);
    for (const at of [0, 500, 999, 1_000]) {
      const get = await counted(test, () => test.send('in', kv('k', { do: 'get', at }, 1)));
      const has = await counted(test, () => test.send('in', kv('k', { do: 'has', at }, 1)));
      expect(get.partsRead).toBeLessThanOrEqual(1);
      expect(has.partsRead).toBeLessThanOrEqual(1);
    }
    expect(test.outputs('map')).toEqual(['0 xxxx', true, '500 xx', true, '999 xx', true, undefined, false]);
    await test.send('in', kv('k', { do: 'read' }, 1));
    expect(test.outputs('map').at(-1)).toEqual([1_000, 1_000]);
  });

  it('are written to without a read until the cell is full', async () => {
    const test = await start<Order>(mapStep, options);
    for (let i = 0; i < 10; i++) await test.send('in', kv('k', { do: 'add', from: i * 100, to: i * 100 + 100 }, 1));
    let parts = 0;
    for (let i = 0; i < 10; i++) {
      const put = await counted(test, () => test.send('in', kv('k', { do: 'add', from: i, to: i + 1 }, 1)));
      parts += put.partsRead;
      expect(put.cells).toBe(1);
    }
    expect(parts).toBe(0);
  });

  it('know what was replaced and removed', async () => {
    const test = await start<Order>(mapStep, options);
    await test.send('in', kv('k', { do: 'add', from: 0, to: 500 }, 1));
    await test.send('in', kv('k', { do: 'remove', at: 17 }, 1));
    await test.send('in', kv('k', { do: 'get', at: 17 }, 1));
    await test.send('in', kv('k', { do: 'putIfAbsent', at: 18 }, 1));
    await test.send('in', kv('k', { do: 'putIfAbsent', at: 17 }, 1));
    await test.send('in', kv('k', { do: 'get', at: 17 }, 1), kv('k', { do: 'get', at: 18 }, 1));
    await test.send('in', kv('k', { do: 'read' }, 1));
    expect(test.outputs('map')).toEqual([undefined, '18 xxx', undefined, 'new', '18 xxx', [500, 500]]);
  });

  it('are cleared without a read, and empty then', async () => {
    const test = await start<Order>(mapStep, options);
    await test.send('in', kv('k', { do: 'add', from: 0, to: 500 }, 1));
    const parts = test.store.size('parts');
    const cleared = await counted(test, () => test.send('in', kv('k', { do: 'clear' }, 1)));
    expect(cleared).toMatchObject({ partsRead: 0, partsDeleted: parts, partsWritten: 0 });
    await test.send('in', kv('k', { do: 'isEmpty' }, 1));
    await test.send('in', kv('k', { do: 'add', from: 3, to: 4 }, 1), kv('k', { do: 'isEmpty' }, 1));
    await test.send('in', kv('k', { do: 'read' }, 1));
    expect(test.outputs('map')).toEqual([
      [true, true],
      [false, false],
      [1, 1],
    ]);
  });

  it('a putIfAbsent that nobody awaits takes effect once its part was read, unless something newer was put', async () => {
    const test = await start<number>(
      (stream) =>
        stream.statefulParDo('map', {
          emits: emits<unknown>(),
          state: { all: mapState<number, string>() },
          async process({ value }, { state, output }) {
            if (value === 0) for (let i = 0; i < 1_000; i++) state.all.put(i, LONG.slice(0, 100));
            if (value === 1) {
              void state.all.putIfAbsent(5, 'no');
              void state.all.putIfAbsent(5_000, 'first');
              void state.all.putIfAbsent(5_000, 'second');
              void state.all.putIfAbsent(6_000, 'older');
              state.all.put(6_000, 'newer');
              void state.all.putIfAbsent(7_000, 'gone');
              state.all.remove(7_000);
            }
            if (value === 2)
              output([
                (await state.all.get(5))?.length,
                await state.all.get(5_000),
                await state.all.get(6_000),
                await state.all.get(7_000),
              ]);
            if (value === 3) {
              void state.all.putIfAbsent(8_000, 'before');
              state.all.clear();
              output((await state.all.keys()).length);
            }
          },
        }),
      options,
    );
    for (const value of [0, 1, 2, 3]) await test.send('in', kv('k', value, 1));
    expect(test.outputs('map')).toEqual([[100, 'first', 'newer', undefined], 0]);
  });
});

describe('windows and values', () => {
  it('of which a key has very many move into parts, and come back when they are needed', async () => {
    const test = await start<number>(
      (stream) =>
        stream.window('tens', fixedWindows(10)).statefulParDo('sum', {
          emits: emits<string>(),
          state: { sum: valueState<number>(), note: valueState<string>() },
          timers: { end: eventTimer() },
          process({ value }, { state, timers, window }) {
            state.sum.write((state.sum.read() ?? 0) + value);
            state.note.write(LONG.slice(0, 500));
            timers.end.set(window.end - 1);
          },
          onTimer: { end: ({ window, state, output }) => output(`${window.start}=${state.sum.read()}`) },
        }),
      { shards: 1, watch: ['sum'], troubles: { crashAfterCommits: true } },
    );
    const times = Array.from({ length: 300 }, (_, i) => i * 10);
    await test.send('in', ...times.map((at) => kv('k', 1, at)));
    await test.send('in', ...times.map((at) => kv('k', 2, at + 1)));
    expect(test.store.size('parts')).toBeGreaterThan(200);
    expect(test.outputWatermark('sum')).toBe(-8.64e15);
    await test.advanceWatermark(1_000);
    expect(test.outputs('sum')).toEqual(times.slice(0, 100).map((at) => `${at}=3`));
    await test.drain();
    expect(test.outputs('sum')).toEqual(times.map((at) => `${at}=3`));
    expect(test.remains()).toEqual([]);
  });

  it('that are too large by themselves are refused with their size', async () => {
    const test = await start<number>((stream) =>
      stream.statefulParDo('large', {
        state: { text: valueState<string>(), bag: bagState<string>() },
        process({ value }, { state }) {
          if (value < 3) state.bag.add('é'.repeat(value * 100_000));
          else state.text.write('x'.repeat(262_143));
        },
      }),
    );
    await test.send('in', kv('k', 1, 1), kv('k', 2, 1), kv('k', 3, 1));
    expect(test.deadLetters().map(({ code, message }) => [code, message])).toEqual([
      ['TOO_LARGE', "state.bag of 'large' has 400002 bytes, above the limit of 262144"],
      ['TOO_LARGE', "state.text of 'large' has 262145 bytes, above the limit of 262144"],
    ]);
  });

  it('that together are too large for the cell refuse the element that makes them so, and no other', async () => {
    const test = await start<number>((stream) =>
      stream.statefulParDo('large', {
        emits: emits<number>(),
        state: { a: valueState<string>(), b: valueState<string>() },
        process({ value }, { state, output }) {
          if (value === 1) state.a.write('x'.repeat(200_000));
          if (value === 2) state.b.write('x'.repeat(200_000));
          output(value);
        },
      }),
    );
    await test.send('in', kv('k', 1, 1), kv('k', 2, 1), kv('k', 3, 1));
    expect(test.outputs('large')).toEqual([1, 3]);
    expect(test.deadLetters().map(({ code, message, value }) => [code, message, value])).toEqual([
      [
        'TOO_LARGE',
        `the state of key "k" in 'large' has 400060 bytes, above the limit of 300000`,
        { key: 'k', value: 2 },
      ],
    ]);
  });
});

describe('timers', () => {
  const family = (stream: Parameters<Parameters<typeof start<[number, number][]>>[0]>[0]) =>
    stream.statefulParDo('family', {
      emits: emits<string>(),
      timers: { each: eventTimerFamily() },
      process({ value }, { timers }) {
        for (const [tag, at] of value) {
          if (at < 0) timers.each.clear(`${tag}`);
          else timers.each.set(`${tag}`, at);
        }
      },
      onTimer: { each: ({ tag, firedAt, output }) => output(`${tag}@${firedAt}`) },
    });
  const options = { shards: 1, watch: ['family'], troubles: { crashAfterCommits: true } };

  it('of which a key has very many move into parts and come out in the order of their times', async () => {
    const test = await start(family, options);
    // 3,000 timers; 7 and 3,000 have no common divisor, so each time comes once and in disorder.
    const all = Array.from({ length: 3_000 }, (_, i): [number, number] => [i, 1 + ((i * 7) % 3_000)]);
    for (let i = 0; i < 3; i++) await test.send('in', kv('k', all.slice(i * 1_000, (i + 1) * 1_000), 0));
    expect(test.store.size('parts')).toBeGreaterThan(10);
    await test.advanceWatermark(1);
    expect(test.outputWatermark('family')).toBe(1);
    await test.advanceWatermark(1_501);
    const at = test.outputs('family').map((text) => Number((text as string).split('@')[1]));
    expect(at).toEqual(Array.from({ length: 1_500 }, (_, i) => i + 1));
    expect(test.outputWatermark('family')).toBe(1_501);
    await test.drain();
    expect(test.outputs('family').length).toBe(3_000);
    expect(test.remains()).toEqual([]);
  });

  it('that lie in parts can be set again and cleared', async () => {
    const test = await start(family, options);
    const all = Array.from({ length: 1_500 }, (_, i): [number, number] => [i, 10_000 + i]);
    await test.send('in', kv('k', all, 0));
    const again = await counted(test, () =>
      test.send(
        'in',
        kv(
          'k',
          [
            [1_400, 5],
            [1_401, -1],
            [1_402, 20_000],
            [1_403, -1],
            [1_403, 6],
          ],
          0,
        ),
      ),
    );
    expect(again.partsRead).toBeGreaterThan(0);
    await test.advanceWatermark(100);
    expect(test.outputs('family')).toEqual(['1400@5', '1403@6']);
    await test.drain();
    const rest = test.outputs('family').slice(2);
    expect(rest.length).toBe(1_497);
    expect(rest.at(-1)).toBe('1402@20000');
    expect(new Set(rest).size).toBe(1_497);
    expect(test.remains()).toEqual([]);
  });
});

describe('many keys with much state each, due at once', () => {
  it('are written in bundles of bounded size', async () => {
    const test = await start<number>(
      (stream) =>
        stream.statefulParDo('heavy', {
          emits: emits<string>(),
          state: { text: valueState<string>() },
          timers: { t: eventTimer() },
          process({ value }, { state, timers }) {
            state.text.write('x'.repeat(value));
            timers.t.set(10);
          },
          onTimer: { t: ({ key, state, output }) => output(`${key} ${state.text.read()!.length}`) },
        }),
      { shards: 1, watch: ['heavy'] },
    );
    for (let i = 0; i < 100; i++) await test.send('in', kv(`k${i}`, 30_000, 1));
    const { store } = test;
    const { commit } = store;
    let largest = 0;
    store.commit = async (batch) => {
      largest = Math.max(largest, JSON.stringify(batch.sets).length);
      return commit.call(store, batch);
    };
    await test.advanceWatermark(20);
    expect(test.outputs('heavy').length).toBe(100);
    expect(largest).toBeGreaterThan(400_000);
    expect(largest).toBeLessThan(600_000);
  });
});

describe('a read of the store that fails', () => {
  it('is not blamed on user code', async () => {
    const test = await start<Order>(bagStep, { shards: 1, watch: ['bag'], troubles: { crashAfterCommits: true } });
    await test.send('in', kv('k', { do: 'add', from: 0, to: 100 }, 1));
    const { store } = test;
    const { get } = store;
    let failures = 2;
    store.get = async (collection, ids) => {
      if (collection === 'parts' && failures-- > 0)
        throw new (await import('../../../functions/index.ts')).RetryableError('down');
      return get.call(store, collection, ids);
    };
    await test.send('in', kv('k', { do: 'read' }, 1));
    expect(failures).toBeLessThan(0);
    expect(test.outputs('bag')).toEqual([Array.from({ length: 100 }, (_, i) => i)]);
    expect(test.deadLetters()).toEqual([]);
  });
});
