import { describe, expect, it } from 'vitest';
import { emits, eventTimer, fixedWindows, type StatefulDoFn, valueState } from '../../../functions/index.ts';
import { kv, start } from './keyed-stream.ts';

const echo = {
  emits: emits<number>(),
  process: ({ value }: { value: number }, { output }: { output: (value: number) => void }) => output(value),
};

const elementsAndTimers: StatefulDoFn<
  string,
  number,
  string,
  Record<never, never>,
  { t: ReturnType<typeof eventTimer> }
> = {
  timers: { t: eventTimer() },
  process({ value }, { timestamp, timers, output }) {
    output(`element ${value}`);
    timers.t.set(timestamp + 3);
  },
  onTimer: { t: ({ firedAt, output }) => output(`timer ${firedAt}`) },
};

describe('S14: elements in the order of their timestamps', () => {
  it('come out once the watermark is past their timestamp and allowed lateness', async () => {
    const test = await start<number>((stream) =>
      stream
        .window('hundreds', fixedWindows(100), { allowedLateness: 10, accumulation: 'discarding' })
        .statefulParDo('sorted', echo, { timeSorted: true }),
    );
    await test.send('in', kv('a', 1, 5), kv('a', 2, 4));
    expect(test.outputs('sorted')).toEqual([]);
    await test.advanceWatermark(14);
    expect(test.outputs('sorted')).toEqual([]);
    await test.advanceWatermark(15);
    expect(test.outputs('sorted')).toEqual([2]);
    await test.advanceWatermark(16);
    expect(test.outputs('sorted')).toEqual([2, 1]);
  });

  it('hold the watermark while they wait', async () => {
    const test = await start<number>((stream) => stream.statefulParDo('sorted', echo, { timeSorted: true }));
    await test.send('in', kv('a', 1, 5), kv('a', 2, 4));
    await test.advanceWatermark(5);
    expect(test.outputs('sorted')).toEqual([2]);
    expect(test.outputWatermark('sorted')).toBe(5);
    await test.advanceWatermark(50);
    expect(test.outputWatermark('sorted')).toBe(50);
  });

  it('are late when the watermark is past that already, though their window is open', async () => {
    const test = await start<number>((stream) =>
      stream
        .window('hundreds', fixedWindows(100), { allowedLateness: 10, accumulation: 'discarding' })
        .statefulParDo('sorted', echo, { timeSorted: true }),
    );
    await test.advanceWatermark(25);
    await test.send('in', kv('a', 1, 14), kv('a', 2, 15));
    await test.drain();
    expect(test.late().map(({ value, reason }) => [value, reason])).toEqual([[1, 'expired']]);
    expect(test.outputs('sorted')).toEqual([2]);
  });

  it('find the state that earlier ones and their timers have left, also when their window is over by then', async () => {
    const test = await start<number>((stream) =>
      stream.window('hundreds', fixedWindows(100), { allowedLateness: 0, accumulation: 'discarding' }).statefulParDo(
        'rounds',
        {
          emits: emits<number>(),
          state: { fired: valueState<number>() },
          timers: { soon: eventTimer() },
          process: (_, { timers, timestamp }) => timers.soon.set(timestamp + 10),
          onTimer: {
            soon({ state, output }) {
              const fired = (state.fired.read() ?? 0) + 1;
              state.fired.write(fired);
              output(fired);
            },
          },
        },
        { timeSorted: true },
      ),
    );
    await test.send('in', kv('a', 1, 60), kv('a', 2, 25), kv('a', 3, 20));
    await test.advanceWatermark(1_000);
    expect(test.outputs('rounds')).toEqual([1, 2]);
  });

  it('a thousand that come backwards come out forwards', async () => {
    const test = await start<number>(
      (stream) =>
        stream.statefulParDo(
          'differences',
          {
            emits: emits<number>(),
            state: { last: valueState<number>() },
            process({ value }, { state, output }) {
              const last = state.last.read();
              if (last !== undefined) output(value - last);
              state.last.write(value);
            },
          },
          { timeSorted: true },
        ),
      { troubles: { crashAfterCommits: true }, watch: ['differences'] },
    );
    const backwards = Array.from({ length: 1_000 }, (_, i) => 999 - i);
    for (let i = 0; i < 4; i++)
      await test.send('in', ...backwards.slice(i * 250, (i + 1) * 250).map((at) => kv('a', at, at)));
    expect(test.store.size('parts')).toBeGreaterThan(0);
    await test.advanceWatermark(400);
    await test.drain();
    expect(test.outputs('differences')).toEqual(Array.from({ length: 999 }, () => 1));
    expect(test.remains()).toEqual([]);
  });

  it('of one timestamp come out as they came in', async () => {
    const test = await start<number>((stream) => stream.statefulParDo('sorted', echo, { timeSorted: true }));
    await test.send('in', kv('a', 3, 5), kv('a', 1, 5));
    await test.send('in', kv('a', 2, 5));
    await test.drain();
    expect(test.outputs('sorted')).toEqual([3, 1, 2]);
  });

  it('are in order with the timers of their key', async () => {
    const test = await start<number>((stream) => stream.statefulParDo('both', elementsAndTimers, { timeSorted: true }));
    await test.send('in', kv('a', 20, 20), kv('a', 10, 10), kv('a', 13, 13));
    await test.drain();
    expect(test.outputs('both')).toEqual(['element 10', 'element 13', 'timer 16', 'element 20', 'timer 23']);
  });

  it('with allowed lateness are in order with the timers of their key, which wait as they do', async () => {
    const test = await start<number>((stream) =>
      stream
        .window('hundreds', fixedWindows(100), { allowedLateness: 50, accumulation: 'discarding' })
        .statefulParDo('both', elementsAndTimers, { timeSorted: true }),
    );
    await test.send('in', kv('a', 10, 10));
    await test.advanceWatermark(62);
    expect(test.outputs('both')).toEqual(['element 10']);
    await test.send('in', kv('a', 12, 12));
    await test.advanceWatermark(63);
    expect(test.outputs('both')).toEqual(['element 10', 'element 12']);
    expect(test.outputWatermark('both')).toBe(15);
    await test.advanceWatermark(66);
    expect(test.outputs('both')).toEqual(['element 10', 'element 12', 'timer 15']);
  });

  it('with allowed lateness come before the timers at the end of their window, and all before its expiration', async () => {
    const test = await start<number>((stream) =>
      stream.window('hundreds', fixedWindows(100), { allowedLateness: 50, accumulation: 'discarding' }).statefulParDo(
        'both',
        {
          emits: emits<string>(),
          timers: { end: eventTimer(), last: eventTimer() },
          process({ value }, { timers, output }) {
            output(`element ${value}`);
            timers.end.set(99);
            timers.last.set(149);
          },
          onTimer: {
            end: ({ output }) => output('end'),
            last: ({ output }) => output('last permitted instant'),
          },
          onWindowExpiration: ({ output }) => output('expiration'),
        },
        { timeSorted: true },
      ),
    );
    await test.send('in', kv('a', 99, 99), kv('a', 20, 20));
    await test.advanceWatermark(149);
    expect(test.outputs('both')).toEqual(['element 20']);
    await test.advanceWatermark(150);
    expect(test.outputs('both')).toEqual(['element 20', 'element 99', 'end', 'last permitted instant', 'expiration']);
    await test.drain();
    expect(test.remains()).toEqual([]);
  });

  it('that fail wait for another try like others', async () => {
    let failures = 1;
    const test = await start<number>((stream) =>
      stream.statefulParDo(
        'sorted',
        {
          emits: emits<number>(),
          process({ value }, { output }) {
            if (value === 1 && failures-- > 0) throw new Error('not yet');
            output(value);
          },
        },
        { timeSorted: true, retry: { attempts: 5, firstWait: '1m' } },
      ),
    );
    await test.send('in', kv('a', 2, 2), kv('a', 1, 1));
    await test.advanceWatermark(10);
    expect(test.outputWatermark('sorted')).toBe(1);
    await test.advanceProcessingTime('1m');
    expect(test.outputs('sorted')).toEqual([1, 2]);
    expect(test.outputWatermark('sorted')).toBe(10);
  });
});
