import type { EpochMillis, Millis } from '../model/time.ts';

/** Processing time. Only adapters read a real clock. */
export interface Clock {
  /** The processing time now. It may step back; whoever needs it monotonic keeps the maximum. */
  now(): EpochMillis;
  /** Resolves when `delay` has passed on this clock, or at once when `signal` aborts. */
  sleep(delay: Millis, signal?: AbortSignal): Promise<void>;
}

/** Randomness, so that a test can decide it. */
export interface Ids {
  /** A name that was never used before: letters, digits and dashes. */
  unique(): string;
  /** A number in [0, 1), for jitter. */
  random(): number;
}
