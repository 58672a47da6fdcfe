import { describe, expect, it } from 'vitest';
import { sum } from '../../../functions/model/combine.ts';
import { pipeline } from '../../../functions/model/pipeline.ts';
import { afterCount, repeatedly } from '../../../functions/model/triggers.ts';
import type { View } from '../../../functions/model/views.ts';
import {
  fixedWindows,
  globalWindow,
  sessions,
  slidingWindows,
  type WindowFn,
} from '../../../functions/model/windows.ts';
import { capture, Harness, source } from './harness.ts';

/** The main input's elements, each with the sum of the side input that it sees. */
function sums(side: WindowFn, main: WindowFn = fixedWindows(10)) {
  return pipeline('sums', (p) => {
    const total = source<number>(p, 'side')
      .window('side-windows', side)
      .combineGlobally('side-sum', sum())
      .asSingleton('total');
    const joined = source<string>(p, 'main')
      .window('main-windows', main)
      .parDo(
        'join',
        { process: (name, context) => context.output(`${name}${context.side.total}`) },
        { sideInputs: { total } },
      );
    capture(joined);
  });
}

const SIDE = [
  { at: 1, value: 1 },
  { at: 11, value: 2 },
  { at: 13, value: 3 },
];
const MAIN = [
  { at: 4, value: 'A' },
  { at: 15, value: 'B' },
  { at: 7, value: 'C' },
];

describe('what an element sees', () => {
  it('SI01: with equal windows, the side window that is its own', async () => {
    const harness = await Harness.start(sums(fixedWindows(10)));
    await harness.send('side', ...SIDE);
    await harness.send('main', ...MAIN);
    expect(harness.values().sort()).toEqual(['A1', 'C1']);
    await harness.finish('side', 'main');
    expect(harness.values().sort()).toEqual(['A1', 'B5', 'C1']);
    expect(harness.remains()).toEqual([]);
  });

  it('SI02: with a global side input, all of it', async () => {
    const harness = await Harness.start(sums(globalWindow()));
    await harness.send('main', ...MAIN);
    await harness.send('side', ...SIDE);
    expect(harness.values()).toEqual([]);
    await harness.finish('side', 'main');
    expect(harness.values().sort()).toEqual(['A6', 'B6', 'C6']);
    expect(harness.remains()).toEqual([]);
  });

  it('SI03: where its side window has nothing, the default', async () => {
    const harness = await Harness.start(sums(fixedWindows(10)));
    await harness.send('side', { at: 11, value: 2 }, { at: 13, value: 3 });
    await harness.send('main', ...MAIN);
    await harness.finish('side', 'main');
    expect(harness.values().sort()).toEqual(['A0', 'B5', 'C0']);
    expect(harness.deadLetters()).toEqual([]);
  });

  it('SI04: the side window that holds the last instant of its own', async () => {
    // [0, 10) ends at 9, in the side window [8, 12); [10, 20) ends at 19, in [16, 20).
    const harness = await Harness.start(sums(fixedWindows(4)));
    await harness.send('side', { at: 5, value: 1 }, { at: 8, value: 20 }, { at: 17, value: 300 });
    await harness.send('main', ...MAIN);
    await harness.finish('side', 'main');
    expect(harness.values().sort()).toEqual(['A20', 'B300', 'C20']);
  });

  it('SI04: of several sliding side windows, the earliest that holds that instant', async () => {
    // 9 is in [0, 10) and [5, 15).
    const harness = await Harness.start(sums(slidingWindows(10, { every: 5 })));
    await harness.send('side', { at: 1, value: 1 }, { at: 6, value: 20 }, { at: 12, value: 300 });
    await harness.send('main', { at: 4, value: 'A' });
    await harness.finish('side', 'main');
    expect(harness.values()).toEqual(['A21']);
  });

  it('SI04: of a session, that of the merged session', async () => {
    const harness = await Harness.start(
      pipeline('merged', (p) => {
        const total = source<number>(p, 'side')
          .window('side-windows', fixedWindows(10))
          .combineGlobally('side-sum', sum())
          .asSingleton('total');
        const grouped = source<string>(p, 'main')
          .window('main-windows', sessions(6))
          .keyBy('key', () => 'k')
          .groupByKey('group')
          .parDo(
            'join',
            { process: ({ value }, { output, side }) => output(`${value.join('')}${side.total}`) },
            { sideInputs: { total } },
          );
        capture(grouped);
      }),
    );
    await harness.send('side', ...SIDE);
    // [4, 10) and [9, 15) merge to [4, 15), which ends in [10, 20).
    await harness.send('main', { at: 4, value: 'A' }, { at: 9, value: 'B' });
    await harness.finish('side', 'main');
    expect(harness.values()).toEqual(['AB5']);
    expect(harness.remains()).toEqual([]);
  });

  it('SI04: a global main window cannot read a windowed side input, and sessions can be no side input', () => {
    expect(() => sums(fixedWindows(10), globalWindow())).toThrow(
      "parDo 'join': its input is in the global window and the view 'total' is in fixed windows, so no element could say which one it reads; window the main input, or make the side input global",
    );
    expect(() => sums(sessions(10))).toThrow("view 'total': sessions differ from key to key");
  });
});

