import { describe, expect, it } from 'vitest';
import {
  canLift,
  continuationTrigger,
  mayFinish,
  mayFinishUnsafely,
} from '../../functions/model/trigger-properties.ts';
import {
  afterAll as allOf,
  afterCount,
  afterEach as inTurn,
  afterFirst,
  afterProcessingTime,
  afterWatermark,
  defaultTrigger,
  describeTrigger,
  never,
  orFinally,
  repeatedly,
  type Trigger,
} from '../../functions/model/triggers.ts';

const count = afterCount(3);
const delay = afterProcessingTime('1m');

describe('factories', () => {
  it.each([
    [() => afterCount(0), 'afterCount(count): expected a whole number from 1 and up, got 0'],
    [() => afterCount(1.5), 'afterCount(count): expected a whole number from 1 and up, got 1.5'],
    [() => afterProcessingTime('soon' as never), 'afterProcessingTime(delay): expected whole milliseconds'],
    [() => afterFirst(count), 'afterFirst(…triggers): expected two triggers or more, got 1'],
    [() => allOf(), 'afterAll(…triggers): expected two triggers or more, got 0'],
    [() => inTurn(count), 'afterEach(…triggers): expected two triggers or more, got 1'],
  ])('refuse %s', (make, message) => expect(make).toThrow(message));

  it('make composed early and late firings repeat as a whole', () => {
    const either = afterFirst(count, delay);
    expect(afterWatermark({ early: either, late: orFinally(repeatedly(count), delay) })).toEqual({
      kind: 'afterWatermark',
      early: { kind: 'repeatedly', trigger: either },
      late: { kind: 'repeatedly', trigger: orFinally(repeatedly(count), delay) },
    });
    expect(afterWatermark({ early: count })).toEqual({ kind: 'afterWatermark', early: count });
  });

  it('are shown as they are written', () => {
    const trigger = orFinally(
      repeatedly(afterFirst(count, delay)),
      inTurn(afterWatermark({ early: count, late: never() }), allOf(afterWatermark(), defaultTrigger())),
    );
    expect(describeTrigger(trigger)).toBe(
      'orFinally(repeatedly(afterFirst(afterCount(3), afterProcessingTime(60000))), afterEach(afterWatermark({ early: afterCount(3), late: never() }), afterAll(afterWatermark(), defaultTrigger())))',
    );
  });
});

describe('finishing (V01, V02)', () => {
  it.each<[string, Trigger, boolean]>([
    ['the default', defaultTrigger(), false],
    ['repeatedly', repeatedly(count), false],
    ['a count', count, true],
    ['afterFirst with a part that repeats', afterFirst(repeatedly(count), delay), true],
    ['afterFirst of parts that repeat, since it fires once', afterFirst(repeatedly(count), repeatedly(delay)), true],
    ['afterAll with a part that repeats, since it fires once', allOf(repeatedly(count), delay), true],
    ['afterEach that ends in late firings', inTurn(count, afterWatermark({ late: count })), false],
    ['afterEach that ends in one that repeats', inTurn(count, repeatedly(delay)), false],
    ['orFinally', orFinally(repeatedly(count), delay), true],
  ])('%s', (_title, trigger, finishes) => {
    expect(mayFinish(trigger)).toBe(finishes);
    expect(mayFinishUnsafely(trigger, 0)).toBe(finishes);
  });

  it('never loses nothing, since all leaves when the window expires', () => {
    expect(mayFinishUnsafely(never(), 1000)).toBe(false);
  });
  it('the on-time pane may be the last where nothing may be late', () => {
    expect(mayFinishUnsafely(afterWatermark(), 0)).toBe(false);
    expect(mayFinishUnsafely(afterWatermark({ early: count }), 0)).toBe(false);
    expect(mayFinishUnsafely(afterWatermark(), 1)).toBe(true);
    expect(mayFinishUnsafely(afterWatermark({ early: count }), 1)).toBe(true);
  });
  it('late firings are always safe', () => expect(mayFinishUnsafely(afterWatermark({ late: count }), 1)).toBe(false));
});

describe('lifting (C07)', () => {
  it.each<[string, Trigger, boolean]>([
    ['the default', defaultTrigger(), true],
    ['never', never(), true],
    ['a delay', delay, true],
    ['a count of one', afterCount(1), true],
    ['a count of more', afterCount(2), false],
    ['repeated count of one', repeatedly(afterCount(1)), true],
    ['any of a delay and a count of one', afterFirst(delay, afterCount(1)), true],
    ['any of a delay and a count of more', afterFirst(delay, afterCount(2)), false],
    ['the watermark', afterWatermark(), true],
    [
      'the watermark with early and late ones that allow it',
      afterWatermark({ early: delay, late: afterCount(1) }),
      true,
    ],
    ['the watermark with a late count', afterWatermark({ late: afterCount(2) }), false],
    ['all of several', allOf(delay, afterCount(1)), false],
    ['one after the other', inTurn(delay, afterCount(1)), false],
    ['until', orFinally(delay, afterCount(1)), false],
  ])('%s', (_title, trigger, lifts) => expect(canLift(trigger)).toBe(lifts));
});

describe('continuation after a grouping (TR11)', () => {
  const one = afterCount(1);
  const caughtUp: Trigger = { kind: 'afterSynchronizedProcessingTime' };

  it.each<[string, Trigger, Trigger]>([
    ['a count becomes one', count, one],
    ['a delay becomes "as soon as time has caught up"', delay, caughtUp],
    ['that stays', caughtUp, caughtUp],
    ['the default stays', defaultTrigger(), defaultTrigger()],
    ['never stays', never(), never()],
    ['the watermark stays', afterWatermark(), afterWatermark()],
    [
      'early and late are continued',
      afterWatermark({ early: delay, late: count }),
      { kind: 'afterWatermark', early: caughtUp, late: one },
    ],
    ['repeatedly continues its part', repeatedly(count), repeatedly(one)],
    ['afterFirst continues its parts', afterFirst(count, delay), afterFirst(one, caughtUp)],
    ['afterAll continues its parts', allOf(count, delay), allOf(one, caughtUp)],
    ['afterEach becomes any of its parts, repeated', inTurn(count, delay), repeatedly(afterFirst(one, caughtUp))],
    ['orFinally is repeated', orFinally(count, delay), repeatedly(orFinally(one, caughtUp))],
  ])('%s', (_title, trigger, continued) => expect(continuationTrigger(trigger)).toEqual(continued));
});
