import { describe, expect, it } from 'vitest';
import {
  bagState,
  combiningState,
  emits,
  eventTimer,
  fixedWindows,
  mapState,
  max,
  mean,
  pipeline,
  sessions,
  setState,
  type StatefulDoFn,
  valueState,
} from '../../../functions/index.ts';
import { testPipeline } from '../../../functions/local/testing.ts';
import { keyed, kv, start } from './keyed-stream.ts';

/** Numbers the elements of a key and window, from 0. */
const numbering = {
  emits: emits<string>(),
  state: { seen: valueState<number>() },
  process({ key }: { key: string }, { state, output }: { state: Any; output: (value: string) => void }) {
    const seen = state.seen.read() ?? 0;
    state.seen.write(seen + 1);
    output(`${key}${seen}`);
  },
};
// biome-ignore lint/suspicious/noExplicitAny: the helper serves streams of several types
type Any = any;
type None = Record<never, never>;

describe('state is kept by step, key and window', () => {
  it('S01: each key and each window has its own', async () => {
    const test = await start((stream) => stream.window('tens', fixedWindows(10)).statefulParDo('count', numbering));
    await test.send('in', kv('hello', 0, 1), kv('hello', 0, 2), kv('goodbye', 0, 3));
    await test.send('in', kv('hello', 0, 3), kv('hello', 0, 11), kv('hello', 0, 13));
    expect([...test.outputs('count')].sort()).toEqual(['goodbye0', 'hello0', 'hello0', 'hello1', 'hello1', 'hello2']);
    expect(test.panes('count').map(({ value, window }) => [value, window.start])).toContainEqual(['hello1', 10]);
  });

  it('S02: the same name in two steps names two states', async () => {
    const adding = (by: number) => ({
      emits: emits<{ key: string; value: number }>(),
      state: { sum: valueState<number>() },
      process({ key }: { key: string }, { state, output }: { state: Any; output: (value: Any) => void }) {
        const sum = state.sum.read() ?? 0;
        state.sum.write(sum + by);
        output({ key, value: sum });
      },
    });
    const test = await start((stream) => {
      const first = stream.statefulParDo('first', adding(1));
      first
        .keyBy('again', ({ key }) => key)
        .statefulParDo('second', {
          emits: emits<number>(),
          state: { sum: valueState<number>() },
          process(_, { state, output }) {
            const sum = (state.sum.read() ?? 0) + 13;
            state.sum.write(sum);
            output(sum);
          },
        });
    });
    await test.send('in', kv('a', 0, 1), kv('a', 0, 2), kv('a', 0, 3));
    expect(test.outputs('first').map((pair) => (pair as Any).value)).toEqual([0, 1, 2]);
    expect(test.outputs('second')).toEqual([13, 26, 39]);
  });
});

