import { describe, expect, it } from 'vitest';
import {
  bagState,
  emits,
  eventTimer,
  eventTimerFamily,
  fixedWindows,
  globalWindow,
  pipeline,
  processingTimer,
  slidingWindows,
  type Timer,
  valueState,
} from '../../../functions/index.ts';
import { testPipeline } from '../../../functions/local/testing.ts';
import { keyed, kv, start } from './keyed-stream.ts';

/** A step that emits 3 for an element, sets a timer as it is told, and emits 42 when the timer fires. */
function threeThen42(spec: ReturnType<typeof eventTimer>, set: (timer: Timer) => void) {
  return {
    emits: emits<number>(),
    timers: { t: spec },
    process(_: unknown, { timers, output }: { timers: { t: Timer }; output: (value: number) => void }) {
      output(3);
      set(timers.t);
    },
    onTimer: { t: ({ output }: { output: (value: number) => void }) => output(42) },
  };
}

describe('setting and clearing', () => {
  it.each([
    ['event', eventTimer],
    ['processing', processingTimer],
  ] as const)('T01: an %s timer that is set a second ahead fires after a second', async (clock, timer) => {
    const test = await start((stream) =>
      stream.statefulParDo(
        'timed',
        threeThen42(timer(), (t) => t.offset('1s').setRelative()),
      ),
    );
    await test.advanceWatermark(0);
    await test.send('in', kv('a', 0, 0));
    if (clock === 'event') await test.advanceWatermark(1_000);
    else await test.advanceProcessingTime(1_000);
    expect(test.outputs('timed')).toEqual([3]);
    if (clock === 'event') await test.advanceWatermark(1_001);
    else await test.advanceProcessingTime(1);
    expect(test.outputs('timed')).toEqual([3, 42]);
  });

  it.each([
    ['event', eventTimer],
    ['processing', processingTimer],
  ] as const)('T02: an %s timer that is set twice fires once, as it was set last', async (clock, timer) => {
    const test = await start((stream) =>
      stream.statefulParDo(
        'timed',
        threeThen42(timer(), (t) => {
          t.offset('1s').setRelative();
          t.offset('5s').setRelative();
        }),
      ),
    );
    const advance = (by: number) =>
      clock === 'event' ? test.advanceWatermark(by) : test.advanceProcessingTime(by - test.now);
    await test.send('in', kv('a', 0, 0));
    await advance(4_000);
    expect(test.outputs('timed')).toEqual([3]);
    await advance(6_000);
    await advance(60_000);
    expect(test.outputs('timed')).toEqual([3, 42]);
  });

  it.each([
    ['event', eventTimer],
    ['processing', processingTimer],
  ] as const)('T02: an %s timer that is set earlier the second time fires early', async (clock, timer) => {
    const test = await start((stream) =>
      stream.statefulParDo(
        'timed',
        threeThen42(timer(), (t) => {
          t.offset('50s').setRelative();
          t.offset('5s').setRelative();
        }),
      ),
    );
    const advance = (by: number) =>
      clock === 'event' ? test.advanceWatermark(by) : test.advanceProcessingTime(by - test.now);
    await test.send('in', kv('a', 0, 0));
    await advance(6_000);
    expect(test.outputs('timed')).toEqual([3, 42]);
    await advance(60_000);
    expect(test.outputs('timed')).toEqual([3, 42]);
  });

  it('T03, T04: a timer that is cleared does not fire, and clearing one that is not set does nothing', async () => {
    const test = await start((stream) => {
      stream.statefulParDo(
        'cleared',
        threeThen42(eventTimer(), (t) => {
          t.offset('1s').setRelative();
          t.clear();
        }),
      );
      stream.statefulParDo(
        'never',
        threeThen42(processingTimer(), (t) => t.clear()),
      );
    });
    await test.send('in', kv('a', 0, 0));
    await test.advanceProcessingTime('1h');
    await test.drain();
    expect(test.outputs('cleared')).toEqual([3]);
    expect(test.outputs('never')).toEqual([3]);
  });

  it('T05: clearing and setting again fires once, also for two elements', async () => {
    const test = await start((stream) =>
      stream.statefulParDo(
        'timed',
        threeThen42(eventTimer(), (t) => {
          t.clear();
          t.offset('1s').setRelative();
        }),
      ),
    );
    await test.send('in', kv('a', 0, 0), kv('a', 0, 0));
    await test.send('in', kv('a', 0, 0));
    await test.drain();
    expect(test.outputs('timed')).toEqual([3, 3, 3, 42]);
  });

  it.each([
    ['event', eventTimer],
    ['processing', processingTimer],
  ] as const)('T06: of two %s timers due in one jump the first may clear the second', async (clock, timer) => {
    const test = await start((stream) =>
      stream.statefulParDo('timed', {
        emits: emits<number>(),
        timers: { a: timer(), b: timer() },
        process(_, { timers, output }) {
          output(3);
          timers.a.offset('1s').setRelative();
          timers.b.offset('2s').setRelative();
        },
        onTimer: {
          a({ timers, output }) {
            output(42);
            timers.b.clear();
          },
          b: ({ output }) => output(43),
        },
      }),
    );
    await test.send('in', kv('a', 0, 0));
    if (clock === 'event') await test.advanceWatermark('1970-01-01T00:01Z');
    else await test.advanceProcessingTime('1m');
    expect(test.outputs('timed')).toEqual([3, 42]);
  });
});

