/**
 * A timer whose callback has failed, on its way to be set again: an operator's replay sends it to the shard of its key as an
 * element of an inlet that no collection has. There it is due at once, and meets the state that its key has by then.
 */
import type { EpochMillis } from '../../model/time.ts';
import type { TimerClock } from '../../model/timers.ts';
import type { Incoming } from '../element-codec.ts';
import type { SetTimer } from './timer-text.ts';

export const TIMER_INLET = -1;

/** As a dead letter names it. */
export interface FailedTimer {
  readonly id: string;
  readonly tag?: string;
  readonly clock: TimerClock;
  readonly at: EpochMillis;
  /** Absent: it held no watermark. */
  readonly output?: EpochMillis;
}

export function setAgain({ value, id: replay }: Incoming): SetTimer {
  const { id, tag, clock, at, output } = value as FailedTimer;
  return { id, tag, clock, at, output, chain: 0, ...(replay === undefined ? {} : { replay }) };
}
