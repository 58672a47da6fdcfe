/**
 * Windows: which stretches of event time a timestamp belongs to. Invariant: a window is `[start, end)`, its last instant
 * is `end - 1` (Beam's `maxTimestamp`), and no window reaches outside the range of time: the first and the last one of a
 * kind are cut off there (catalogue W01).
 */
import { ConfigurationError } from './errors.ts';
import { checkOptions } from './options.ts';
import {
  describeInstant,
  type Duration,
  type EpochMillis,
  epochMillis,
  MAX_ELEMENT_TIMESTAMP,
  MIN_TIMESTAMP,
  type Millis,
  millis,
} from './time.ts';

/** A stretch of event time. `end` is exclusive. Windows are compared by their bounds, never by identity. */
export interface Window {
  readonly start: EpochMillis;
  readonly end: EpochMillis;
}

const END_OF_WINDOWS = epochMillis(MAX_ELEMENT_TIMESTAMP + 1);

/** The one window that holds all of time. It ends only when the input does (a drain, or a bounded source's end). */
export const GLOBAL_WINDOW: Window = Object.freeze({ start: MIN_TIMESTAMP, end: END_OF_WINDOWS });

/** The last instant inside a window; a pane that says nothing else is stamped with it. */
export function maxTimestamp(window: Window): EpochMillis {
  return (window.end - 1) as EpochMillis;
}

/** For people; never parsed back. */
export function describeWindow(window: Window): string {
  return sameWindow(window, GLOBAL_WINDOW)
    ? 'the global window'
    : `[${describeInstant(window.start)}, ${describeInstant(window.end)})`;
}

export function sameWindow(a: Window, b: Window): boolean {
  return a.start === b.start && a.end === b.end;
}

/** How elements are put into windows. Immutable; made by the factories below. */
export type WindowFn =
  | { readonly kind: 'fixed'; readonly size: Millis; readonly offset: Millis }
  | { readonly kind: 'sliding'; readonly size: Millis; readonly every: Millis; readonly offset: Millis }
  | {
      readonly kind: 'sessions';
      readonly gap: Millis;
      /** Set after a grouping: sessions were merged there, and are taken as they come from then on (catalogue W08). */
      readonly merged: boolean;
    }
  | { readonly kind: 'global' };

export interface FixedWindowOptions {
  /** Moves all boundaries by this much; below `size`; default 0, which puts a boundary at 1970-01-01T00:00Z. */
  readonly offset?: Duration;
}

export interface SlidingWindowOptions extends FixedWindowOptions {
  /** Time between the starts of two windows. Longer than `size` leaves gaps: what falls into one is in no window. */
  readonly every: Duration;
}

/**
 * Windows of one length, side by side.
 * @param size length of a window, 1 ms or more
 * @throws {ConfigurationError} on a bad duration, or an offset that is not below `size`
 * @example fixedWindows('1h')
 */
export function fixedWindows(size: Duration, options: FixedWindowOptions = {}): WindowFn {
  checkOptions('fixedWindows(options)', options, { offset: true });
  const length = millis('fixedWindows(size)', size, 1);
  return { kind: 'fixed', size: length, offset: offsetBelow('fixedWindows', length, 'size', options.offset) };
}

/**
 * Windows of one length that start every so often, so that an element is in several of them.
 * @throws {ConfigurationError} on a bad duration, or an offset that is not below `every`
 * @example slidingWindows('1h', { every: '10m' })
 */
export function slidingWindows(size: Duration, options: SlidingWindowOptions): WindowFn {
  checkOptions('slidingWindows(options)', options, { every: true, offset: true });
  const every = millis('slidingWindows(every)', options.every, 1);
  return {
    kind: 'sliding',
    size: millis('slidingWindows(size)', size, 1),
    every,
    offset: offsetBelow('slidingWindows', every, 'every', options.offset),
  };
}

/**
 * Windows that grow while elements of one key follow each other within `gap`, merged per key where they are grouped.
 * @param gap silence that ends a session, 1 ms or more
 * @example sessions('30m')
 */
export function sessions(gap: Duration): WindowFn {
  return { kind: 'sessions', gap: millis('sessions(gap)', gap, 1), merged: false };
}

/** Everything in one window. Grouping it needs a trigger when the input is unbounded. */
export function globalWindow(): WindowFn {
  return { kind: 'global' };
}

