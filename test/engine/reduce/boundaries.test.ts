import { describe, expect, it } from 'vitest';
import { collect, sum } from '../../../functions/model/combine.ts';
import { MAX_ELEMENT_TIMESTAMP, MAX_TIMESTAMP } from '../../../functions/model/time.ts';
import { afterCount, afterProcessingTime, afterWatermark, repeatedly } from '../../../functions/model/triggers.ts';
import { globalWindow, sessions } from '../../../functions/model/windows.ts';
import { Stepper, strategyOf } from './stepping.ts';

describe('an element at a window’s end', () => {
  it('is in the next window', () => {
    const key = new Stepper(strategyOf(), collect<string>()).input(['last', 9], ['first', 10]).watermark(20);
    expect(key.panes.map(({ window, value }) => [window.start, window.end, value])).toEqual([
      [0, 10, ['last']],
      [10, 20, ['first']],
    ]);
  });
  it('before 1970 too', () => {
    const key = new Stepper(strategyOf(), collect<string>())
      .input(['a', -1], ['b', -10], ['c', -11], ['d', 0])
      .watermark(20);
    expect(key.panes.map(({ window, value }) => [window.start, value])).toEqual([
      [-20, ['c']],
      [-10, ['a', 'b']],
      [0, ['d']],
    ]);
  });
});

describe('the watermark', () => {
  it('fires a window when it equals its end, and not one millisecond before (R4)', () => {
    const key = new Stepper(strategyOf(), sum()).input([1, 3]);
    expect(key.reduction.due()).toMatchObject({ event: 10, processing: MAX_TIMESTAMP });
    expect(key.watermark(9).taken()).toEqual([]);
    expect(key.watermark(10).taken()).toEqual([['ON_TIME', 1]]);
    expect(key.reduction.encode()).toBeUndefined();
  });
  it('ends the global window only with the input', () => {
    const key = new Stepper(strategyOf({ windowFn: globalWindow() }), sum()).input([1, 3]);
    expect(key.watermark(MAX_ELEMENT_TIMESTAMP).taken()).toEqual([]);
    expect(key.watermark(MAX_TIMESTAMP).taken()).toEqual([['ON_TIME', 1]]);
  });
});

describe('allowed lateness', () => {
  const late = () => new Stepper(strategyOf({ allowedLateness: 5, accumulation: 'accumulating' }), sum());

  it('takes an element while the watermark is at the last instant plus lateness, to the millisecond', () => {
    const key = late().input([1, 3]).watermark(14).input([2, 4]);
    expect(key.taken()).toEqual([
      ['ON_TIME', 1],
      ['LATE', 3],
    ]);
    expect(key.lates).toEqual([]);
  });
  it('drops it one millisecond later, and says why', () => {
    const key = late().input([1, 3]).watermark(15).input([2, 4]);
    expect(key.taken()).toEqual([['ON_TIME', 1]]);
    expect(key.lates).toEqual([
      { input: key.element(2, 4), window: { start: 0, end: 10 }, reason: 'expired', watermark: 15 },
    ]);
    expect(key.reduction.encode()).toBeUndefined();
  });
  it('keeps a window exactly so long', () => {
    const key = late().input([1, 3]).watermark(10);
    expect(key.reduction.due().event).toBe(15);
    expect(key.watermark(14).reduction.encode()).toBeDefined();
    expect(key.watermark(15).reduction.encode()).toBeUndefined();
  });
});

describe('a delay', () => {
  it('is over when processing time is past it (R4)', () => {
    const key = new Stepper(strategyOf({ trigger: repeatedly(afterProcessingTime(5)) }), sum());
    key.processingTime(100).input([1, 3]);
    expect(key.reduction.due()).toMatchObject({ event: 10, processing: 106 });
    expect(key.processingTime(105).taken()).toEqual([]);
    expect(key.processingTime(106).taken()).toEqual([['EARLY', 1]]);
    expect(key.reduction.due().processing).toBe(MAX_TIMESTAMP);
  });
  it('that a count has overtaken wakes nobody', () => {
    const trigger = afterWatermark({
      early: repeatedly({ kind: 'afterFirst', triggers: [afterCount(2), afterProcessingTime(5)] }),
    });
    const key = new Stepper(strategyOf({ trigger }), sum()).processingTime(100).input([1, 3]).input([2, 3]);
    expect(key.taken()).toEqual([['EARLY', 3]]);
    expect(key.reduction.due().processing).toBe(MAX_TIMESTAMP);
  });
});

describe('a closed window', () => {
  const closing = () =>
    new Stepper(strategyOf({ trigger: afterCount(2), allowedLateness: 5 }), sum()).input([1, 1], [1, 2]);

  it('keeps its bounds, and nothing else, until it expires (R11)', () => {
    const key = closing();
    expect(key.taken()).toEqual([['EARLY', 2]]);
    expect(key.reduction.encode()).toBe('[0,10]\n');
    expect(key.reduction.hold()).toBeUndefined();
    expect(key.reduction.due()).toMatchObject({ event: 15, processing: MAX_TIMESTAMP });
    expect(key.watermark(15).reduction.encode()).toBeUndefined();
  });
  it('refuses elements as closed, and as expired after that', () => {
    const key = closing().readBack().input([1, 5]).watermark(15).input([1, 5]);
    expect(key.lates.map(({ reason }) => reason)).toEqual(['closed', 'expired']);
  });
});

describe('sessions', () => {
  const session = () => new Stepper(strategyOf({ windowFn: sessions(10) }), collect<number>());

  it('merge when they share a millisecond', () => {
    expect(session().input([1, 0]).input([2, 9]).watermark(100).taken()).toEqual([['ON_TIME', [1, 2]]]);
  });
  it('stay apart when one begins where the other ends (R10)', () => {
    expect(session().input([1, 0]).input([2, 10]).watermark(100).taken()).toEqual([
      ['ON_TIME', [1]],
      ['ON_TIME', [2]],
    ]);
  });
  it('are bridged by an element between them', () => {
    const key = session().input([1, 0], [2, 15]).input([3, 8]).watermark(100);
    expect(key.panes.map(({ window }) => window)).toEqual([{ start: 0, end: 25 }]);
    expect(key.taken()).toEqual([['ON_TIME', [1, 2, 3]]]);
  });
});
