/** Hot keys in parts, latest, reshuffle, withTimestamps. */
import { describe, expect, it } from 'vitest';
import {
  afterCount,
  afterWatermark,
  fixedWindows,
  globalWindow,
  mean,
  pipeline,
  repeatedly,
  sessions,
  slidingWindows,
  sum,
} from '../../../functions/index.ts';
import { testPipeline, timestamped } from '../../../functions/local/testing.ts';
import { keyed, kv, start, values } from '../stateful/keyed-stream.ts';

const random = (key: string): number => [0, 1, 3, 8][key.charCodeAt(0) % 4]!;

describe('hotKeyFanout', () => {
  it.each([
    ['0', 0],
    ['a function', random],
    ['5', 5],
    ['17', 17],
  ] as const)('C06: gives the same means with %s', async (_, hotKeyFanout) => {
    const test = await start<number>((stream) => {
      stream.window('all', fixedWindows(100)).combinePerKey('means', mean(), { hotKeyFanout });
    });
    await test.send('in', kv('a', 1, 1), kv('a', 1, 2), kv('a', 4, 3), kv('b', 1, 4), kv('b', 13, 5));
    await test.drain();
    expect(test.outputs('means')).toEqual(
      expect.arrayContaining([
        { key: 'a', value: 2 },
        { key: 'b', value: 7 },
      ]),
    );
    expect(test.outputs('means').length).toBe(2);
  });

  it('C06: in accumulating mode nothing is doubled', async () => {
    const test = await start<number>((stream) => {
      stream
        .window('all', globalWindow(), { trigger: repeatedly(afterCount(1)), accumulation: 'accumulating' })
        .combinePerKey('sums', sum(), { hotKeyFanout: 3 });
    });
    for (let n = 1; n <= 5; n++) await test.send('in', kv('k', n, n));
    await test.drain();
    const sums = test.outputs('sums').map((pair) => (pair as { value: number }).value);
    expect(sums).toContain(15);
    expect(Math.max(...sums)).toBe(15);
  });

  it('C06: on sliding windows it gives what it gives without', async () => {
    const elements = Array.from({ length: 60 }, (_, i) => kv('k', i, i));
    const outcomes = [];
    for (const options of [{}, { hotKeyFanout: 1 }, { hotKeyFanout: 4 }]) {
      const test = await start<number>((stream) => {
        stream.window('sliding', slidingWindows(20, { every: 5 })).combinePerKey('sums', sum(), options);
      });
      for (let i = 0; i < 6; i++) await test.send('in', ...elements.slice(i * 10, i * 10 + 10));
      await test.drain();
      outcomes.push(
        test
          .panes('sums')
          .map(({ value, window, pane, timestamp }) => [
            window.start,
            (value as { value: number }).value,
            pane.timing,
            timestamp,
          ])
          .sort(([a], [b]) => Number(a) - Number(b)),
      );
    }
    expect(outcomes[0]!.length).toBe(15);
    expect(outcomes[1]).toEqual(outcomes[0]);
    expect(outcomes[2]).toEqual(outcomes[0]);
  });

  it('with late data: the correction counts everything once', async () => {
    const test = await start<number>((stream) => {
      stream
        .window('tens', fixedWindows(10), {
          trigger: afterWatermark({ late: afterCount(1) }),
          allowedLateness: 100,
          accumulation: 'accumulating',
        })
        .combinePerKey('sums', sum(), { hotKeyFanout: 4 });
    });
    await test.send('in', ...[1, 2, 4, 8].map((v, i) => kv('k', v, i)));
    await test.advanceWatermark(10);
    await test.send('in', kv('k', 16, 5));
    const panes = test.panes('sums').map(({ value, pane }) => [(value as { value: number }).value, pane.timing]);
    expect(panes).toEqual([
      [15, 'ON_TIME'],
      [31, 'LATE'],
    ]);
  });

  it('what is too late for the parts can be read with the whole key', async () => {
    const test = await start<number>((stream) => {
      const sums = stream.window('tens', fixedWindows(10)).combinePerKey('sums', sum(), { hotKeyFanout: 4 });
      sums.late().map('too-late', ({ key, value }) => [key, value]);
    });
    await test.advanceWatermark(10);
    await test.send('in', kv('k', 16, 5));
    expect(test.outputs('too-late')).toEqual([['k', 16]]);
  });

  it('spreads a key, and always in the same way', async () => {
    const test = await testPipeline(
      pipeline('p', (p) => {
        keyed<number>(p).window('all', fixedWindows(100)).combinePerKey('sums', sum(), { hotKeyFanout: 4 });
      }),
      { troubles: { checkIngest: true } },
    );
    await test.send('in', ...Array.from({ length: 100 }, (_, i) => kv('k', i, i)));
    await test.drain();
    expect(test.outputs('sums')).toEqual([{ key: 'k', value: 4_950 }]);
    const parts = test.outputs('sums-parts').map((pair) => (pair as { key: [string, number] }).key[1]);
    expect(parts.sort()).toEqual([0, 1, 2, 3]);
  });

  it.each([
    [sessions(10), 4, 'hotKeyFanout cannot be used with sessions'],
    [fixedWindows(10), -1, 'hotKeyFanout: expected a whole number from 0 to 1000, got -1'],
  ] as const)('%o with %i is refused', (windowFn, hotKeyFanout, message) => {
    expect(() =>
      pipeline('p', (p) => void keyed<number>(p).window('w', windowFn).combinePerKey('sums', sum(), { hotKeyFanout })),
    ).toThrow(`'sums': ${message}`);
  });
});

