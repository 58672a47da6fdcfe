/** Elements that wait for another try. */
import { describe, expect, it } from 'vitest';
import {
  emits,
  eventTimer,
  fixedWindows,
  PoisonError,
  type RetryOptions,
  sum,
  valueState,
} from '../../../functions/index.ts';
import type { KeyedPCollection } from '../../../functions/model/collection.ts';
import { kv, start } from './keyed-stream.ts';

/** Sums values; fails on each value so often as `failing` says, and counts the calls. */
function flaky(failing: Map<number, number>, calls: number[]) {
  return {
    emits: emits<string>(),
    state: { sum: valueState<number>() },
    timers: { end: eventTimer() },
    process(
      { value }: { value: number },
      { state, timers, output, window }: { state: Any; timers: Any; output: (value: string) => void; window: Any },
    ) {
      calls.push(value);
      state.sum.write((state.sum.read() ?? 0) + value);
      timers.end.set(window.end - 1);
      const left = failing.get(value) ?? 0;
      failing.set(value, left - 1);
      if (left > 0) throw new Error(`no ${value}`);
      output(`${value}`);
    },
    onTimer: {
      end({ state, output }: { state: Any; output: (value: string) => void }) {
        output(`sum ${state.sum.read()}`);
      },
    },
  };
}
// biome-ignore lint/suspicious/noExplicitAny: the helper is used with one stream only
type Any = any;

function pipelineOf(failing: Map<number, number>, retry: RetryOptions | undefined, calls: number[] = []) {
  return (stream: KeyedPCollection<string, number>) => {
    stream
      .window('tens', fixedWindows(10))
      .statefulParDo('flaky', flaky(failing, calls), retry === undefined ? {} : { retry })
      .keyBy('all', () => 'all')
      .mapValues('one', () => 1)
      .combinePerKey('count', sum());
  };
}

describe('an element that user code fails on', () => {
  it('is tried again by itself at once, and then becomes a dead letter', async () => {
    const calls: number[] = [];
    const test = await start(pipelineOf(new Map([[2, 9]]), undefined, calls));
    await test.send('in', kv('a', 1, 1), kv('a', 2, 2), kv('a', 3, 3));
    expect(calls).toEqual([1, 2, 1, 2, 3]);
    expect(test.outputs('flaky')).toEqual(['1', '3']);
    expect(test.deadLetters()).toMatchObject([{ kind: 'element', message: 'no 2', attempts: 2, timestamp: 2 }]);
    await test.drain();
    expect(test.outputs('flaky')).toEqual(['1', '3', 'sum 4']);
  });

  it('waits as long as its policy says, and is then taken as if nothing had been', async () => {
    const calls: number[] = [];
    const retry = { attempts: 5, firstWait: '10s', factor: 3 } as const;
    const test = await start(pipelineOf(new Map([[2, 4]]), retry, calls));
    await test.send('in', kv('a', 1, 1), kv('a', 2, 2), kv('a', 3, 3));
    expect(calls).toEqual([1, 2, 1, 2, 3]);
    await test.advanceProcessingTime(9_999);
    expect(calls.length).toBe(5);
    await test.advanceProcessingTime(1);
    expect(calls.length).toBe(6);
    await test.advanceProcessingTime('29s');
    expect(calls.length).toBe(6);
    await test.advanceProcessingTime('1s');
    expect(calls.length).toBe(7);
    expect(test.outputs('flaky')).toEqual(['1', '3']);
    await test.advanceProcessingTime('90s');
    expect(test.outputs('flaky')).toEqual(['1', '3', '2']);
    await test.drain();
    expect(test.outputs('flaky')).toEqual(['1', '3', '2', 'sum 6']);
    expect(test.deadLetters()).toEqual([]);
    expect(test.remains()).toEqual([]);
  });

  it('becomes a dead letter when all tries have failed, and nothing waits for it any more', async () => {
    const calls: number[] = [];
    const test = await start(pipelineOf(new Map([[2, 99]]), { attempts: 4 }, calls));
    await test.send('in', kv('a', 2, 2));
    await test.advanceWatermark(100);
    expect(test.outputWatermark('flaky')).toBe(2);
    await test.advanceProcessingTime('1s');
    await test.advanceProcessingTime('2s');
    expect(calls).toEqual([2, 2, 2, 2]);
    expect(test.deadLetters()).toMatchObject([{ kind: 'element', message: 'no 2', attempts: 4, value: { value: 2 } }]);
    expect(test.outputWatermark('flaky')).toBe(100);
    await test.drain();
    expect(test.remains()).toEqual([]);
  });

  it('is not tried again when it throws a PoisonError', async () => {
    let calls = 0;
    const test = await start((stream) =>
      stream.statefulParDo(
        'poison',
        {
          process() {
            calls += 1;
            throw new PoisonError('never');
          },
        },
        { retry: { attempts: 9 } },
      ),
    );
    await test.send('in', kv('a', 1, 1));
    await test.advanceProcessingTime('1h');
    expect(calls).toBe(2);
    expect(test.deadLetters()).toMatchObject([{ code: 'POISON', message: 'never' }]);
  });
});