describe('reads of state', () => {
  it('S03: of a bag are snapshots, and its emptiness is that of the moment it is awaited', async () => {
    const test = await start<number>((stream) =>
      stream.statefulParDo('bag', {
        emits: emits<unknown>(),
        state: { all: bagState<number>() },
        async process({ value }, { state, output }) {
          const empty = state.all.isEmpty();
          state.all.add(value);
          const isEmpty = await empty;
          const before = await state.all.read();
          if (before.length < 4) return;
          state.all.add(-1);
          output({ isEmpty, before: before.length, after: (await state.all.read()).length });
        },
      }),
    );
    await test.send('in', ...[97, 42, 84, 12].map((v, i) => kv('a', v, i)));
    expect(test.outputs('bag')).toEqual([{ isEmpty: false, before: 4, after: 5 }]);
  });

  it('a bag keeps the order in which elements were added, over bundles', async () => {
    const test = await start<number>((stream) =>
      stream.statefulParDo('bag', {
        emits: emits<string>(),
        state: { all: bagState<number>() },
        async process({ value }, { state, output }) {
          state.all.add(value);
          output((await state.all.read()).join());
        },
      }),
    );
    for (const v of [3, 1, 2]) await test.send('in', kv('a', v, v));
    expect(test.outputs('bag')).toEqual(['3', '3,1', '3,1,2']);
  });

  it('S04: a set holds each element once, and reads of it are snapshots', async () => {
    const test = await start<number>((stream) =>
      stream.statefulParDo('set', {
        emits: emits<unknown>(),
        state: { all: setState<number>(), count: valueState<number>() },
        async process({ value }, { state, output }) {
          state.all.add(value);
          const count = (state.count.read() ?? 0) + 1;
          state.count.write(count);
          if (count < 4) return;
          const before = await state.all.read();
          state.all.add(-1);
          output([[...before].sort((a, b) => a - b), (await state.all.read()).length, await state.all.has(42)]);
        },
      }),
    );
    await test.send('in', ...[97, 42, 42, 12].map((v, i) => kv('a', v, i)));
    expect(test.outputs('set')).toEqual([[[12, 42, 97], 4, true]]);
  });

  it('S05: what a map gave stays as it was, and its handles show what is', async () => {
    const test = await start<[string, number]>((stream) =>
      stream.statefulParDo('map', {
        emits: emits<unknown>(),
        state: { all: mapState<string, number>(), largest: combiningState(max()), count: valueState<number>() },
        async process({ value: [name, number] }, { state, output }) {
          state.all.put(name, number);
          state.largest.add(number);
          const count = (state.count.read() ?? 0) + 1;
          state.count.write(count);
          if (count < 3) return;
          const live = state.all.entries();
          const frozen = await live.read();
          state.all.put('max', state.largest.read()!);
          const sorted = [...(await live)].sort(([, a], [, b]) => a - b);
          output({ frozen: frozen.length, sorted, b: await state.all.get('b'), none: await state.all.get('z') });
        },
      }),
    );
    await test.send('in', kv('k', ['a', 97], 1), kv('k', ['b', 42], 2), kv('k', ['c', 12], 3));
    expect(test.outputs('map')).toEqual([
      {
        frozen: 3,
        sorted: [
          ['c', 12],
          ['b', 42],
          ['a', 97],
          ['max', 97],
        ],
        b: 42,
        none: undefined,
      },
    ]);
  });

  it('S06: putIfAbsent, computeIfAbsent and addIfAbsent take effect though nobody reads their answer', async () => {
    const test = await start<[string, number]>((stream) =>
      stream.statefulParDo('map', {
        emits: emits<unknown>(),
        state: { put: mapState<string, number>(), computed: mapState<string, number>(), names: setState<string>() },
        async process({ value: [name, number] }, { state, output }) {
          void state.put.putIfAbsent(name, number);
          void state.computed.computeIfAbsent(name, () => number);
          void state.names.addIfAbsent(name);
          output([await state.put.entries(), await state.computed.entries(), await state.names.read()]);
        },
      }),
    );
    await test.send('in', kv('k', ['a', 97], 1), kv('k', ['b', 42], 2), kv('k', ['b', 33], 3), kv('k', ['a', 12], 4));
    const entries = [
      ['a', 97],
      ['b', 42],
    ];
    expect(test.outputs('map').at(-1)).toEqual([entries, entries, ['a', 'b']]);
  });

  it('putIfAbsent answers what was there before, computeIfAbsent what is there now', async () => {
    const test = await start<number>((stream) =>
      stream.statefulParDo('map', {
        emits: emits<unknown>(),
        state: { all: mapState<string, number>(), set: setState<string>() },
        async process({ value }, { state, output }) {
          const put = await state.all.putIfAbsent('p', value);
          const computed = await state.all.computeIfAbsent('c', () => value);
          const added = await state.set.addIfAbsent('s');
          output([put, computed, added]);
        },
      }),
    );
    await test.send('in', kv('k', 1, 1), kv('k', 2, 2));
    expect(test.outputs('map')).toEqual([
      [undefined, 1, true],
      [1, 1, false],
    ]);
  });

  it('S07: combining state keeps the accumulator only, and a mean passes 0.5 once', async () => {
    const test = await start<number>(
      (stream) =>
        stream.statefulParDo('mean', {
          emits: emits<string>(),
          state: { mean: combiningState(mean()), passed: valueState<boolean>() },
          process({ value }, { state, output }) {
            state.mean.add(value);
            if (state.mean.read()! < 0.5 || state.passed.read()) return;
            state.passed.write(true);
            output('passed');
          },
        }),
      { shards: 1 },
    );
    for (const v of [0.3, 0.6, 0.6]) await test.send('in', kv('a', v, 1));
    expect(test.outputs('mean')).toEqual(['passed']);
    const [cell] = test.store.all('cells');
    expect((cell!.body as { state: string }).state.split('\n\t').slice(1).sort()).toEqual([
      'mean\tcombining\t[[-5.551115123125783e-17,1.5],3]',
      'passed\tvalue\ttrue',
    ]);
  });

  it('a value that code changes after it was written or read changes no state', async () => {
    const test = await start<number>((stream) =>
      stream.statefulParDo('value', {
        emits: emits<unknown>(),
        state: { list: valueState<number[]>() },
        process({ value }, { state, output }) {
          const list = state.list.read() ?? [];
          output([...list]);
          list.push(value);
          state.list.write(list);
          list.push(-1);
          state.list.read()!.push(-2);
        },
      }),
    );
    await test.send('in', kv('a', 1, 1), kv('a', 2, 2));
    await test.send('in', kv('a', 3, 3));
    expect(test.outputs('value')).toEqual([[], [1], [1, 2]]);
  });

  it('what is no plain JSON comes back as it was', async () => {
    const test = await start<number>((stream) =>
      stream.statefulParDo('value', {
        emits: emits<unknown>(),
        state: { last: valueState<Map<string, Date>>() },
        process(_, { state, output }) {
          output(state.last.read());
          state.last.write(new Map([['then', new Date(5)]]));
        },
      }),
    );
    await test.send('in', kv('a', 1, 1));
    await test.send('in', kv('a', 2, 2));
    expect(test.outputs('value')).toEqual([undefined, new Map([['then', new Date(5)]])]);
  });
});

