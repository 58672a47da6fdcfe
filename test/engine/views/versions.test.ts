import { describe, expect, it } from 'vitest';
import { count, latest, sum } from '../../../functions/model/combine.ts';
import type { SideContext } from '../../../functions/model/dofn.ts';
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

describe('views of what a trigger emits again and again', () => {
  const TRIGGERED = {
    trigger: afterWatermark({ early: afterCount(1), late: afterCount(1) }),
    allowedLateness: 100,
  } as const;

  for (const accumulation of ['accumulating', 'discarding'] as const)
    it(`a singleton shows the newest pane (${accumulation})`, async () => {
      const harness = await Harness.start(
        pipeline('newest', (p) => {
          const view = source<number>(p, 'side')
            .window('side-windows', fixedWindows(10), { ...TRIGGERED, accumulation })
            .combineGlobally(
              'newest',
              latest<number>((value) => value),
            )
            .asSingleton('view', { changeAtMostEvery: 0 });
          const process = (name: string, { output, side }: SideContext<string, { view: typeof view }>): void =>
            output(`${name}${side.view}`);
          const main = source<string>(p, 'main').window('main-windows', fixedWindows(10), {
            allowedLateness: 100,
            accumulation: 'discarding',
          });
          capture(main.parDo('join', { process }, { sideInputs: { view } }));
        }),
        { shards: 1 },
      );
      await harness.send('side', { at: 1, value: 1 });
      await harness.send('main', { at: 1, value: 'A' });
      await harness.send('side', { at: 2, value: 2 });
      await harness.send('main', { at: 2, value: 'B' });
      await harness.watermark('side', 50);
      await harness.send('side', { at: 3, value: 3 });
      await harness.send('main', { at: 3, value: 'C' });
      expect(harness.values()).toEqual(['A1', 'B2', 'C3']);
      expect(harness.deadLetters()).toEqual([]);
    });

  it('a map shows the newest pane of each key, and its budget counts what is shown', async () => {
    const harness = await Harness.start(
      pipeline('newest-of-keys', (p) => {
        const view = source<readonly [string, number]>(p, 'side')
          .window('side-windows', fixedWindows(10), { ...TRIGGERED, accumulation: 'accumulating' })
          .keyBy('key', ([key]) => key)
          .mapValues('value', ([, value]) => value)
          .combinePerKey('sums', sum())
          .asMap('view', { changeAtMostEvery: 0, maxBytes: 1_024 });
        const process = async (key: string, context: SideContext<unknown, { view: typeof view }>): Promise<void> =>
          context.output([key, (await context.side.view.get(key)) ?? null, context.side.view.size]);
        const main = source<string>(p, 'main').window('main-windows', fixedWindows(10));
        capture(main.parDo('join', { process }, { sideInputs: { view } }));
      }),
      { shards: 1 },
    );
    // Each of 200 panes has some ten bytes.
    for (let i = 0; i < 200; i++) await harness.send('side', { at: 1, value: [i % 2 === 0 ? 'a' : 'b', 1] });
    await harness.send('main', { at: 1, value: 'a' });
    await harness.send('side', { at: 2, value: ['a', 1_000] });
    for (const value of ['a', 'b', 'c']) await harness.send('main', { at: 1, value });
    expect(harness.values()).toEqual([
      ['a', 100, 2],
      ['a', 1_100, 2],
      ['b', 100, 2],
      ['c', null, 2],
    ]);
    expect(harness.deadLetters()).toEqual([]);
  });

  it('panes of several groups are too many for a singleton, as in Beam', async () => {
    const harness = await Harness.start(
      pipeline('several-groups', (p) => {
        const view = source<string>(p, 'side')
          .window('side-windows', fixedWindows(10))
          .keyBy('key', (value) => value)
          .combinePerKey('count', count())
          .values('counts')
          .asSingleton('view');
        const process = (_: string, { output, side }: SideContext<number, { view: typeof view }>): void =>
          output(side.view);
        const main = source<string>(p, 'main').window('main-windows', fixedWindows(10));
        capture(main.parDo('join', { process }, { sideInputs: { view } }));
      }),
    );
    await harness.send('side', { at: 1, value: 'a' }, { at: 1, value: 'b' });
    await harness.send('main', { at: 1, value: 'A' });
    await harness.finish('side', 'main');
    expect(harness.deadLetters().map(({ stage, code }) => [stage, code])).toEqual([
      ['view', 'VIEW_SHAPE'],
      ['join', 'VIEW_SHAPE'],
    ]);
  });
});