function offsetBelow(factory: string, limit: Millis, limitName: string, offset: Duration = 0): Millis {
  const parsed = millis(`${factory}(offset)`, offset);
  if (parsed >= limit) {
    throw new ConfigurationError(
      `${factory}(offset): expected less than ${limitName} (${limit} ms), got ${parsed} ms; offsets a whole period apart give the same windows`,
    );
  }
  return parsed;
}

/** Whether windows of one key may still merge where they are grouped. */
export function isMerging(windowFn: WindowFn): boolean {
  return windowFn.kind === 'sessions' && !windowFn.merged;
}

/** The windows a timestamp is in, the latest first; none in a gap between sliding windows. */
export function assignWindows(windowFn: WindowFn, timestamp: EpochMillis): readonly Window[] {
  switch (windowFn.kind) {
    case 'fixed':
      return [windowFrom(lastStart(timestamp, windowFn.size, windowFn.offset), windowFn.size)];
    case 'sliding': {
      const windows: Window[] = [];
      const first = lastStart(timestamp, windowFn.every, windowFn.offset);
      for (let start = first; start > timestamp - windowFn.size; start -= windowFn.every) {
        windows.push(windowFrom(start, windowFn.size));
      }
      return windows;
    }
    case 'sessions':
      return [windowFrom(timestamp, windowFn.gap)];
    case 'global':
      return GLOBAL;
  }
}

const GLOBAL: readonly Window[] = Object.freeze([GLOBAL_WINDOW]);

/**
 * `assignWindows` for a stream of timestamps: neighbours in one window get the very same array, so that the common case
 * allocates nothing and whoever reads it can compare by identity first.
 */
export function windowAssigner(windowFn: WindowFn): (timestamp: EpochMillis) => readonly Window[] {
  if (windowFn.kind === 'global') return () => GLOBAL;
  if (windowFn.kind !== 'fixed') return (timestamp) => assignWindows(windowFn, timestamp);
  let last: readonly Window[] = [];
  let start = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  return (timestamp) => {
    if (timestamp < start || timestamp >= end) {
      last = assignWindows(windowFn, timestamp);
      ({ start, end } = last[0]!);
    }
    return last;
  };
}

/** The latest boundary at or before `timestamp`. `%` rounds toward zero, time before 1970 needs the floor. */
function lastStart(timestamp: number, period: number, offset: number): number {
  const remainder = (timestamp - offset) % period;
  return timestamp - (remainder < 0 ? remainder + period : remainder);
}

function windowFrom(start: number, size: number): Window {
  return {
    start: epochMillis(start),
    end: start + size < END_OF_WINDOWS ? epochMillis(start + size) : END_OF_WINDOWS,
  };
}

/**
 * The window of a side input that an element of `mainWindow` reads: the one that holds the main window's last instant,
 * and of several sliding ones the earliest (catalogue SI04).
 * @throws {ConfigurationError} for a global main window with a windowed side input, and for sessions as a side input
 */
export function sideWindowFor(sideFn: WindowFn, mainWindow: Window): Window {
  if (sideFn.kind === 'global') return GLOBAL_WINDOW;
  if (sideFn.kind === 'sessions') {
    throw new ConfigurationError(
      'a side input cannot be windowed by sessions: give it fixed, sliding or global windows',
    );
  }
  if (sameWindow(mainWindow, GLOBAL_WINDOW)) {
    throw new ConfigurationError(
      `a main input in the global window cannot read a side input in ${sideFn.kind} windows: window the main input, or make the side input global`,
    );
  }
  const last = maxTimestamp(mainWindow);
  if (sideFn.kind === 'fixed') return assignWindows(sideFn, last)[0]!;
  return windowFrom(lastStart(last - sideFn.size, sideFn.every, sideFn.offset) + sideFn.every, sideFn.size);
}

/** Whether two inputs of a flatten or a join may be put together: equal windows, or sessions of any gaps (catalogue V08). */
export function areCompatible(a: WindowFn, b: WindowFn): boolean {
  switch (a.kind) {
    case 'fixed':
      return b.kind === 'fixed' && a.size === b.size && a.offset === b.offset;
    case 'sliding':
      return b.kind === 'sliding' && a.size === b.size && a.every === b.every && a.offset === b.offset;
    case 'sessions':
      return b.kind === 'sessions';
    case 'global':
      return b.kind === 'global';
  }
}