describe('the order of deliveries', () => {
  it('T07: two timers that set each other take turns, though the watermark jumped to the end', async () => {
    const test = await start((stream) =>
      stream.window('long', fixedWindows('1h')).statefulParDo('ping-pong', {
        emits: emits<string>(),
        timers: { t1: eventTimer(), t2: eventTimer() },
        process: (_, { timers }) => timers.t1.set(0),
        onTimer: {
          t1({ firedAt, timers, output }) {
            output(`t1:${firedAt}`);
            timers.t2.set(firedAt);
          },
          t2({ firedAt, timers, output }) {
            output(`t2:${firedAt}`);
            if (firedAt < 100) timers.t1.set(firedAt + 1);
          },
        },
      }),
    );
    await test.send('in', kv('a', 0, 0));
    await test.advanceWatermarkToInfinity();
    const expected: string[] = [];
    for (let i = 0; i <= 100; i++) expected.push(`t1:${i}`, `t2:${i}`);
    expect(test.outputs('ping-pong')).toEqual(expected);
  });

  it('T08: a timer that appends every second sees its own appends, and the last one comes last', async () => {
    const test = await start((stream) =>
      stream.window('tens', fixedWindows('10s')).statefulParDo('appending', {
        emits: emits<string>(),
        state: { all: bagState<number>() },
        timers: { append: eventTimer(), end: eventTimer() },
        process(_, { timers, window }) {
          timers.end.set(window.end - 1);
          timers.append.set(0);
        },
        onTimer: {
          async append({ firedAt, timers, state, output }) {
            state.all.add(firedAt / 1_000);
            output((await state.all.read()).join(':'));
            if (firedAt < 3_000) timers.append.set(firedAt + 1_000);
          },
          async end({ state, output }) {
            output(`cleanup ${(await state.all.read()).length}`);
            state.all.clear();
          },
        },
      }),
    );
    await test.send('in', kv('a', 0, 0));
    await test.advanceWatermarkToInfinity();
    expect(test.outputs('appending')).toEqual(['0', '0:1', '0:1:2', '0:1:2:3', 'cleanup 4']);
  });

  it('T23: event timers come in the order of their times, whatever the order they were set in', async () => {
    const test = await start<number[]>((stream) =>
      stream.statefulParDo('family', {
        emits: emits<string>(),
        timers: { each: eventTimerFamily() },
        process({ value }, { timers }) {
          for (const at of value) timers.each.set(`t${at}`, at);
        },
        onTimer: { each: ({ tag, firedAt, output }) => output(`${tag}@${firedAt}`) },
      }),
    );
    await test.send('in', kv('a', [30, 10, 20], 0), kv('a', [15, 25, 5], 1));
    await test.advanceWatermark(21);
    expect(test.outputs('family')).toEqual(['t5@5', 't10@10', 't15@15', 't20@20']);
    await test.drain();
    expect(test.outputs('family').slice(4)).toEqual(['t25@25', 't30@30']);
  });

  it('T23: timers of one instant come in the order in which they were set, also after the cell was stored', async () => {
    const tags = ['d', 'a', 'c', 'b'];
    const test = await start(
      (stream) =>
        stream.statefulParDo('family', {
          emits: emits<string>(),
          timers: { each: eventTimerFamily() },
          process(_, { timers }) {
            for (const tag of tags) timers.each.set(tag, 10);
          },
          onTimer: { each: ({ tag, output }) => output(tag!) },
        }),
      { troubles: { crashAfterCommits: true } },
    );
    await test.send('in', kv('a', 0, 0));
    await test.advanceWatermark(20);
    expect(test.outputs('family')).toEqual(tags);
  });

  it('T19: each tag of a family is set, replaced and cleared by itself', async () => {
    const test = await start<string>((stream) =>
      stream.statefulParDo('family', {
        emits: emits<string>(),
        timers: { each: eventTimerFamily() },
        process(_, { timers }) {
          timers.each.set('a', 10);
          timers.each.set('b', 20);
          timers.each.set('c', 30);
          timers.each.get('a').set(40);
          timers.each.clear('b');
        },
        onTimer: { each: ({ tag, firedAt, output }) => output(`${tag}@${firedAt}`) },
      }),
    );
    await test.send('in', kv('k', '', 0));
    await test.drain();
    expect(test.outputs('family')).toEqual(['c@30', 'a@40']);
  });

  it('T09: a timer that sets itself again comes as often as it does so, for each key', async () => {
    const test = await start((stream) =>
      stream.statefulParDo('loop', {
        emits: emits<string>(),
        state: { count: valueState<number>() },
        timers: { again: eventTimer() },
        process: (_, { timers }) => timers.again.offset(1).setRelative(),
        onTimer: {
          again({ key, state, timers, output }) {
            const count = (state.count.read() ?? 0) + 1;
            state.count.write(count);
            output(`${key}${count}`);
            if (count < 5) timers.again.offset(1).setRelative();
          },
        },
      }),
    );
    await test.send('in', kv('a', 0, 0), kv('b', 0, 0), kv('c', 0, 0));
    await test.advanceWatermark(4);
    expect(test.outputs('loop').length).toBe(9);
    await test.drain();
    expect(test.outputs('loop').length).toBe(15);
  });

  it('T09: a loop in the global window comes to an end when the input does, and says so', async () => {
    const test = await start(
      (stream) =>
        stream.statefulParDo('loop', {
          timers: { again: eventTimer() },
          process: (_, { timers }) => timers.again.offset('1s').setRelative(),
          onTimer: { again: ({ timers }) => timers.again.offset('1s').setRelative() },
        }),
      { watch: [] },
    );
    await test.send('in', kv('a', 0, 0));
    await test.advanceWatermark(5_000);
    await test.drain();
    expect(test.deadLetters().map(({ message }) => message)).toEqual([
      "the event-time timer 'again' of 'loop' is set by a timer that was due at once, after 10000 others in a row; timers that set one another must come to an end",
    ]);
    expect(test.remains()).toEqual([]);
  });
});

