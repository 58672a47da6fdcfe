import { describe, expect, it } from 'vitest';
import { pipeline } from '../../../functions/model/pipeline.ts';
import { afterCount, repeatedly } from '../../../functions/model/triggers.ts';
import { fixedWindows, globalWindow } from '../../../functions/model/windows.ts';
import type { Accumulation } from '../../../functions/model/windowing.ts';
import { capture, Harness, source } from './harness.ts';

/** Each main element with the number of elements that it sees; the view may hold 10,000 bytes. */
function counted(accumulation: Accumulation) {
  return pipeline('counted', (p) => {
    const list = source<string>(p, 'side')
      .window('side-windows', globalWindow(), { trigger: repeatedly(afterCount(1)), accumulation })
      .asList('list', { maxBytes: 10_000, changeAtMostEvery: 0 });
    const joined = source<string>(p, 'main').parDo(
      'join',
      { process: (_, { output, side }) => output(side.list.length) },
      { sideInputs: { list } },
    );
    capture(joined);
  });
}

/** Elements of 1,000 bytes each, with the quotes and the line's end. */
const elements = (count: number) => Array.from({ length: count }, () => ({ at: 1, value: 'x'.repeat(997) }));

describe('a view above its budget', () => {
  it('holds what fits to the byte', async () => {
    const harness = await Harness.start(counted('accumulating'), { shards: 1 });
    await harness.send('side', ...elements(10));
    await harness.send('main', { at: 1, value: 'A' });
    expect(harness.values()).toEqual([10]);
    expect(harness.deadLetters()).toEqual([]);
  });

  it('does not change any more, says so once for each pane, and readers keep what they had', async () => {
    const harness = await Harness.start(counted('accumulating'), { shards: 1 });
    await harness.send('side', ...elements(6));
    await harness.send('main', { at: 1, value: 'A' });
    await harness.send('side', ...elements(5));
    await harness.send('main', { at: 2, value: 'B' });
    await harness.send('side', ...elements(1));
    await harness.send('main', { at: 3, value: 'C' });
    expect(harness.values()).toEqual([6, 6, 6]);
    expect(harness.deadLetters()).toMatchObject([
      {
        stage: 'list',
        kind: 'firing',
        code: 'VIEW_TOO_LARGE',
        count: 5,
        value: { elements: 5, bytes: 11_000 },
        message:
          "view 'list' would have 11000 bytes for the global window, above its budget of 10000: it does not change any more, readers keep what they had, and 5 elements are not taken up. Keep fewer columns, filter keys, join with coGroupByKey, or read single keys with lookUp; or raise maxBytes",
      },
      { code: 'VIEW_TOO_LARGE', count: 1, value: { elements: 1, bytes: 12_000 } },
    ]);
    expect(harness.embedded.counts.get('list')).toMatchObject({ elements: 12, deadLetters: 6 });
    // What is above the budget is not kept.
    expect(harness.store.size('runs')).toBe(0);
    await harness.finish('side', 'main');
    expect(harness.remains()).toEqual([]);
  });

  it('where panes discard, the next one that fits is shown again', async () => {
    const harness = await Harness.start(counted('discarding'), { shards: 1 });
    await harness.send('side', ...elements(3));
    await harness.send('side', ...elements(11));
    await harness.send('main', { at: 1, value: 'A' });
    await harness.send('side', ...elements(4));
    await harness.send('main', { at: 2, value: 'B' });
    expect(harness.values()).toEqual([3, 4]);
    expect(harness.deadLetters().map(({ count, value }) => [count, value])).toEqual([
      [11, { elements: 11, bytes: 11_000 }],
    ]);
  });

  it('where nothing was shown before, elements that read it fail with the reason, and none waits for ever', async () => {
    const harness = await Harness.start(
      pipeline('too-large-at-once', (p) => {
        const list = source<string>(p, 'side')
          .window('side-windows', fixedWindows(10))
          .asList('list', { maxBytes: 10_000 });
        const joined = source<string>(p, 'main')
          .window('main-windows', fixedWindows(10))
          .parDo('join', { process: (_, { output, side }) => output(side.list.length) }, { sideInputs: { list } });
        capture(joined);
      }),
    );
    await harness.send('main', { at: 1, value: 'A' }, { at: 11, value: 'B' });
    await harness.send('side', ...elements(11));
    await harness.finish('side', 'main');
    expect(harness.values()).toEqual([0]);
    expect(harness.deadLetters().map(({ stage, kind, code, count }) => [stage, kind, code, count])).toEqual([
      ['list', 'firing', 'VIEW_TOO_LARGE', 11],
      ['join', 'element', 'VIEW_TOO_LARGE', 1],
    ]);
    expect(harness.remains()).toEqual([]);
  });
});
