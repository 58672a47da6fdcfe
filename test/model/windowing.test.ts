import { describe, expect, it } from 'vitest';
import {
  afterCount,
  afterEach as inTurn,
  afterFirst,
  afterProcessingTime,
  afterWatermark,
  repeatedly,
} from '../../functions/model/triggers.ts';
import {
  afterGrouping,
  checkGroupable,
  DEFAULT_STRATEGY,
  flattenStrategies,
  rewindow,
  type WindowOptions,
  type WindowingStrategy,
} from '../../functions/model/windowing.ts';
import { fixedWindows, globalWindow, sessions, type WindowFn } from '../../functions/model/windows.ts';

const WHERE = "window 'hourly'";
const build = (options: WindowOptions, windowFn: WindowFn = fixedWindows('1h')): WindowingStrategy =>
  rewindow(WHERE, DEFAULT_STRATEGY, windowFn, options);
const safe = { trigger: repeatedly(afterCount(2)), accumulation: 'accumulating', allowedLateness: 0 } as const;

describe('a strategy', () => {
  it('has Beam’s defaults (R1)', () => {
    expect(build({})).toEqual({
      windowFn: { kind: 'fixed', size: 3_600_000, offset: 0 },
      trigger: { kind: 'default' },
      accumulation: 'discarding',
      allowedLateness: 0,
      timestampCombiner: 'endOfWindow',
      closing: 'ifNonEmpty',
      onTime: 'always',
    });
  });

  it('keeps what the author says', () => {
    const trigger = afterWatermark({ early: afterProcessingTime('10m'), late: afterCount(1) });
    const options = {
      trigger,
      accumulation: 'accumulating',
      allowedLateness: '6h',
      timestampCombiner: 'earliest',
      closing: 'always',
      onTime: 'ifNonEmpty',
    } as const;
    expect(build(options)).toEqual({
      ...options,
      windowFn: { kind: 'fixed', size: 3_600_000, offset: 0 },
      allowedLateness: 21_600_000,
    });
  });

  it('never has less lateness than before (V05)', () => {
    const before = build({ allowedLateness: '2h', accumulation: 'accumulating' });
    const lateness = (options: WindowOptions) => rewindow(WHERE, before, fixedWindows('1m'), options).allowedLateness;
    expect(lateness({})).toBe(7_200_000);
    expect(lateness({ allowedLateness: '1h', accumulation: 'accumulating' })).toBe(7_200_000);
    expect(lateness({ allowedLateness: '3h', accumulation: 'accumulating' })).toBe(10_800_000);
  });
});

describe('what is refused while the pipeline is built', () => {
  it.each<[string, WindowOptions, string]>([
    [
      'V01: a trigger that may finish',
      { ...safe, trigger: afterCount(1) },
      "window 'hourly': the trigger afterCount(1) may finish, and everything that its window gets afterwards would be lost; wrap it in repeatedly(…)",
    ],
    [
      'V01: a composed trigger that may finish',
      { ...safe, trigger: afterFirst(afterCount(1), afterProcessingTime(5)) },
      "window 'hourly': the trigger afterFirst(afterCount(1), afterProcessingTime(5)) may finish",
    ],
    [
      'V02: no late firings where data may be late',
      { ...safe, trigger: afterWatermark(), allowedLateness: '1s' },
      "window 'hourly': the trigger afterWatermark() may finish, and everything that its window gets afterwards would be lost; give it late firings, e.g. late: afterCount(1), or allowedLateness: 0 (it is 1000 ms)",
    ],
    [
      'V04: a trigger without an accumulation mode',
      { trigger: safe.trigger, allowedLateness: 0 },
      "window 'hourly': a trigger needs an accumulation mode; add accumulation: 'accumulating'",
    ],
    [
      'V04: a trigger without lateness',
      { trigger: safe.trigger, accumulation: 'discarding' },
      "window 'hourly': a trigger needs allowedLateness, the time that late elements are still taken; write allowedLateness: 0 to take none",
    ],
    [
      'V04: lateness without an accumulation mode',
      { allowedLateness: '1h' },
      `window 'hourly': allowedLateness "1h" needs an accumulation mode`,
    ],
    [
      'a lateness that is no duration',
      { ...safe, allowedLateness: -1 },
      "window 'hourly' allowedLateness: expected whole milliseconds, zero or more",
    ],
    [
      'an accumulation mode that there is not',
      { ...safe, accumulation: 'retracting' as never },
      "window 'hourly': accumulation is 'accumulating' or 'discarding', got \"retracting\"",
    ],
    [
      'a timestamp combiner that there is not',
      { timestampCombiner: 'first' as never },
      "window 'hourly': timestampCombiner is 'endOfWindow' or 'earliest' or 'latest', got \"first\"",
    ],
    [
      'a closing behaviour that there is not',
      { closing: 'no' as never },
      "window 'hourly': closing is 'always' or 'ifNonEmpty'",
    ],
    [
      'an on-time behaviour that there is not',
      { onTime: 'no' as never },
      "window 'hourly': onTime is 'always' or 'ifNonEmpty'",
    ],
  ])('%s', (_title, options, message) => expect(() => build(options)).toThrow(message));

  it('V02: late firings, and no lateness, are fine', () => {
    expect(build({ ...safe, trigger: afterWatermark({ early: afterCount(1) }) }).allowedLateness).toBe(0);
    const late = { ...safe, trigger: afterWatermark({ late: afterCount(1) }), allowedLateness: 1 };
    expect(build(late).allowedLateness).toBe(1);
  });
  it('V04: the global window needs no lateness', () => {
    const { trigger, accumulation } = safe;
    expect(build({ trigger, accumulation }, globalWindow()).allowedLateness).toBe(0);
  });
});