describe('what cannot work is refused', () => {
  const noop = { process() {} };

  it('S10: windows that merge', () => {
    expect(() => pipeline('p', (p) => keyed(p).window('sessions', sessions(10)).statefulParDo('count', noop))).toThrow(
      "statefulParDo 'count': state cannot follow windows that merge, and sessions do; group by key first, and keep state behind that",
    );
  });

  it('S10: but sessions that a grouping has merged are windows like others', async () => {
    const test = await start<number>((stream) =>
      stream.window('sessions', sessions(10)).groupByKey('grouped').statefulParDo('count', numbering),
    );
    await test.send('in', kv('a', 1, 1), kv('a', 2, 5), kv('a', 3, 30));
    await test.drain();
    expect(test.outputs('count')).toEqual(['a0', 'a0']);
  });

  it('S09: a timer without a callback', () => {
    const doFn = { ...noop, timers: { end: eventTimer() } };
    expect(() => pipeline('p', (p) => keyed(p).statefulParDo('count', doFn))).toThrow(
      "statefulParDo 'count': the timer 'end' has no callback; add onTimer: { end(context) { … } }",
    );
  });

  it('S09: a callback of no timer', () => {
    const doFn = { ...noop, onTimer: { end: () => {} } } as unknown as StatefulDoFn<Any, Any, Any, None, None>;
    expect(() => pipeline('p', (p) => keyed(p).statefulParDo('count', doFn))).toThrow(
      "statefulParDo 'count': onTimer.end is the callback of no declared timer; add timers: { end: eventTimer() }",
    );
  });

  it('S09: state that is none', () => {
    const doFn = { ...noop, state: { seen: 1 } } as unknown as StatefulDoFn<Any, Any, Any, None, None>;
    expect(() => pipeline('p', (p) => keyed(p).statefulParDo('count', doFn))).toThrow(
      "statefulParDo 'count': state.seen is no state; declare it as valueState(), bagState() …",
    );
  });

  it('S09: a name that could not be written', () => {
    const doFn = { ...noop, state: { 'a-b': valueState<number>() } };
    expect(() => pipeline('p', (p) => keyed(p).statefulParDo('count', doFn))).toThrow(
      "statefulParDo 'count': 'a-b' cannot name state or a timer; expected letters, digits and _, such as 'lastSeen'",
    );
  });

  it('a DoFn with a life of its own that would be shared by shards', () => {
    const doFn = { ...noop, setup() {} };
    expect(() => pipeline('p', (p) => keyed(p).statefulParDo('count', doFn))).toThrow('give a function that makes one');
  });

  it('S09: state that is used but not declared, by name, with what is', async () => {
    const test = await start((stream) =>
      stream.statefulParDo('count', {
        state: { seen: valueState<number>() },
        process(_, { state }) {
          (state as Any).sene.read();
        },
      }),
    );
    await test.send('in', kv('a', 1, 1));
    expect(test.deadLetters().map(({ message }) => message)).toEqual(["'count' has no state 'sene'; it declares seen"]);
  });

  it('S09: a timer that is used but not declared', async () => {
    const test = await start((stream) =>
      stream.statefulParDo('count', {
        process(_, { timers }) {
          (timers as Any).end.set(1);
        },
      }),
    );
    await test.send('in', kv('a', 1, 1));
    expect(test.deadLetters().map(({ message }) => message)).toEqual(["'count' has no timer 'end'; it declares none"]);
  });

  it('state that is used after its callback has returned', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const test = await start<number>((stream) =>
      stream.statefulParDo('count', {
        state: { seen: valueState<number>() },
        process(_, { state }) {
          late = Promise.resolve().then(async () => {
            for (let i = 0; i < 50; i++) await undefined;
            state.seen.write(1);
          });
          late.catch(() => {});
        },
      }),
    );
    await test.send('in', kv('a', 1, 1));
    await expect(late).rejects.toThrow('state or a timer is used after its callback has returned');
  });
});

