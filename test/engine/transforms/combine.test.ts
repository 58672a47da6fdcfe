/** Combining by windows, whole (catalogue C01 to C04; C05 to C07 stand with reductions, fanout and triggers). */
import { describe, expect, it } from 'vitest';
import {
  count,
  fixedWindows,
  pipeline,
  sessions,
  slidingWindows,
  sum,
  type CombineFn,
} from '../../../functions/index.ts';
import { testPipeline, timestamped } from '../../../functions/local/testing.ts';
import type { WindowFn } from '../../../functions/model/windows.ts';
import { keyed, kv, start, values } from '../stateful/keyed-stream.ts';

/** The elements in alphabetical order. */
const letters: CombineFn<string, string[], string> = {
  create: () => [],
  add: (all, letter) => [...all, letter],
  merge: (a, b) => [...a, ...b],
  extract: (all) => [...all].sort().join(''),
};

async function combined<V, Out>(
  windows: WindowFn,
  combine: CombineFn<V, never, Out>,
  sent: readonly unknown[],
): Promise<unknown[]> {
  const graph = pipeline('combined', (p) => {
    keyed<V>(p).window('windows', windows).combinePerKey('combined', combine);
  });
  const test = await testPipeline(graph, { watch: ['combined'] });
  await test.send('in', ...sent);
  await test.drain();
  return test
    .panes('combined')
    .map(({ value, window }) => [
      window.start,
      window.end,
      (value as { key: string }).key,
      (value as { value: unknown }).value,
    ])
    .sort((a, b) => Number(a[0]) - Number(b[0]) || String(a[2]).localeCompare(String(b[2])));
}

describe('combining', () => {
  it('C01: in windows of two', async () => {
    const sent = [kv('a', 1, 0), kv('a', 1, 1), kv('a', 4, 4), kv('a', 1, 5), kv('a', 13, 6)];
    expect(await combined(fixedWindows(2), sum() as never, sent)).toEqual([
      [0, 2, 'a', 2],
      [4, 6, 'a', 5],
      [6, 8, 'a', 13],
    ]);
  });

  it('C02: in sliding windows, each with what falls into it', async () => {
    const sent = [kv('k', 'a', 1), kv('k', 'b', 2), kv('k', 'c', 3)];
    expect(await combined(slidingWindows(3, { every: 1 }), letters as never, sent)).toEqual([
      [-1, 2, 'k', 'a'],
      [0, 3, 'k', 'ab'],
      [1, 4, 'k', 'abc'],
      [2, 5, 'k', 'bc'],
      [3, 6, 'k', 'c'],
    ]);
  });

  it('C03: in sessions of each key', async () => {
    const sent = [kv('a', 1, 0), kv('a', 13, 4), kv('a', 100, 7), kv('b', 1, 10), kv('b', 13, 16)];
    expect(await combined(sessions(5), sum() as never, sent)).toEqual([
      [0, 12, 'a', 114],
      [10, 15, 'b', 1],
      [16, 21, 'b', 13],
    ]);
  });

  it('C04: of nothing gives nothing, and its singleton view the default for each window that is asked for', async () => {
    const graph = pipeline('none', (p) => {
      const total = values<number>(p, 'side').window('side-fives', fixedWindows(5)).combineGlobally('total', sum());
      const view = total.asSingleton('view');
      values<string>(p)
        .window('fives', fixedWindows(5))
        .parDo(
          'seen',
          { process: (value, { side, output }) => output(`${value} ${side.view}`) },
          { sideInputs: { view } },
        );
    });
    const test = await testPipeline(graph);
    await test.send('side', timestamped(3, 1), timestamped(1, 2));
    await test.send('in', timestamped('a', 1), timestamped('b', 6));
    await test.drain();
    expect(test.outputs('total-value')).toEqual([4]);
    expect([...test.outputs('seen')].sort()).toEqual(['a 4', 'b 0']);
  });
});

/** What no store takes. */
class Ledger {
  readonly entries = 1;
}

describe('a combine that makes what cannot be stored', () => {
  it.each([
    ['merge', fixedWindows('1h')],
    ['add', sessions('1h')],
  ] as const)('in its %s fails with the elements that made it, and the key goes on', async (name, windows) => {
    const odd = { ...count<number>(), [name]: (sum: number) => (sum >= 1 ? new Ledger() : sum + 1) as number };
    const test = await start<number>(
      (stream) =>
        stream
          .window('windows', windows)
          .combinePerKey('counts', odd)
          .map('seen', ({ value }) => value),
      { shards: 1, watch: ['seen'] },
    );
    await test.send('in', kv('a', 7, 1));
    await test.send('in', kv('a', 8, 2));
    await test.send('in', kv('b', 9, 3));
    await test.drain();
    expect(test.outputs('seen')).toEqual([1, 1]);
    expect(test.deadLetters().map(({ step, code, message }) => [step, code, message])).toEqual([
      ['counts', 'ENCODE', expect.stringContaining('a Ledger instance cannot be carried between stages')],
    ]);
    expect(test.remains()).toEqual([]);
  });
});
