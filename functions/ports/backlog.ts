/**
 * The backlog: what of a source was published and is not yet acknowledged. A source's watermark rests on it, since only it
 * tells that nothing older is still to come.
 */
import type { EpochMillis, Millis } from '../model/time.ts';

/** A look at a source's subscription. What it says was true at `sampledAt`, so it stays a fact however old it is. */
export interface BacklogSample {
  /** When the figures below were true. Real ones are up to three minutes old. */
  readonly sampledAt: EpochMillis;
  /** How long before `sampledAt` the oldest message was published that was not acknowledged then; zero when there was none. */
  readonly oldestUnackedAge: Millis;
  /** How many messages were not acknowledged then. */
  readonly undelivered: number;
}

export interface Backlog {
  /**
   * The newest sample of a source, or undefined when there is none.
   * @throws {RetryableError} when it cannot be read now
   */
  sample(source: string): Promise<BacklogSample | undefined>;
}