describe('late elements and the end of windows', () => {
  it('S11: an element is late exactly when the watermark is past its window and allowed lateness', async () => {
    const test = await start<number>((stream) =>
      stream
        .window('tens', fixedWindows(10), { allowedLateness: 5, accumulation: 'discarding' })
        .statefulParDo('count', numbering),
    );
    await test.advanceWatermark(14);
    await test.send('in', kv('a', 1, 3));
    await test.advanceWatermark(15);
    await test.send('in', kv('a', 2, 3), kv('a', 3, 12));
    expect(test.outputs('count')).toEqual(['a0', 'a0']);
    expect(test.late('count')).toEqual([
      {
        key: 'a',
        value: 2,
        count: 1,
        timestamp: 3,
        window: { start: 0, end: 10 },
        watermark: 15,
        reason: 'expired',
      },
    ]);
    expect(test.deadLetters()).toEqual([]);
  });

  it('late elements are read where the author reads them', async () => {
    const test = await start<number>((stream) => {
      const counted = stream.window('tens', fixedWindows(10)).statefulParDo('count', numbering);
      counted.late().map('too-late', ({ value }) => value);
    });
    await test.advanceWatermark(10);
    await test.send('in', kv('a', 7, 3));
    expect(test.outputs('too-late')).toEqual([7]);
    expect(test.late('count')).toHaveLength(1);
    expect(test.store.size('deadLetters')).toBe(0);
  });

  it('S12: a timer at the last permitted instant still sees the state, and past it the state is gone', async () => {
    const test = await start<number>((stream) =>
      stream
        .window('tens', fixedWindows(10), { allowedLateness: 5, accumulation: 'discarding' })
        .statefulParDo('last', {
          emits: emits<string>(),
          state: { seen: valueState<number>() },
          timers: { last: eventTimer() },
          process({ value }, { state, timers, window }) {
            state.seen.write(value);
            if (window.start === 0) timers.last.set(14);
          },
          onTimer: {
            last({ state, output }) {
              output(`still ${state.seen.read()}`);
            },
          },
        }),
    );
    await test.send('in', kv('a', 7, 3), kv('a', 8, 12));
    await test.advanceWatermark(14);
    expect(test.outputs('last')).toEqual([]);
    await test.advanceWatermark(15);
    expect(test.outputs('last')).toEqual(['still 7']);
    const [cell] = test.store.all('cells');
    expect((cell!.body as { state: string }).state).toBe('[10,20]\n\tseen\tvalue\t8');
  });

  it('S13: at a window’s expiration its state can be read, and what is emitted has its last instant', async () => {
    const test = await start<number>((stream) => {
      const counting = {
        emits: emits<string>(),
        state: { seen: valueState<number>() },
        process(_: unknown, { state }: { state: Any }) {
          state.seen.write((state.seen.read() ?? 0) + 1);
        },
        onWindowExpiration({ key, state, output }: { key: string; state: Any; output: (value: string) => void }) {
          output(`${key}${state.seen.read()}`);
        },
      };
      stream.window('tens', fixedWindows(10)).statefulParDo('windowed', counting);
      stream.statefulParDo('global', counting);
    });
    await test.send('in', kv('a', 0, 1), kv('a', 0, 11), kv('b', 0, 2));
    await test.advanceWatermark(9);
    expect(test.outputWatermark('windowed')).toBe(9);
    await test.advanceWatermark(10);
    expect(
      test
        .panes('windowed')
        .map(({ value, timestamp, window }) => [value, timestamp, window.end])
        .sort(),
    ).toEqual([
      ['a1', 9, 10],
      ['b1', 9, 10],
    ]);
    await test.drain();
    expect(test.outputs('windowed').length).toBe(3);
    expect([...test.outputs('global')].sort()).toEqual(['a2', 'b1']);
    expect(test.panes('global').map(({ timestamp }) => timestamp)).toEqual([
      8.64e15 - 86_400_000,
      8.64e15 - 86_400_000,
    ]);
    expect(test.remains()).toEqual([]);
  });

  it('S13: until then the watermark waits at the window’s last instant', async () => {
    const test = await start<number>((stream) =>
      stream
        .window('tens', fixedWindows(10), { allowedLateness: 5, accumulation: 'discarding' })
        .statefulParDo('count', {
          emits: emits<string>(),
          process() {},
          onWindowExpiration: ({ output }) => output('expired'),
        }),
    );
    await test.send('in', kv('a', 0, 1));
    await test.advanceWatermark(14);
    expect(test.outputWatermark('count')).toBe(9);
    await test.advanceWatermark(15);
    expect(test.outputWatermark('count')).toBe(15);
    expect(test.outputs('count')).toEqual(['expired']);
  });

  it('S13: a failure there is a dead letter with the state, and the window is gone', async () => {
    const test = await start<number>((stream) =>
      stream.window('tens', fixedWindows(10)).statefulParDo('count', {
        state: { seen: valueState<number>() },
        process: ({ value }, { state }) => state.seen.write(value),
        onWindowExpiration() {
          throw new Error('no');
        },
      }),
    );
    await test.send('in', kv('a', 7, 1));
    await test.drain();
    expect(test.deadLetters()).toMatchObject([
      {
        kind: 'firing',
        stage: 'count',
        key: 'a',
        message: 'no',
        windows: [{ start: 0, end: 10 }],
        timer: { callback: 'onWindowExpiration' },
        value: { seen: '7' },
      },
    ]);
    expect(test.outputWatermark('count')).toBe(8.64e15);
    expect(test.remains()).toEqual([]);
  });
});

