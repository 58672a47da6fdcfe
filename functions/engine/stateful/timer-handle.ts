import { PoisonError } from '../../model/errors.ts';
import { type Instant, instant } from '../../model/instant.ts';
import {
  describeInstant,
  type Duration,
  earlier,
  type EpochMillis,
  epochMillis,
  MAX_TIMESTAMP,
  type Millis,
  millis,
} from '../../model/time.ts';
import type { Timer, TimerClock, TimerFamily } from '../../model/timers.ts';
import { GLOBAL_WINDOW, sameWindow } from '../../model/windows.ts';
import type { Frame } from './frame.ts';

/** How a handle was prepared. */
interface Preparation {
  readonly offset: Millis;
  readonly period: Millis;
  /** Undefined = the default; null = none. */
  readonly output: Instant | null | undefined;
}

const PLAIN: Preparation = { offset: 0 as Millis, period: 0 as Millis, output: undefined };

/**
 * How many timers may follow on one another, each set by the one before and due at once. When the input has ended, timers
 * of the global window would follow on one another for ever: there it is fewer (catalogue T09).
 */
const MAX_CHAIN = 1_000_000;
const MAX_CHAIN_AT_THE_END = 10_000;

class TimerHandle implements Timer {
  readonly #frame: Frame;
  readonly #id: string;
  readonly #tag: string | undefined;
  readonly #prepared: Preparation;

  constructor(frame: Frame, id: string, tag: string | undefined, prepared = PLAIN) {
    this.#frame = frame;
    this.#id = id;
    this.#tag = tag;
    this.#prepared = prepared;
  }

  set(at: Instant): void {
    const target = instant(at);
    if (target === undefined)
      throw new PoisonError(
        `${this.#name} is set to ${String(at)}, which is no instant; give epoch milliseconds or a Date`,
      );
    const { expiry } = this.#frame.state;
    if (this.#clock === 'event' && target > expiry)
      throw new PoisonError(
        `${this.#name} is set to ${describeInstant(target)}, after the expiration of its window at ${describeInstant(expiry)}`,
      );
    this.#setTo(target);
  }

  setRelative(): void {
    const { eventNow, firedOn, moment, state } = this.#frame;
    const { offset, period } = this.#prepared;
    const isEvent = this.#clock === 'event';
    const now = isEvent ? eventNow : moment.processingTime;
    const target = period === 0 ? epochMillis(now + offset) : aligned(now, offset, period);
    if (!isEvent || target <= state.expiry) this.#setTo(target);
    // An event timer at the last instant has no later one to go to.
    else if (firedOn !== 'event' || eventNow < state.expiry) this.#setTo(state.expiry);
  }

  offset(offset: Duration): Timer {
    return this.#with({ offset: millis(`${this.#name} offset`, offset) });
  }

  align(period: Duration): Timer {
    return this.#with({ period: millis(`${this.#name} align`, period) });
  }

  withOutputTimestamp(at: Instant): Timer {
    return this.#with({ output: at });
  }

  withNoOutputTimestamp(): Timer {
    return this.#with({ output: null });
  }

  clear(): void {
    this.#frame.moment.check();
    this.#frame.state.timers.clear({ id: this.#id, tag: this.#tag });
  }

  #setTo(at: EpochMillis): void {
    const { moment, state } = this.#frame;
    moment.check();
    const timer = { id: this.#id, tag: this.#tag, clock: this.#clock, at };
    state.timers.set({ ...timer, output: this.#output(at), chain: this.#chain(at) });
  }

  /** Catalogue T13. */
  #output(at: EpochMillis): EpochMillis | undefined {
    const { output } = this.#prepared;
    const { timestamp, spec, state } = this.#frame;
    if (output === null) return undefined;
    if (output === undefined) return this.#clock === 'event' ? at : timestamp;
    const given = instant(output);
    if (given === undefined)
      throw new PoisonError(`${this.#name} is given the output timestamp ${String(output)}, which is no instant`);
    if (given > state.expiry)
      throw new PoisonError(
        `${this.#name} is given the output timestamp ${describeInstant(given)}, after the expiration of its window at ${describeInstant(state.expiry)}`,
      );
    // What this key and window hold already may be held on.
    const least = earlier(timestamp ?? given, state.timers.hold() ?? MAX_TIMESTAMP);
    if (given < least - spec.allowedSkew)
      throw new PoisonError(
        `${this.#name} is given the output timestamp ${describeInstant(given)}: it must be no earlier than ${describeInstant(least)} minus the allowed skew (${spec.allowedSkew} ms)`,
      );
    return given;
  }

  #chain(at: EpochMillis): number {
    const { chain, inputWatermark, moment, window } = this.#frame;
    const dueAtOnce = at < (this.#clock === 'event' ? inputWatermark : moment.processingTime);
    if (!dueAtOnce) return 0;
    const most = sameWindow(window, GLOBAL_WINDOW) ? MAX_CHAIN_AT_THE_END : MAX_CHAIN;
    if (chain >= most)
      throw new PoisonError(
        `${this.#name} is set by a timer that was due at once, after ${most} others in a row; timers that set one another must come to an end`,
      );
    return chain + 1;
  }

  #with(change: Partial<Preparation>): Timer {
    return new TimerHandle(this.#frame, this.#id, this.#tag, { ...this.#prepared, ...change });
  }

  get #clock(): TimerClock {
    return this.#frame.spec.timers[this.#id]!.clock;
  }

  get #name(): string {
    const kind = this.#clock === 'event' ? 'event-time' : 'processing-time';
    const tag = this.#tag === undefined ? '' : ` (tag '${this.#tag}')`;
    return `the ${kind} timer '${this.#id}'${tag} of '${this.#frame.spec.step}'`;
  }
}

class FamilyHandle implements TimerFamily {
  readonly #frame: Frame;
  readonly #id: string;

  constructor(frame: Frame, id: string) {
    this.#frame = frame;
    this.#id = id;
  }

  get(tag: string): Timer {
    if (typeof tag !== 'string')
      throw new PoisonError(`the timers '${this.#id}' are told apart by tags, which are texts; got ${String(tag)}`);
    return new TimerHandle(this.#frame, this.#id, tag);
  }

  set(tag: string, at: Instant): void {
    this.get(tag).set(at);
  }

  clear(tag: string): void {
    this.get(tag).clear();
  }
}

/** What callbacks use a declared timer by. */
export function timerHandle(frame: Frame, id: string): Timer | TimerFamily {
  return frame.spec.timers[id]!.family ? new FamilyHandle(frame, id) : new TimerHandle(frame, id, undefined);
}

/** Beam's rule (catalogue T12): the smallest instant from now on that the offset takes to a multiple of the period. */
function aligned(now: number, offset: number, period: number): EpochMillis {
  const remainder = (now + offset) % period;
  const since = remainder < 0 ? remainder + period : remainder;
  return epochMillis(since === 0 ? now : now + period - since);
}
