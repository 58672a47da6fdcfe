/**
 * The timers that a stateful DoFn can declare. A timer is identified by step, key, window and its declared name, and in a
 * family by a tag as well. Setting it again replaces it and clearing it clears it, up to the very moment of its delivery.
 *
 * A timer that is set holds the watermark of everything behind the step at its output timestamp, until it has fired or is
 * cleared: so what its callback emits is late nowhere (catalogue T14).
 */
import type { Instant } from './instant.ts';
import type { Duration } from './time.ts';

/** `event`: the step's watermark. `processing`: the clock on the wall. */
export type TimerClock = 'event' | 'processing';

export interface TimerSpec<Family extends boolean = boolean> {
  readonly kind: 'timer';
  readonly clock: TimerClock;
  /** Whether there may be any number of them, told apart by tags. */
  readonly family: Family;
}
export type TimerSpecs = Readonly<Record<string, TimerSpec>>;

/** Fires when the watermark is past its instant: all elements up to it have been seen, but for late ones. */
export function eventTimer(): TimerSpec<false> {
  return { kind: 'timer', clock: 'event', family: false };
}

/** Fires when the wall clock is past its instant. */
export function processingTimer(): TimerSpec<false> {
  return { kind: 'timer', clock: 'processing', family: false };
}

/** Any number of event-time timers, told apart by tags. */
export function eventTimerFamily(): TimerSpec<true> {
  return { kind: 'timer', clock: 'event', family: true };
}

/** Any number of processing-time timers, told apart by tags. */
export function processingTimerFamily(): TimerSpec<true> {
  return { kind: 'timer', clock: 'processing', family: true };
}

/** A timer, as code sees it. Those that only prepare (`offset`, `align`, `with…`) give a new handle and set nothing. */
export interface Timer {
  /**
   * Sets the timer to an instant of its clock; one that has passed is due at once.
   * @throws {PoisonError} for an event-time timer after the expiration of the window, or an impossible output timestamp
   */
  set(at: Instant): void;
  /**
   * Sets the timer relative to now: in event time, the timestamp of the element, or inside a callback the instant to which
   * an event-time timer was set, and the output timestamp of a processing-time timer; in processing time, the wall clock.
   * An event-time timer is set no later than its window's expiration.
   */
  setRelative(): void;
  /** What `setRelative` adds to now. */
  offset(offset: Duration): Timer;
  /**
   * Makes `setRelative` round up to a multiple of `period`. With an offset it is Beam's rule, which surprises (catalogue
   * T12): the smallest instant from now on that becomes a multiple of `period` when the offset is added.
   * `align('1m').offset('1s')` at 12:00:05 fires at 12:00:59.
   */
  align(period: Duration): Timer;
  /**
   * The timestamp of what the callback emits, at which the watermark is held. Default: of an event-time timer the instant
   * to which it is set, of a processing-time timer the timestamp of the element or timer that sets it. No earlier than
   * that element or timer, less the allowed skew, or than what other timers of the key and window hold already.
   */
  withOutputTimestamp(at: Instant): Timer;
  /** Holds no watermark; the callback then cannot emit. */
  withNoOutputTimestamp(): Timer;
  /** Takes the timer back, if it is set. */
  clear(): void;
}

export interface TimerFamily {
  /** The timer of a tag. */
  get(tag: string): Timer;
  /** The same as `get(tag).set(at)`. */
  set(tag: string, at: Instant): void;
  /** The same as `get(tag).clear()`. */
  clear(tag: string): void;
}

export type TimerOf<T extends TimerSpec> = T extends TimerSpec<true> ? TimerFamily : Timer;
export type TimersOf<T extends TimerSpecs> = { readonly [id in keyof T]: TimerOf<T[id]> };