describe('the life of a stateful DoFn', () => {
  it('L01: it is set up before the first element and torn down at the end, once a shard', async () => {
    const calls: string[] = [];
    class Calls implements StatefulDoFn<string, number, string, None, None> {
      setup() {
        calls.push('setup');
      }
      process() {
        calls.push('process');
      }
      teardown() {
        calls.push('teardown');
      }
    }
    const test = await start<number>((stream) => stream.statefulParDo('calls', () => new Calls()), { shards: 1 });
    await test.send('in', kv('a', 1, 1), kv('a', 1, 2));
    await test.drain();
    expect(calls).toEqual(['setup', 'process', 'process', 'teardown']);
  });
});

describe('one bundle', () => {
  it('takes a failing element out and keeps what the others did', async () => {
    const test = await start<number>((stream) =>
      stream.statefulParDo('count', {
        emits: emits<number>(),
        state: { sum: valueState<number>() },
        process({ value }, { state, output }) {
          const sum = (state.sum.read() ?? 0) + value;
          state.sum.write(sum);
          output(sum);
          if (value === 2) throw new Error('two');
        },
      }),
    );
    await test.send('in', kv('a', 1, 1), kv('a', 2, 2), kv('a', 4, 4));
    expect(test.outputs('count')).toEqual([1, 5]);
    expect(test.deadLetters()).toMatchObject([
      { kind: 'element', stage: 'count', step: 'count', message: 'two', value: { key: 'a', value: 2 } },
    ]);
  });

  it('S12: memory returns to zero', async () => {
    const test = await testPipeline(
      pipeline('p', (p) =>
        keyed<number>(p)
          .window('tens', fixedWindows(10))
          .statefulParDo('all', {
            state: {
              value: valueState<number>(),
              bag: bagState<number>(),
              set: setState<number>(),
              map: mapState<number, number>(),
              mean: combiningState(mean()),
            },
            timers: { end: eventTimer() },
            process({ value }, { state, timers, window }) {
              state.value.write(value);
              state.bag.add(value);
              state.set.add(value);
              state.map.put(value, value);
              state.mean.add(value);
              timers.end.set(window.end - 1);
            },
            onTimer: { end() {} },
          }),
      ),
    );
    await test.send('in', ...Array.from({ length: 100 }, (_, i) => kv(`k${i % 7}`, i, i)));
    expect(test.store.size('cells')).toBe(7);
    await test.drain();
    expect(test.remains()).toEqual([]);
  });
});
