/** Watermark holds (R9): where they are, and what the panes that let them go are stamped with. */
import { describe, expect, it } from 'vitest';
import { sum } from '../../../functions/model/combine.ts';
import { afterCount, afterWatermark, repeatedly } from '../../../functions/model/triggers.ts';
import { sessions } from '../../../functions/model/windows.ts';
import { Stepper, strategyOf } from './stepping.ts';

const stamps = (key: Stepper<number, unknown, number>) => key.panes.splice(0).map(({ timestamp }) => timestamp);

describe('elements that are in time', () => {
  it.each([
    ['endOfWindow', 9, 9],
    ['earliest', 2, 2],
    ['latest', 7, 7],
  ] as const)('hold and stamp by %s', (timestampCombiner, hold, stamp) => {
    const key = new Stepper(strategyOf({ timestampCombiner }), sum()).input([1, 5], [1, 2]).input([1, 7]);
    expect(key.reduction.hold()).toBe(hold);
    expect(stamps(key.watermark(10))).toEqual([stamp]);
  });
  it('hold the earliest of several windows', () => {
    expect(new Stepper(strategyOf(), sum()).input([1, 25], [1, 3], [1, 15]).reduction.hold()).toBe(9);
  });
  it('let go with their pane, early ones too', () => {
    const trigger = afterWatermark({ early: afterCount(1), late: afterCount(1) });
    const key = new Stepper(
      strategyOf({ trigger, timestampCombiner: 'earliest', accumulation: 'accumulating' }),
      sum(),
    );
    expect(key.input([1, 5]).reduction.hold()).toBeUndefined();
    expect(stamps(key)).toEqual([5]);
    expect(stamps(key.watermark(6).input([1, 8]))).toEqual([8]);
  });
});

describe('a window whose elements have all left in early panes', () => {
  const early = (onTime: 'always' | 'ifNonEmpty') =>
    new Stepper(strategyOf({ trigger: afterWatermark({ early: afterCount(1) }), onTime }), sum()).input([1, 5]);

  it('holds at its last instant for the on-time pane that is sure to come', () => {
    const key = early('always');
    expect([key.reduction.hold(), key.reduction.timerHold()]).toEqual([undefined, 9]);
    expect(key.watermark(10).reduction.timerHold()).toBeUndefined();
  });
  it('holds there too when that pane comes because the window expires', () => {
    const trigger = repeatedly(afterCount(1));
    expect(new Stepper(strategyOf({ trigger }), sum()).input([1, 5]).reduction.timerHold()).toBe(9);
    const expiresLater = new Stepper(strategyOf({ trigger, allowedLateness: 5 }), sum()).input([1, 5]);
    expect(expiresLater.reduction.timerHold()).toBeUndefined();
  });
  it('is late at expiry in a shard, whose output watermark may be further than it knows, and on time in Beam', () => {
    const strategy = strategyOf({ trigger: repeatedly(afterCount(1)), allowedLateness: 5 });
    const timings = (outputMayBeFurther: boolean) =>
      new Stepper(strategy, sum(), outputMayBeFurther)
        .input([1, 5])
        .watermark(15)
        .panes.map(({ pane }) => pane.timing);
    expect(timings(true)).toEqual(['EARLY']);
    expect(timings(false)).toEqual(['EARLY', 'ON_TIME']);
  });
  it('is late at expiry in a shard also where the window holds, but only there', () => {
    const strategy = strategyOf({ trigger: repeatedly(afterCount(1)), allowedLateness: 5, closing: 'always' });
    const key = new Stepper(strategy, sum(), true).input([1, 5]);
    expect(key.reduction.hold()).toBe(14);
    expect(key.watermark(15).panes.map(({ pane }) => pane.timing)).toEqual(['EARLY', 'LATE']);
  });
  it('holds for nothing where an empty pane is not wanted', () => {
    expect(early('ifNonEmpty').reduction.timerHold()).toBeUndefined();
  });
});

describe('elements that come behind the output watermark', () => {
  it('hold at expiry, and are stamped with the window’s last instant', () => {
    const key = new Stepper(strategyOf({ timestampCombiner: 'earliest', allowedLateness: 20 }), sum())
      .watermark(5)
      .input([1, 3]);
    expect(key.reduction.hold()).toBe(29);
    expect(stamps(key.watermark(10))).toEqual([9]);
  });
  it('do not move what those in time hold', () => {
    const key = new Stepper(strategyOf({ timestampCombiner: 'earliest' }), sum()).watermark(5).input([1, 3], [1, 6]);
    expect(key.reduction.hold()).toBe(6);
    expect(stamps(key.watermark(10))).toEqual([6]);
  });
  it('hold at expiry in a window that has ended', () => {
    const key = new Stepper(strategyOf({ trigger: repeatedly(afterCount(2)), allowedLateness: 20 }), sum())
      .watermark(15)
      .input([1, 3]);
    expect(key.reduction.hold()).toBe(29);
  });
});

describe('an empty last pane that is sure to come', () => {
  it('holds at expiry once there was a firing', () => {
    const key = new Stepper(strategyOf({ closing: 'always', allowedLateness: 5 }), sum()).input([1, 3]);
    expect(key.reduction.hold()).toBe(9);
    expect(key.watermark(10).reduction.hold()).toBe(14);
    expect(key.watermark(15).panes.map(({ pane }) => [pane.timing, pane.isLast])).toEqual([
      ['ON_TIME', false],
      ['LATE', true],
    ]);
  });
});

describe('merging sessions', () => {
  it.each([
    ['endOfWindow', 25],
    ['earliest', 0],
    ['latest', 16],
  ] as const)('join their holds: %s', (timestampCombiner, hold) => {
    const key = new Stepper(strategyOf({ windowFn: sessions(10), timestampCombiner }), sum());
    expect(key.input([1, 0]).input([1, 16]).input([1, 8]).reduction.hold()).toBe(hold);
  });
});
