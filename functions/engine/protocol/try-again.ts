import { OutdatedError, RetryableError } from '../../model/errors.ts';
import type { Millis } from '../../model/time.ts';
import type { Clock, Ids } from '../../ports/clock.ts';

const MAX_TRIES = 12;
const FIRST_BACKOFF = 20;
const LONGEST_BACKOFF = 2_000;

/**
 * Tries until it succeeds, at most twelve times, with full jitter between 0 and 40 ms, 80 ms … 2 s.
 * @param forget called after each failure: whatever was cached may be out of date
 * @throws what was thrown last, and at once what is not retryable, or not by this instance
 */
export async function tryAgain<T>(clock: Clock, ids: Ids, attempt: () => Promise<T>, forget: () => void): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      forget();
      const isHopeless = !(error instanceof RetryableError) || error instanceof OutdatedError;
      if (isHopeless || tries >= MAX_TRIES) throw error;
      const longest = Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** tries);
      await clock.sleep(Math.ceil(ids.random() * longest) as Millis);
    }
  }
}
