import { describe, expect, it } from 'vitest';
import { type EpochMillis, MAX_ELEMENT_TIMESTAMP, MIN_TIMESTAMP } from '../../functions/model/time.ts';
import {
  areCompatible,
  assignWindows,
  fixedWindows,
  GLOBAL_WINDOW,
  globalWindow,
  maxTimestamp,
  sessions,
  sideWindowFor,
  slidingWindows,
  type Window,
  type WindowFn,
  windowAssigner,
} from '../../functions/model/windows.ts';

const at = (time: number) => time as EpochMillis;
const bounds = (windowFn: WindowFn, time: number) =>
  assignWindows(windowFn, at(time)).map(({ start, end }) => [start, end]);
const window = (start: number, end: number): Window => ({ start: at(start), end: at(end) });

describe('fixed windows (W01)', () => {
  it.each([
    [0, 0, 10],
    [9, 0, 10],
    [10, 10, 20],
    [-1, -10, 0],
    [-10, -10, 0],
    [-11, -20, -10],
  ])('%i is in [%i, %i)', (time, start, end) => expect(bounds(fixedWindows(10), time)).toEqual([[start, end]]));

  it.each([
    [-5, -5, 5],
    [4, -5, 5],
    [5, 5, 15],
    [-6, -15, -5],
  ])('with an offset of 5, %i is in [%i, %i)', (time, start, end) =>
    expect(bounds(fixedWindows(10, { offset: 5 }), time)).toEqual([[start, end]]),
  );

  it('the last one ends with time', () => {
    const [last] = assignWindows(fixedWindows('1000d'), MAX_ELEMENT_TIMESTAMP);
    expect(last?.end).toBe(MAX_ELEMENT_TIMESTAMP + 1);
    expect(last && last.start <= MAX_ELEMENT_TIMESTAMP).toBe(true);
  });

  it('the first one begins with time', () => {
    const [first] = assignWindows(fixedWindows('1000d'), at(MIN_TIMESTAMP + 1));
    expect(first?.start).toBe(MIN_TIMESTAMP);
  });
});

describe('sliding windows (W02)', () => {
  it.each<[number, number[][]]>([
    [
      1,
      [
        [0, 10],
        [-5, 5],
      ],
    ],
    [
      5,
      [
        [5, 15],
        [0, 10],
      ],
    ],
    [
      -1,
      [
        [-5, 5],
        [-10, 0],
      ],
    ],
  ])('10 every 5: %i is in two', (time, windows) =>
    expect(bounds(slidingWindows(10, { every: 5 }), time)).toEqual(windows),
  );

  it.each<[number, number[][]]>([
    [
      0,
      [
        [0, 7],
        [-5, 2],
      ],
    ],
    [2, [[0, 7]]],
    [4, [[0, 7]]],
    [
      5,
      [
        [5, 12],
        [0, 7],
      ],
    ],
  ])('7 every 5: %i', (time, windows) => expect(bounds(slidingWindows(7, { every: 5 }), time)).toEqual(windows));

  it.each<[number, number[][]]>([
    [0, [[0, 3]]],
    [2, [[0, 3]]],
    [3, []],
    [9, []],
    [-8, [[-10, -7]]],
    [-7, []],
  ])('3 every 10: %i is in one or in a gap', (time, windows) =>
    expect(bounds(slidingWindows(3, { every: 10 }), time)).toEqual(windows),
  );
});

describe('sessions and the global window', () => {
  it('a session begins as the window of one element', () => expect(bounds(sessions(10), -3)).toEqual([[-3, 7]]));
  it('a session ends with time at the latest', () => {
    expect(assignWindows(sessions('1d'), MAX_ELEMENT_TIMESTAMP)[0]?.end).toBe(MAX_ELEMENT_TIMESTAMP + 1);
  });
  it('the global window holds every element', () => {
    expect(assignWindows(globalWindow(), MAX_ELEMENT_TIMESTAMP)).toEqual([GLOBAL_WINDOW]);
    expect(maxTimestamp(GLOBAL_WINDOW)).toBe(MAX_ELEMENT_TIMESTAMP);
  });
});