describe('while an element waits', () => {
  it('the expiry of its own window does not drop it, and stateful steps behind see a watermark that waits', async () => {
    const test = await start(pipelineOf(new Map([[2, 2]]), { attempts: 9, firstWait: '1m' }));
    await test.send('in', kv('a', 1, 1), kv('a', 2, 2), kv('b', 3, 3));
    await test.advanceWatermark(1_000);
    // Key b's window has expired, key a's has not; the count waits for both.
    expect(test.outputs('flaky')).toEqual(['1', '3', 'sum 3']);
    expect(test.outputWatermark('flaky')).toBe(2);
    expect(test.inputWatermark('count')).toBe(2);
    expect(test.outputs('count')).toEqual([]);
    await test.advanceProcessingTime('1m');
    expect(test.outputs('flaky')).toEqual(['1', '3', 'sum 3', '2', 'sum 3']);
    expect(test.outputs('count')).toEqual([{ key: 'all', value: 5 }]);
    expect(test.late()).toEqual([]);
  });

  it('what arrives for its key goes on', async () => {
    const test = await start(pipelineOf(new Map([[2, 2]]), { attempts: 9, firstWait: '1m' }));
    await test.send('in', kv('a', 2, 2));
    await test.advanceWatermark(1_000);
    await test.send('in', kv('a', 5, 1_005));
    expect(test.outputs('flaky')).toEqual(['5']);
    await test.drain();
    expect(test.outputs('flaky')).toEqual(['5', '2', 'sum 2', 'sum 5']);
  });

  it('timers of its key that are behind it wait too', async () => {
    let failures = 2;
    const test = await start<number>((stream) =>
      stream.statefulParDo(
        'timed',
        {
          emits: emits<string>(),
          timers: { t: eventTimer() },
          process({ value }, { timers, output }) {
            if (value === 2 && failures-- > 0) throw new Error('not yet');
            if (value === 1) timers.t.set(50);
            output(`${value}`);
          },
          onTimer: { t: ({ output }) => output('fired') },
        },
        { retry: { attempts: 9, firstWait: '1m' } },
      ),
    );
    await test.send('in', kv('a', 1, 1), kv('a', 2, 20), kv('b', 1, 1));
    await test.advanceWatermark(100);
    expect(test.outputs('timed')).toEqual(['1', '1', 'fired']);
    await test.advanceProcessingTime('1m');
    expect(test.outputs('timed')).toEqual(['1', '1', 'fired', '2', 'fired']);
  });

  it('that was late already when it came, its key’s watermark does not step back', async () => {
    let failures = 2;
    const expired: number[] = [];
    const test = await start<number>((stream) =>
      stream.window('tens', fixedWindows(10), { allowedLateness: 100, accumulation: 'discarding' }).statefulParDo(
        'late',
        {
          emits: emits<string>(),
          process({ value }, { output }) {
            if (value === 2 && failures-- > 0) throw new Error('not yet');
            output(`${value}`);
          },
          onWindowExpiration: ({ window }) => {
            expired.push(window.start);
          },
        },
        { retry: { attempts: 9, firstWait: '1m' } },
      ),
    );
    await test.send('in', kv('a', 1, 1));
    await test.advanceWatermark(150);
    expect(expired).toEqual([0]);
    await test.send('in', kv('a', 2, 60));
    // Its window is open until 169; for the first one it is still too late.
    await test.send('in', kv('a', 3, 2));
    expect(test.late().map(({ value }) => value)).toEqual([3]);
    await test.advanceWatermark(500);
    await test.advanceProcessingTime('1m');
    expect(test.outputs('late')).toEqual(['1', '2']);
    expect(expired).toEqual([0, 60]);
    expect(test.store.size('cells')).toBe(0);
  });

  it('it survives crashes, lost and doubled messages', async () => {
    const outcomes = [];
    for (const troubles of [
      {},
      { crashAfterCommits: true },
      { everyMessageTwice: true, reordered: true },
      { lost: 0.3 },
    ]) {
      // Fails by what it has counted in its state, since a process that dies forgets everything else.
      const test = await start<number>(
        (stream) =>
          stream.window('tens', fixedWindows(10)).statefulParDo(
            'flaky',
            {
              emits: emits<string>(),
              state: { sum: valueState<number>() },
              process({ value }, { state, output }) {
                if (value === 2 && (state.sum.read() ?? 0) < 6) throw new Error('first the others');
                state.sum.write((state.sum.read() ?? 0) + value);
                output(`${value}`);
              },
            },
            { retry: { attempts: 99, firstWait: '10s', factor: 1 } },
          ),
        { troubles, watch: ['flaky'] },
      );
      await test.send('in', kv('a', 2, 2));
      await test.send('in', kv('a', 1, 1));
      await test.send('in', kv('a', 5, 5));
      await test.drain();
      expect(test.remains()).toEqual([]);
      outcomes.push([...test.outputs('flaky')].sort());
    }
    expect(outcomes).toEqual([
      ['1', '2', '5'],
      ['1', '2', '5'],
      ['1', '2', '5'],
      ['1', '2', '5'],
    ]);
  });
});

describe('a retry policy', () => {
  it.each([
    [{ attempts: 0 }, 'retry.attempts: expected a whole number from 1 and up, got 0'],
    [{ attempts: 3, factor: 0.5 }, 'retry.factor: expected a number from 1 and up, got 0.5'],
    [{ attempts: 3, firstWait: '1h' }, 'retry.longestWait: 600000 ms is shorter than firstWait, which is 3600000 ms'],
  ] as const)('%o is refused', (retry, message) => {
    expect(() => start(pipelineOf(new Map(), retry))).toThrow(`statefulParDo 'flaky' ${message}`);
  });
});
