import { type Millis, plus } from '../model/time.ts';
import type { Clock } from '../ports/clock.ts';
import { type DrainProgress, drainProgress } from './drain.ts';
import type { Survey } from './status/survey.ts';

/** How a wait for a drain ended. */
export interface DrainEnd {
  readonly progress: DrainProgress;
  /** As which epoch it was started afresh since it was through; null = it was not. */
  readonly startedAfresh: number | null;
}

const LOOK_EVERY = 5_000 as Millis;
const NOTHING_LEFT: DrainProgress = { drained: true, open: [], cells: 0, envelopes: 0, rows: 0, messages: 0 };

/**
 * Looks at a pipeline that drains until it is through, or the time is over; giving up stops nothing.
 * @param tell gets what is left after each look but the last
 */
export async function untilDrained(
  look: () => Promise<Survey>,
  clock: Clock,
  timeout: Millis,
  tell: (progress: DrainProgress) => void,
): Promise<DrainEnd> {
  const end = plus(clock.now(), timeout);
  for (;;) {
    const surveyed = await look();
    const { drain, topology } = surveyed;
    // Only a fresh start takes the order back, and that begins only when all is through.
    if (drain === undefined || topology?.startingAfresh)
      return { progress: NOTHING_LEFT, startedAfresh: topology?.epoch ?? null };
    const progress = drainProgress(surveyed);
    if (progress.drained || clock.now() >= end) return { progress, startedAfresh: null };
    tell(progress);
    await clock.sleep(LOOK_EVERY);
  }
}