describe('waiting', () => {
  it('SI05: an element whose side window may still get something waits, and holds the watermark', async () => {
    const harness = await Harness.start(sums(fixedWindows(10)));
    await harness.send('main', { at: 4, value: 'A' });
    await harness.watermark('main', 500);
    expect(harness.values()).toEqual([]);
    expect(await harness.outputWatermark('join')).toBe(4);
    await harness.send('side', { at: 1, value: 7 });
    expect(harness.values()).toEqual([]);
    await harness.watermark('side', 10);
    expect(harness.values()).toEqual(['A7']);
    expect(await harness.outputWatermark('join')).toBe(500);
  });

  it('SI05: past the point where a pane must have come there is the default, and no element waits', async () => {
    const harness = await Harness.start(sums(fixedWindows(10)));
    await harness.send('main', { at: 4, value: 'A' });
    await harness.watermark('side', 9);
    expect(harness.values()).toEqual([]);
    await harness.watermark('side', 10);
    expect(harness.values()).toEqual(['A0']);
  });

  it('SI05: a view that never gets data does not hang the main input', async () => {
    for (const side of [fixedWindows(10), globalWindow()]) {
      const harness = await Harness.start(sums(side));
      await harness.send('main', ...MAIN);
      await harness.finish('side', 'main');
      expect(harness.values().sort()).toEqual(['A0', 'B0', 'C0']);
      expect(harness.remains()).toEqual([]);
    }
  });

  it('SI05: a trigger that does not wait for the watermark promises nothing before the window expires', async () => {
    const harness = await Harness.start(
      pipeline('counted', (p) => {
        const list = source<number>(p, 'side')
          .window('side-windows', fixedWindows(10), {
            trigger: repeatedly(afterCount(3)),
            allowedLateness: 5,
            accumulation: 'accumulating',
          })
          .asList('list');
        const joined = source<string>(p, 'main')
          .window('main-windows', fixedWindows(10))
          .parDo(
            'join',
            { process: (name, context) => context.output(`${name}${context.side.list.join('+')}`) },
            { sideInputs: { list } },
          );
        capture(joined);
      }),
    );
    await harness.send('side', { at: 1, value: 1 }, { at: 2, value: 2 });
    await harness.send('main', { at: 4, value: 'A' }, { at: 15, value: 'B' });
    // The windows take elements as long as the watermark is at most 14, and 24.
    await harness.watermark('side', 14);
    expect(harness.values()).toEqual([]);
    await harness.watermark('side', 15);
    expect(harness.values()).toEqual(['A1+2']);
    await harness.watermark('side', 24);
    expect(harness.values()).toEqual(['A1+2']);
    await harness.watermark('side', 25);
    expect(harness.values()).toEqual(['A1+2', 'B']);
  });

  it('SI06: of an element in several windows, only those wait that are not ready', async () => {
    const harness = await Harness.start(sums(fixedWindows(10), slidingWindows(20, { every: 10 })));
    await harness.send('side', { at: 11, value: 5 });
    await harness.watermark('side', 20);
    // [0, 20) ends in the side window [10, 20), which is ready; [10, 30) ends in [20, 30), which is not.
    await harness.send('main', { at: 15, value: 'A' });
    expect(harness.out().map(({ value, window }) => [value, window])).toEqual([['A5', [0, 20]]]);
    await harness.send('side', { at: 21, value: 6 });
    await harness.watermark('side', 30);
    expect(harness.out().map(({ value, window }) => [value, window])).toEqual([
      ['A5', [0, 20]],
      ['A6', [10, 30]],
    ]);
  });

  it('SI06: those that wait for one window go on in the order in which they came', async () => {
    const harness = await Harness.start(sums(fixedWindows(10)), { shards: 1 });
    await harness.send('main', { at: 4, value: 'A' }, { at: 7, value: 'B' });
    await harness.send('main', { at: 5, value: 'C' });
    await harness.watermark('side', 10);
    await harness.send('main', { at: 6, value: 'D' });
    expect(harness.values()).toEqual(['A0', 'B0', 'C0', 'D0']);
  });

  it('SI12: what waits holds the watermark at the earliest of its timestamps, however far the input is', async () => {
    const harness = await Harness.start(sums(globalWindow()));
    await harness.send('main', { at: 40, value: 'A' }, { at: 30, value: 'B' });
    await harness.send('main', { at: 50, value: 'C' });
    await harness.end('main');
    expect(await harness.outputWatermark('join')).toBe(30);
    await harness.end('side');
    expect(await harness.outputWatermark('join')).toBe(8.64e15);
  });

  it('an element that waits is not made late by the expiry of its own window', async () => {
    const harness = await Harness.start(
      pipeline('counted-behind', (p) => {
        const total = source<number>(p, 'side')
          .window('side-windows', fixedWindows(10))
          .combineGlobally('side-sum', sum())
          .asSingleton('total');
        const counted = source<number>(p, 'main')
          .window('main-windows', fixedWindows(10))
          .parDo(
            'join',
            { process: (value, { output, side }) => output(value * side.total) },
            { sideInputs: { total } },
          )
          .combineGlobally('main-sum', sum());
        capture(counted);
        capture(counted.late(), 'late');
      }),
    );
    await harness.send('main', { at: 4, value: 2 });
    await harness.watermark('main', 1_000);
    await harness.send('side', { at: 3, value: 10 });
    await harness.send('main', { at: 1_004, value: 3 });
    await harness.watermark('side', 10);
    await harness.finish('main', 'side');
    expect(harness.out().map(({ value, window }) => [value, window])).toEqual([
      [20, [0, 10]],
      [0, [1_000, 1_010]],
    ]);
    expect(harness.values('late')).toEqual([]);
    expect(harness.deadLetters()).toEqual([]);
    expect(harness.remains()).toEqual([]);
  });
});