describe('grouping (V03)', () => {
  it('refuses an unbounded collection in the global window without a trigger', () => {
    expect(() => checkGroupable("'totals'", DEFAULT_STRATEGY, false)).toThrow(
      "'totals': groups an unbounded collection in the global window with the default trigger, which would never emit",
    );
  });
  it('takes it bounded, windowed, or triggered', () => {
    const { trigger, accumulation } = safe;
    checkGroupable('a', DEFAULT_STRATEGY, true);
    checkGroupable('b', build({}), false);
    checkGroupable('c', build({ trigger, accumulation }, globalWindow()), false);
  });
  it('hands on merged sessions and a continued trigger (W08, TR11)', () => {
    const after = afterGrouping(build(safe, sessions(10)));
    expect(after.windowFn).toEqual({ kind: 'sessions', gap: 10, merged: true });
    expect(after.trigger).toEqual(repeatedly(afterCount(1)));
    expect(afterGrouping(build({})).windowFn).toEqual(fixedWindows('1h'));
  });
});

describe('putting together (V08)', () => {
  it('takes the largest lateness', () => {
    const mode = { accumulation: 'accumulating' } as const;
    const inputs = [build(mode), build({ ...mode, allowedLateness: '2h' }), build({ ...mode, allowedLateness: '1h' })];
    expect(flattenStrategies("flatten 'all'", inputs)).toEqual({ ...inputs[0], allowedLateness: 7_200_000 });
  });
  it('takes sessions of different gaps', () => {
    expect(flattenStrategies("flatten 'all'", [build({}, sessions(1)), build({}, sessions(2))]).windowFn).toEqual(
      sessions(1),
    );
  });
  it.each<[string, WindowingStrategy, string]>([
    [
      'other windows',
      build({}, fixedWindows('2m')),
      "flatten 'all': input 1 has fixedWindows(3600000, { offset: 0 }) and input 2 has fixedWindows(120000, { offset: 0 }); window both alike before",
    ],
    [
      'another trigger',
      build({ ...safe, trigger: inTurn(afterCount(1), safe.trigger) }),
      "flatten 'all': input 1 has the trigger defaultTrigger() and input 2 has the trigger afterEach(afterCount(1), repeatedly(afterCount(2)))",
    ],
    [
      'another accumulation',
      build({ accumulation: 'accumulating' }),
      "flatten 'all': input 1 is discarding and input 2 is accumulating",
    ],
  ])('refuses %s', (_title, other, message) =>
    expect(() => flattenStrategies("flatten 'all'", [build({}), other])).toThrow(message),
  );
});
