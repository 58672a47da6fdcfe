import { describe, expect, it } from 'vitest';
import { CombineError } from '../../../functions/engine/reduce/combine-error.ts';
import type { ReduceInput } from '../../../functions/engine/reduce/contract.ts';
import { KeyReduction } from '../../../functions/engine/reduce/key-reduction.ts';
import { type CombineFn, collect, sum } from '../../../functions/model/combine.ts';
import { afterCount, afterProcessingTime, repeatedly } from '../../../functions/model/triggers.ts';
import { fixedWindows, slidingWindows } from '../../../functions/model/windows.ts';
import { at, Stepper, strategyOf } from './stepping.ts';

const lifted = (value: unknown, count: number, earliest: number, latest: number): ReduceInput => ({
  value,
  lifted: true,
  count,
  timestamp: at(earliest),
  latest: at(latest),
  windows: [{ start: at(0), end: at(10) }],
});

describe('accumulators that the sender has made', () => {
  it('merge with plain elements', () => {
    const key = new Stepper(strategyOf(), sum())
      .bundle([lifted(5, 3, 1, 4)])
      .input([2, 6])
      .bundle([lifted(1, 1, 9, 9)]);
    expect(key.watermark(10).taken()).toEqual([['ON_TIME', 8]]);
  });
  it('count as the elements they stand for', () => {
    const key = new Stepper(strategyOf({ trigger: repeatedly(afterCount(3)) }), sum());
    expect(key.bundle([lifted(5, 2, 1, 4)]).taken()).toEqual([]);
    expect(key.input([2, 6]).taken()).toEqual([['EARLY', 7]]);
  });
  it('are reported late whole', () => {
    const key = new Stepper(strategyOf(), sum()).watermark(10);
    const input = lifted(5, 3, 1, 4);
    expect(key.bundle([input]).lates).toEqual([
      { input, window: { start: 0, end: 10 }, reason: 'expired', watermark: 10 },
    ]);
  });
  it.each([
    ['earliest', 2, 8, 2],
    ['latest', 2, 8, 8],
    ['endOfWindow', 2, 8, 9],
  ] as const)('hold the watermark: %s', (timestampCombiner, earliest, latest, hold) => {
    const key = new Stepper(strategyOf({ timestampCombiner }), sum()).bundle([lifted(5, 3, earliest, latest)]);
    expect(key.reduction.hold()).toBe(hold);
  });
  it('hold at the output watermark where a part of them is behind it', () => {
    const key = new Stepper(strategyOf({ timestampCombiner: 'earliest' }), sum()).watermark(5);
    expect(key.bundle([lifted(5, 3, 2, 8)]).reduction.hold()).toBe(5);
  });
});

describe('sliding windows', () => {
  it('never share an accumulator (C05)', () => {
    const key = new Stepper(strategyOf({ windowFn: slidingWindows(10, { every: 5 }) }), collect<number>());
    key.input([1, 7]).input([2, 12]).watermark(100);
    expect(key.panes.map(({ window, value }) => [window.start, value])).toEqual([
      [0, [1]],
      [5, [1, 2]],
      [10, [2]],
    ]);
  });
});

describe('a result that cannot be made', () => {
  const failing: CombineFn<number, number, number> = {
    ...(sum() as CombineFn<number, number, number>),
    extract: (total) => {
      if (total > 5) throw new Error('too much');
      return total;
    },
  };

  it('is reported with what it had, and counts as emitted', () => {
    const key = new Stepper(strategyOf({ allowedLateness: 5, accumulation: 'accumulating' }), failing);
    key.input([7, 3]).watermark(10);
    expect(key.panes).toEqual([]);
    expect(key.failures).toEqual([
      {
        window: { start: 0, end: 10 },
        timestamp: 9,
        pane: { timing: 'ON_TIME', index: 0, nonSpeculativeIndex: 0, isFirst: true, isLast: false },
        error: new Error('too much'),
        accumulator: 7,
      },
    ]);
    expect(key.reduction.hold()).toBeUndefined();
    key.input([-4, 3]);
    expect(key.panes.map(({ pane, value }) => [pane.timing, pane.index, value])).toEqual([['LATE', 1, 3]]);
  });
  it('leaves nothing of a window that it was the last of', () => {
    const key = new Stepper(strategyOf(), failing).input([7, 3]).watermark(10);
    expect(key.failures).toHaveLength(1);
    expect(key.reduction.encode()).toBeUndefined();
  });
});

describe('a value that cannot be combined', () => {
  it('is named by the error', () => {
    const key = new Stepper(strategyOf(), sum());
    const bad = key.element(Number.NaN, 4);
    const run = () => key.bundle([key.element(1, 3), bad]);
    expect(run).toThrow('combining a value failed: cannot add NaN');
    expect(run).toThrow(CombineError);
    expect(run).toThrow(expect.objectContaining({ input: bad, code: 'COMBINE' }));
  });
});

describe('the encoded state', () => {
  const busy = () => {
    const key = new Stepper(
      strategyOf({ trigger: repeatedly(afterProcessingTime(5)), timestampCombiner: 'earliest' }),
      collect<unknown>(),
    );
    return key.processingTime(100).input(['a', 3], ['b', 25]);
  };

  it('is a line of JSON a window', () => {
    const lines = busy().reduction.encode()?.trimEnd().split('\n') ?? [];
    expect(lines.map((line) => JSON.parse(line).slice(0, 2))).toEqual([
      [0, 10],
      [20, 30],
    ]);
  });
  it('is the same after it was read', () => {
    const key = busy();
    const encoded = key.reduction.encode();
    expect(key.readBack().reduction.encode()).toBe(encoded);
  });
  it('is made anew only for windows that have changed', () => {
    const encoded: string[][] = [];
    const key = new Stepper(strategyOf(), collect<string>()).input(['a', 3], ['b', 25]);
    key.reduction.encode();
    const stringify = JSON.stringify;
    JSON.stringify = ((value: string[]) => {
      encoded.push([...value]);
      return stringify(value);
    }) as typeof JSON.stringify;
    try {
      key.input(['c', 26]).reduction.encode();
    } finally {
      JSON.stringify = stringify;
    }
    expect(encoded).toEqual([['b', 'c']]);
  });

  it('carries values that plain JSON does not', () => {
    const key = new Stepper(strategyOf(), collect<unknown>());
    key
      .input([new Date(0), 1], [12n, 2], [undefined, 3])
      .readBack()
      .watermark(10);
    expect(key.taken()).toEqual([['ON_TIME', [new Date(0), 12n, undefined]]]);
  });

  it.each([
    ['no JSON', '{', 'the state of a window cannot be read, it is not JSON: {'],
    ['other JSON', '[1,2,3]', 'the state of a window cannot be read, it does not have the fields of a window: [1,2,3]'],
    [
      'the state of another trigger',
      '[0,10,4,1,9,-1,-1,1,[1,2],[],[]]',
      'the state of a window cannot be read, it was written for another trigger: [0,10,4,1,9,-1,-1,1,[1,2],[],[]]',
    ],
  ])('that is %s is refused', (_title, encoded, message) => {
    const { spec } = new Stepper(strategyOf({ windowFn: fixedWindows(10) }), sum());
    expect(() => KeyReduction.decode(spec, encoded)).toThrow(message);
  });
});