describe('several views', () => {
  it('an element waits for all of them', async () => {
    const harness = await Harness.start(
      pipeline('two-views', (p) => {
        const a = source<number>(p, 'a').window('a-windows', fixedWindows(10)).asList('list-a');
        const b = source<number>(p, 'b').window('b-windows', fixedWindows(20)).asList('list-b');
        const joined = source<string>(p, 'main')
          .window('main-windows', fixedWindows(10))
          .parDo(
            'join',
            { process: (name, { output, side }) => output(`${name}:${side.a.join()}/${side.b.join()}`) },
            { sideInputs: { a, b } },
          );
        capture(joined);
      }),
    );
    await harness.send('main', { at: 4, value: 'A' }, { at: 14, value: 'B' });
    await harness.send('a', { at: 1, value: 1 }, { at: 12, value: 2 });
    await harness.watermark('a', 20);
    expect(harness.values()).toEqual([]);
    await harness.send('b', { at: 1, value: 3 }, { at: 12, value: 4 });
    await harness.watermark('b', 20);
    expect(harness.values().sort()).toEqual(['A:1/3,4', 'B:2/3,4']);
    await harness.finish('a', 'b', 'main');
    expect(harness.remains()).toEqual([]);
  });

  it('SI10: a view that the step has not declared cannot be read', async () => {
    const harness = await Harness.start(
      pipeline('undeclared', (p) => {
        const declared = source<number>(p, 'a').asList('declared');
        const other: View<readonly number[]> = source<number>(p, 'b').asList('other');
        const main = source<string>(p, 'main');
        capture(
          main.parDo<number>('none', { process: (_, { sideInput, output }) => output(sideInput(other).length) }),
          'x',
        );
        const reads = main.parDo(
          'one',
          { process: (_, { sideInput, output }) => output(sideInput(declared).length + sideInput(other).length) },
          { sideInputs: { declared } },
        );
        capture(reads, 'y');
      }),
    );
    await harness.send('main', { at: 1, value: 'A' });
    await harness.finish('a', 'b', 'main');
    expect([...harness.values('x'), ...harness.values('y')]).toEqual([]);
    expect(harness.deadLetters().map(({ step, code, message }) => [step, code, message])).toEqual([
      [
        'none',
        'CONFIGURATION',
        "'none' reads the view 'other', which it has not declared; add it to { sideInputs: { … } }",
      ],
      [
        'one',
        'CONFIGURATION',
        "'one' reads the view 'other', which it has not declared; add it to { sideInputs: { … } }",
      ],
    ]);
  });

  it('SI11: an unbounded collection in the global window without a trigger is refused', () => {
    expect(() =>
      pipeline('unbounded', (p) => {
        p.readPubSub('topic', { schema: { parse: (value) => value } }).asList('all');
      }),
    ).toThrow("view 'all': groups an unbounded collection in the global window with the default trigger");
  });
});