describe('an assigner', () => {
  it('gives neighbours in one window the same array', () => {
    const assign = windowAssigner(fixedWindows(10));
    expect(assign(at(9))).toBe(assign(at(0)));
  });
  it('gives what assignWindows gives, whatever came before', () => {
    const fns = [fixedWindows(7, { offset: 3 }), slidingWindows(7, { every: 3 }), sessions(5), globalWindow()];
    for (const windowFn of fns) {
      const assign = windowAssigner(windowFn);
      for (const time of [0, 3, 2, -1, -4, -5, 9, 10, 10, 2]) {
        expect(assign(at(time))).toEqual(assignWindows(windowFn, at(time)));
      }
    }
  });
});

describe('the window of a side input (SI04)', () => {
  const main = window(10, 20);
  it('fixed: the one that holds the main window’s last instant', () => {
    expect(sideWindowFor(fixedWindows(7), main)).toEqual(window(14, 21));
    expect(sideWindowFor(fixedWindows(10), main)).toEqual(window(10, 20));
  });
  it('sliding: the earliest that holds it', () => {
    expect(sideWindowFor(slidingWindows(10, { every: 5 }), main)).toEqual(window(10, 20));
    expect(sideWindowFor(slidingWindows(10, { every: 5 }), window(10, 21))).toEqual(window(15, 25));
  });
  it('global: the global one', () => expect(sideWindowFor(globalWindow(), main)).toBe(GLOBAL_WINDOW));
  it('refuses a global main window with a windowed side input', () => {
    expect(() => sideWindowFor(fixedWindows(10), GLOBAL_WINDOW)).toThrow(
      'a main input in the global window cannot read a side input in fixed windows: window the main input, or make the side input global',
    );
  });
  it('refuses sessions as a side input', () => {
    expect(() => sideWindowFor(sessions(10), main)).toThrow('a side input cannot be windowed by sessions');
  });
});

describe('compatibility (V08)', () => {
  it.each<[string, WindowFn, WindowFn, boolean]>([
    ['equal fixed windows', fixedWindows('1m'), fixedWindows(60_000), true],
    ['fixed windows of other sizes', fixedWindows('1m'), fixedWindows('2m'), false],
    ['fixed windows of other offsets', fixedWindows('1m'), fixedWindows('1m', { offset: 1 }), false],
    ['equal sliding windows', slidingWindows(4, { every: 2 }), slidingWindows(4, { every: 2 }), true],
    ['sliding windows of other periods', slidingWindows(4, { every: 2 }), slidingWindows(4, { every: 1 }), false],
    ['sessions of other gaps', sessions(1), sessions(2), true],
    ['fixed and global', fixedWindows(1), globalWindow(), false],
    ['global and global', globalWindow(), globalWindow(), true],
  ])('%s', (_title, a, b, compatible) => expect(areCompatible(a, b)).toBe(compatible));
});

describe('what cannot be a window', () => {
  it.each([
    [() => fixedWindows(0), 'fixedWindows(size): expected whole milliseconds, 1 or more'],
    [() => fixedWindows('ten minutes' as never), 'fixedWindows(size): expected whole milliseconds, 1 or more'],
    [() => fixedWindows(10, { offset: 10 }), 'fixedWindows(offset): expected less than size (10 ms), got 10 ms'],
    [() => slidingWindows(10, { every: 0 }), 'slidingWindows(every): expected whole milliseconds, 1 or more'],
    [
      () => slidingWindows(10, { every: 5, offset: 7 }),
      'slidingWindows(offset): expected less than every (5 ms), got 7 ms',
    ],
    [() => sessions(-1), 'sessions(gap): expected whole milliseconds, 1 or more'],
  ])('%s', (make, message) => expect(make).toThrow(message));
});
