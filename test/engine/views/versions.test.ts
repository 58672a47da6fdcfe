import { describe, expect, it } from 'vitest';
import { pipeline } from '../../../functions/model/pipeline.ts';
import { afterCount, afterWatermark, repeatedly } from '../../../functions/model/triggers.ts';
import type { ViewOptions } from '../../../functions/model/views.ts';
import { fixedWindows, globalWindow } from '../../../functions/model/windows.ts';
import type { Accumulation } from '../../../functions/model/windowing.ts';
import { capture, Harness, source } from './harness.ts';

/** Each main element with the list that it sees; the list's window fires with every bundle. */
function lists(accumulation: Accumulation, options: ViewOptions = {}) {
  return pipeline('lists', (p) => {
    const list = source<number>(p, 'side')
      .window('side-windows', globalWindow(), { trigger: repeatedly(afterCount(1)), accumulation })
      .asList('list', options);
    const joined = source<string>(p, 'main').parDo(
      'join',
      { process: (name, { output, side }) => output(`${name}:${side.list.join()}`) },
      { sideInputs: { list } },
    );
    capture(joined);
  });
}

describe('versions of a view', () => {
  for (const [accumulation, seen] of [
    ['accumulating', ['A:1', 'B:1,2', 'C:1,2,3,4']],
    ['discarding', ['A:1', 'B:2', 'C:3,4']],
  ] as const)
    it(`SI07: a newer pane replaces the older one (${accumulation})`, async () => {
      const harness = await Harness.start(lists(accumulation, { changeAtMostEvery: 0 }), { shards: 1 });
      await harness.send('main', { at: 1, value: 'A' });
      expect(harness.values()).toEqual([]);
      await harness.send('side', { at: 1, value: 1 });
      expect(harness.values()).toEqual(seen.slice(0, 1));
      await harness.send('side', { at: 2, value: 2 });
      await harness.send('main', { at: 2, value: 'B' });
      await harness.send('side', { at: 3, value: 3 }, { at: 3, value: 4 });
      await harness.send('main', { at: 3, value: 'C' });
      expect(harness.values()).toEqual(seen);
      await harness.finish('side', 'main');
      expect(harness.remains()).toEqual([]);
    });

  it('a pane that brings nothing new does not empty the view', async () => {
    // Fires early with each bundle, and once more, with nothing, when the watermark passes the window's end.
    const harness = await Harness.start(
      pipeline('empty-pane', (p) => {
        const list = source<number>(p, 'side')
          .window('side-windows', fixedWindows(10), {
            trigger: afterWatermark({ early: afterCount(1) }),
            accumulation: 'discarding',
            allowedLateness: 0,
          })
          .asList('list');
        const joined = source<string>(p, 'main')
          .window('main-windows', fixedWindows(10))
          .parDo('join', { process: (_, { output, side }) => output(side.list) }, { sideInputs: { list } });
        capture(joined);
      }),
    );
    await harness.send('side', { at: 1, value: 1 });
    await harness.watermark('side', 100);
    await harness.advance(60_000);
    await harness.send('main', { at: 5, value: 'A' });
    expect(harness.values()).toEqual([[1]]);
  });

  it('changes at most so often as its author said, and then to the newest pane', async () => {
    const harness = await Harness.start(lists('accumulating', { changeAtMostEvery: '10s' }), { shards: 1 });
    await harness.send('side', { at: 1, value: 1 });
    await harness.advance(4_000);
    await harness.send('side', { at: 2, value: 2 });
    await harness.send('side', { at: 3, value: 3 });
    await harness.send('main', { at: 1, value: 'A' });
    await harness.advance(5_999);
    await harness.send('main', { at: 2, value: 'B' });
    await harness.advance(1);
    await harness.send('main', { at: 3, value: 'C' });
    expect(harness.values()).toEqual(['A:1', 'B:1', 'C:1,2,3']);
  });

  it('readers who have no reason to be told find a new version by themselves, after ten seconds', async () => {
    const harness = await Harness.start(lists('accumulating', { changeAtMostEvery: 0 }), { shards: 1 });
    await harness.send('side', { at: 1, value: 1 });
    await harness.send('main', { at: 1, value: 'A' });
    await harness.send('main', { at: 1, value: 'A' });
    harness.lose = (message) => message.kind === 'tick' && message.target.startsWith('join');
    await harness.send('side', { at: 2, value: 2 });
    await harness.advance(9_999);
    await harness.send('main', { at: 2, value: 'B' });
    await harness.advance(1);
    await harness.send('main', { at: 3, value: 'C' });
    expect(harness.values()).toEqual(['A:1', 'A:1', 'B:1', 'C:1,2']);
  });

  it('replaced versions are deleted a minute later, and a steady view is one version', async () => {
    const harness = await Harness.start(lists('accumulating', { changeAtMostEvery: 0 }), { shards: 1 });
    for (let i = 1; i <= 5; i++) await harness.send('side', { at: i, value: i });
    // A pointer and a chunk each; the four older chunks wait.
    expect(harness.store.size('views')).toBe(6);
    await harness.advance(60_000);
    expect(harness.store.size('views')).toBe(2);
    expect(harness.store.size('runs')).toBe(0);
  });
});