describe('where timers may be set', () => {
  it('T10: an event timer after the expiration of its window is refused', async () => {
    const test = await start((stream) =>
      stream.window('tens', fixedWindows('10s'), { allowedLateness: '5s', accumulation: 'discarding' }).statefulParDo(
        'timed',
        threeThen42(eventTimer(), (t) => t.set(15_000)),
      ),
    );
    await test.send('in', kv('a', 0, 5_000));
    expect(test.deadLetters().map(({ message }) => message)).toEqual([
      "the event-time timer 't' of 'timed' is set to 1970-01-01T00:00:15.000Z, after the expiration of its window at 1970-01-01T00:00:14.999Z",
    ]);
    expect(test.outputs('timed')).toEqual([]);
  });

  it('T10: relative to now it is set no later than the expiration', async () => {
    const test = await start((stream) =>
      stream.window('tens', fixedWindows('10s')).statefulParDo('timed', {
        emits: emits<number>(),
        timers: { t: eventTimer() },
        process: (_, { timers }) => timers.t.offset('1d').setRelative(),
        onTimer: { t: ({ firedAt, output }) => output(firedAt) },
      }),
    );
    await test.send('in', kv('a', 0, 5_000));
    await test.advanceWatermark(10_000);
    expect(test.outputs('timed')).toEqual([9_999]);
  });

  it('T10: so it is in the callback of a processing timer, however far the wall clock is', async () => {
    const test = await start(
      (stream) =>
        stream.window('tens', fixedWindows('10s')).statefulParDo('timed', {
          emits: emits<string>(),
          timers: { wall: processingTimer(), t: eventTimer() },
          process: (_, { timers }) => timers.wall.offset('1s').setRelative(),
          onTimer: {
            wall: ({ timers }) => timers.t.offset('1d').setRelative(),
            t: ({ firedAt, output }) => output(`t at ${firedAt}`),
          },
        }),
      { startAt: 60_000 },
    );
    await test.send('in', kv('a', 0, 5_000));
    await test.advanceProcessingTime('2s');
    await test.advanceWatermark(10_000);
    expect(test.outputs('timed')).toEqual(['t at 9999']);
  });

  it('T10: aligned to a day at the end of time it fires at the end of time', async () => {
    const end = 8.64e15 - 86_400_000;
    const test = await start((stream) =>
      stream.statefulParDo('timed', {
        emits: emits<number>(),
        timers: { t: eventTimer() },
        process: (_, { timers }) => timers.t.align('1d').offset(1).setRelative(),
        onTimer: { t: ({ firedAt, output }) => output(firedAt) },
      }),
    );
    await test.send('in', kv('a', 0, end));
    await test.drain();
    expect(test.outputs('timed')).toEqual([end]);
  });

  it('T11: within allowed lateness it may be set, and fires with that timestamp in its window', async () => {
    const test = await start((stream) =>
      stream.window('tens', fixedWindows('10s'), { allowedLateness: '10s', accumulation: 'discarding' }).statefulParDo(
        'timed',
        threeThen42(eventTimer(), (t) => t.set(15_000)),
      ),
    );
    await test.send('in', kv('a', 0, 5_000));
    await test.advanceWatermark(15_001);
    expect(test.panes('timed')[1]).toMatchObject({
      value: 42,
      timestamp: 15_000,
      window: { start: 0, end: 10_000 },
    });
  });

  it.each([
    ['1m', '1s', 5_000, 59_000],
    ['1m', '0s', 5_000, 60_000],
    ['1m', '0s', 60_000, 60_000],
    ['1m', '1s', 59_000, 59_000],
    ['10s', '0s', -5_000, 0],
    ['10s', '3s', -5_000, -3_000],
  ] as const)('T12: align(%s).offset(%s) at %i fires at %i', async (period, offset, now, at) => {
    const test = await start((stream) =>
      stream.statefulParDo('timed', {
        emits: emits<number>(),
        timers: { t: eventTimer() },
        process: (_, { timers }) => timers.t.align(period).offset(offset).setRelative(),
        onTimer: { t: ({ firedAt, output }) => output(firedAt) },
      }),
    );
    await test.send('in', kv('a', 0, now));
    await test.drain();
    expect(test.outputs('timed')).toEqual([at]);
  });

  it('T17: an element of several windows sets a timer in each', async () => {
    const test = await start((stream) =>
      stream.window('sliding', slidingWindows('3m', { every: '1m' })).statefulParDo('timed', {
        emits: emits<number>(),
        timers: { t: eventTimer() },
        process: (_, { timers, window }) => timers.t.set(window.end - 1),
        onTimer: { t: ({ window, output }) => output(window.end) },
      }),
    );
    await test.send('in', kv('a', 0, 0));
    await test.drain();
    expect(test.outputs('timed')).toEqual([60_000, 120_000, 180_000]);
  });

  it('T18: the key is known in a callback', async () => {
    const test = await start((stream) =>
      stream.statefulParDo('timed', {
        emits: emits<string>(),
        timers: { t: eventTimer() },
        process: (_, { timers }) => timers.t.set(10),
        onTimer: { t: ({ key, output }) => output(key) },
      }),
    );
    await test.send('in', kv('a', 0, 0), kv('b', 0, 0));
    await test.drain();
    expect([...test.outputs('timed')].sort()).toEqual(['a', 'b']);
  });

  it('T21: processing-time timers of an expired window are gone, and delete no state of others', async () => {
    const test = await start<number>((stream) =>
      stream.window('tens', fixedWindows(10)).statefulParDo('timed', {
        emits: emits<string>(),
        state: { seen: valueState<number>() },
        timers: { t: processingTimer() },
        process({ value }, { state, timers }) {
          state.seen.write(value);
          timers.t.offset('1m').setRelative();
        },
        onTimer: { t: ({ window, state, output }) => output(`${window.start}: ${state.seen.read()}`) },
      }),
    );
    await test.send('in', kv('a', 1, 5), kv('a', 2, 15));
    await test.advanceWatermark(10);
    await test.advanceProcessingTime('2m');
    expect(test.outputs('timed')).toEqual(['10: 2']);
  });

  it('T22: a grouping step with a stateful step behind it, both with timers', async () => {
    const test = await start<number>((stream) =>
      stream
        .window('tens', fixedWindows(10))
        .groupByKey('grouped')
        .statefulParDo('timed', {
          emits: emits<unknown>(),
          state: { last: valueState<readonly number[]>() },
          timers: { t: eventTimer() },
          process({ value }, { state, timers, window }) {
            state.last.write(value);
            timers.t.set(window.end - 1);
          },
          onTimer: { t: ({ state, output }) => output(state.last.read()) },
        }),
    );
    await test.send('in', kv('a', 1, 5), kv('a', 2, 7));
    await test.advanceWatermark(10);
    expect(test.outputs('timed')).toEqual([[1, 2]]);
  });
});