describe('latest', () => {
  it('is the value with the largest timestamp, of each key and of all', async () => {
    const test = await start<string>((stream) => {
      stream.window('tens', fixedWindows(10)).latestPerKey('per-key');
      stream.values('just-values').window('tens-too', fixedWindows(10)).latestGlobally('of-all');
    });
    await test.send('in', kv('a', 'a3', 3), kv('a', 'a7', 7), kv('a', 'a5', 5), kv('b', 'b8', 8), kv('b', 'b12', 12));
    await test.drain();
    expect(
      test
        .panes('per-key')
        .map(({ value, window }) => [value, window.start])
        .sort(byText),
    ).toEqual([
      [{ key: 'a', value: 'a7' }, 0],
      [{ key: 'b', value: 'b12' }, 10],
      [{ key: 'b', value: 'b8' }, 0],
    ]);
    expect([...test.outputs('of-all-value')].sort()).toEqual(['b12', 'b8']);
  });
});

describe('reshuffle', () => {
  it('L11: keeps timestamps, windows and panes, and waits for no watermark', async () => {
    const test = await start<number>((stream) => {
      stream.window('tens', fixedWindows(10)).reshuffle('spread');
      stream.window('fives', fixedWindows(5)).combinePerKey('sums', sum()).reshuffle('behind');
    });
    await test.send('in', kv('a', 1, 3), kv('a', 2, 17));
    expect(test.panes('spread').map(({ value, timestamp, window }) => [value, timestamp, window.start])).toEqual([
      [{ key: 'a', value: 1 }, 3, 0],
      [{ key: 'a', value: 2 }, 17, 10],
    ]);
    await test.drain();
    expect(test.panes('behind')).toEqual(test.panes('sums'));
    expect(test.remains()).toEqual([]);
  });

  it('L11: also of elements without keys, and each once whatever goes wrong', async () => {
    const test = await testPipeline(
      pipeline('p', (p) => {
        values<number>(p)
          .reshuffle('spread')
          .map('after', (n) => n);
      }),
      { troubles: { everyMessageTwice: true, lost: 0.2, reordered: true } },
    );
    for (let i = 0; i < 10; i++) await test.send('in', ...[0, 1, 2, 3, 4].map((n) => timestamped(i * 5 + n, n)));
    await test.drain();
    expect([...(test.outputs('after') as number[])].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, i) => i),
    );
  });
});

describe('withTimestamps', () => {
  it('gives elements the timestamps that the author says, and windows behind it follow', async () => {
    const test = await start<number>((stream) => {
      stream
        .withTimestamps('stamped', ({ value }) => value)
        .window('tens', fixedWindows(10))
        .combinePerKey('sums', sum());
    });
    await test.send('in', kv('a', 15, 1), kv('a', 7, 2), kv('b', 16, 3));
    await test.drain();
    expect(test.panes('stamped').map(({ timestamp }) => timestamp)).toEqual([15, 7, 16]);
    expect(
      test
        .panes('sums')
        .map(({ value, window }) => [value, window.start])
        .sort(byText),
    ).toEqual([
      [{ key: 'a', value: 15 }, 10],
      [{ key: 'a', value: 7 }, 0],
      [{ key: 'b', value: 16 }, 10],
    ]);
  });

  it('goes back no further than the skew allows', async () => {
    const test = await start<number>((stream) => {
      stream.withTimestamps('stamped', ({ value }) => value, { allowedSkew: 5 });
    });
    await test.send('in', kv('a', 5, 10), kv('a', 4, 10));
    expect(test.panes('stamped').map(({ timestamp }) => timestamp)).toEqual([5]);
    expect(test.deadLetters().map(({ step, message }) => [step, message.slice(0, 29)])).toEqual([
      ['stamped', 'Cannot output with timestamp '],
    ]);
  });

  it('an element without one is a dead letter, not one that keeps the timestamp it had', async () => {
    const test = await start<{ at?: number }>((stream) => {
      stream.withTimestamps('stamped', ({ value }) => value.at as number);
    });
    await test.send('in', kv('a', {}, 10), kv('a', { at: 11 }, 10));
    expect(test.panes('stamped').map(({ timestamp }) => timestamp)).toEqual([11]);
    expect(test.deadLetters().map(({ message }) => message)).toEqual([
      "withTimestamps 'stamped': expected an instant, such as epoch milliseconds or a Date, got undefined",
    ]);
  });
});

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