describe('output timestamps', () => {
  it('T13: of event timers are their times, of processing timers the timestamp of the element that set them', async () => {
    const test = await start((stream) => {
      stream.statefulParDo(
        'event',
        threeThen42(eventTimer(), (t) => t.set(8)),
      );
      stream.statefulParDo(
        'processing',
        threeThen42(processingTimer(), (t) => t.offset('1s').setRelative()),
      );
      stream.statefulParDo(
        'given',
        threeThen42(eventTimer(), (t) => t.withOutputTimestamp(8).set(13)),
      );
    });
    await test.send('in', kv('a', 0, 3));
    await test.advanceProcessingTime('2s');
    await test.advanceWatermark(100);
    const stamps = (name: string) => test.panes(name).map(({ value, timestamp }) => [value, timestamp]);
    expect(stamps('event')).toEqual([
      [3, 3],
      [42, 8],
    ]);
    expect(stamps('processing')).toEqual([
      [3, 3],
      [42, 3],
    ]);
    expect(stamps('given')).toEqual([
      [3, 3],
      [42, 8],
    ]);
  });

  it.each([
    [10, 'after the expiration of its window'],
    [2, 'it must be no earlier than 1970-01-01T00:00:00.003Z minus the allowed skew (0 ms)'],
  ])('T13: %i is out of range', async (at, reason) => {
    const test = await start((stream) =>
      stream.window('tens', fixedWindows(10)).statefulParDo(
        'timed',
        threeThen42(eventTimer(), (t) => t.withOutputTimestamp(at).set(9)),
      ),
    );
    await test.send('in', kv('a', 0, 3));
    const [letter] = test.deadLetters();
    expect(letter!.message).toContain('is given the output timestamp');
    expect(letter!.message).toContain(reason);
  });

  it.each([
    ['event', eventTimer],
    ['processing', processingTimer],
  ] as const)('T14: an %s timer holds what comes behind at its output timestamp', async (clock, timer) => {
    const test = await start((stream) => {
      const upstream = stream.statefulParDo('upstream', {
        emits: emits<string>(),
        timers: { t: timer() },
        process(_, { timers, output }) {
          output('x');
          if (clock === 'event') timers.t.withOutputTimestamp(5).set(10);
          else timers.t.withOutputTimestamp(5).offset('1s').setRelative();
        },
        onTimer: { t: ({ output }) => output('y') },
      });
      upstream
        .keyBy('by', () => 'k')
        .statefulParDo('downstream', {
          emits: emits<string>(),
          timers: { t: eventTimer() },
          process: ({ value }, { timers, output }) => {
            output(value);
            if (value === 'x') timers.t.set(8);
          },
          onTimer: { t: ({ output }) => output('fired') },
        });
    });
    await test.send('in', kv('a', 0, 3));
    await test.advanceWatermark(clock === 'event' ? 10 : 1_000);
    expect(test.outputWatermark('upstream')).toBe(5);
    expect(test.outputs('downstream')).toEqual(['x']);
    if (clock === 'event') await test.advanceWatermark(11);
    else await test.advanceProcessingTime(1_001);
    expect(test.outputs('downstream')).toEqual(['x', 'y', 'fired']);
  });

  it('T15: a timer without an output timestamp holds nothing, and emitting from it is an error', async () => {
    const test = await start((stream) =>
      stream.statefulParDo(
        'timed',
        threeThen42(eventTimer(), (t) => t.withNoOutputTimestamp().set(10)),
      ),
    );
    await test.send('in', kv('a', 0, 3));
    await test.advanceWatermark(9);
    expect(test.outputWatermark('timed')).toBe(9);
    await test.drain();
    expect(test.outputs('timed')).toEqual([3]);
    expect(test.deadLetters().map(({ kind, message }) => [kind, message])).toEqual([
      [
        'firing',
        "'timed' emits from a timer that was set withNoOutputTimestamp, and so holds no watermark; give the timer an output timestamp",
      ],
    ]);
  });

  it('T16: what is buffered is released in the order of the watermark, and holds it until then', async () => {
    const test = await start<string>(
      (stream) =>
        stream.statefulParDo('buffer', {
          emits: emits<string>(),
          state: { all: bagState<[number, string]>(), earliest: valueState<number>() },
          timers: { release: eventTimer() },
          process({ value }, { timestamp, state, timers }) {
            const earliest = Math.min(state.earliest.read() ?? timestamp, timestamp);
            state.all.add([timestamp, value]);
            state.earliest.write(earliest);
            timers.release.withOutputTimestamp(earliest).set(earliest);
          },
          onTimer: {
            async release({ firedAt, state, timers, output }) {
              const all = await state.all.read();
              state.all.clear();
              state.earliest.clear();
              const kept = all.filter(([at]) => at > firedAt);
              for (const [at, value] of all) if (at <= firedAt) output(value, { timestamp: at });
              for (const each of kept) state.all.add(each);
              if (kept.length === 0) return;
              const earliest = Math.min(...kept.map(([at]) => at));
              state.earliest.write(earliest);
              timers.release.withOutputTimestamp(earliest).offset(0).set(earliest);
            },
          },
        }),
      { shards: 1 },
    );
    await test.send('in', kv('a', 'foo', 1), kv('a', 'bar', 2));
    await test.advanceWatermark(2);
    expect(test.panes('buffer').map(({ value, timestamp }) => [value, timestamp])).toEqual([['foo', 1]]);
    expect(test.outputWatermark('buffer')).toBe(2);
    await test.advanceWatermark(3);
    expect(test.outputs('buffer')).toEqual(['foo', 'bar']);
  });

  it.each([
    [0, -1, false],
    [1_000, -1_000, true],
    [1_000, -1_001, false],
  ])('T20: with a skew of %i an output %i ms from the element is allowed: %s', async (allowedSkew, by, allowed) => {
    const test = await start((stream) =>
      stream.statefulParDo(
        'skewed',
        {
          emits: emits<number>(),
          process: (_, { timestamp, output }) => output(1, { timestamp: timestamp + by }),
        },
        { allowedSkew },
      ),
    );
    await test.send('in', kv('a', 0, 5_000));
    expect(test.panes('skewed').map(({ timestamp }) => timestamp)).toEqual(allowed ? [5_000 + by] : []);
    const messages = test.deadLetters().map(({ message }) => message);
    if (!allowed)
      expect(messages[0]).toContain(
        'it must be no earlier than the timestamp of the current input (1970-01-01T00:00:05.000Z) minus the allowed skew',
      );
    expect(messages.length).toBe(allowed ? 0 : 1);
  });

  it('T20: in callbacks it is measured from the output timestamp, and at expiration from the last instant', async () => {
    const test = await start((stream) =>
      stream.window('tens', fixedWindows(10)).statefulParDo('skewed', {
        emits: emits<string>(),
        timers: { t: eventTimer() },
        process: (_, { timers }) => timers.t.withOutputTimestamp(5).set(8),
        onTimer: { t: ({ output }) => output('timer', { timestamp: 4 }) },
        onWindowExpiration: ({ output }) => output('expiration', { timestamp: 8 }),
      }),
    );
    await test.send('in', kv('a', 0, 3));
    await test.drain();
    expect(test.outputs('skewed')).toEqual([]);
    expect(test.deadLetters().map(({ message }) => message.slice(0, 58))).toEqual([
      'Cannot output with timestamp 1970-01-01T00:00:00.004Z: it ',
      'Cannot output with timestamp 1970-01-01T00:00:00.008Z: it ',
    ]);
  });
});

describe('a firing that throws', () => {
  it('is a dead letter with key, window, timer and state; its changes are taken back and nothing waits for it', async () => {
    const test = await testPipeline(
      pipeline('p', (p) =>
        keyed<number>(p)
          .window('global', globalWindow())
          .statefulParDo('timed', {
            emits: emits<string>(),
            state: { seen: valueState<number>() },
            timers: { bad: eventTimer(), good: eventTimer() },
            process({ value }, { state, timers }) {
              state.seen.write(value);
              timers.bad.set(10);
              timers.good.set(20);
            },
            onTimer: {
              bad({ state, timers, output }) {
                state.seen.write(99);
                timers.good.clear();
                output('lost');
                throw new Error('bad');
              },
              good: ({ state, output }) => output(`good ${state.seen.read()}`),
            },
          }),
      ),
    );
    await test.send('in', kv('a', 7, 3));
    await test.advanceWatermark(30);
    expect(test.outputs('timed')).toEqual(['good 7']);
    expect(test.deadLetters()).toMatchObject([
      {
        kind: 'firing',
        stage: 'timed',
        key: 'a',
        message: 'bad',
        timestamp: 10,
        timer: { id: 'bad', clock: 'event', at: 10 },
        value: { seen: '7' },
      },
    ]);
    expect(test.outputWatermark('timed')).toBe(30);
  });

  it('fails alone: those before and after it in the same jump are delivered', async () => {
    const test = await start<number[]>((stream) =>
      stream.statefulParDo('family', {
        emits: emits<string>(),
        state: { order: valueState<string>() },
        timers: { each: eventTimerFamily() },
        process({ value }, { timers }) {
          for (const at of value) timers.each.set(String(at), at);
        },
        onTimer: {
          each({ tag, state, output }) {
            const order = `${state.order.read() ?? ''}${tag} `;
            state.order.write(order);
            if (tag === '3' || tag === '5') throw new Error(tag);
            output(order.trim());
          },
        },
      }),
    );
    await test.send('in', kv('a', [1, 2, 3, 4, 5, 6], 0));
    await test.advanceWatermark(100);
    expect(test.outputs('family')).toEqual(['1', '1 2', '1 2 4', '1 2 4 6']);
    expect(test.deadLetters().map(({ timer }) => timer)).toEqual([
      { id: 'each', tag: '3', clock: 'event', at: 3 },
      { id: 'each', tag: '5', clock: 'event', at: 5 },
    ]);
  });

  it('of a timer that the code no longer declares is a dead letter', async () => {
    const test = await start((stream) =>
      stream.statefulParDo('timed', () => {
        const timers = { t: eventTimer() };
        return {
          timers,
          process(_, context) {
            context.timers.t.set(10);
            // As if the next version had dropped it.
            delete (timers as Partial<typeof timers>).t;
          },
          onTimer: { t() {} },
        };
      }),
    );
    await test.send('in', kv('a', 0, 3));
    await test.advanceWatermark(20);
    expect(test.deadLetters().map(({ message }) => message)).toEqual([
      "the timer 't' of 'timed' is due, but it is no longer declared",
    ]);
    expect(test.outputWatermark('timed')).toBe(20);
  });
});
