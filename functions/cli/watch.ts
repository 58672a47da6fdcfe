import type { Millis } from '../model/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Io } from './io.ts';

export const WATCH_EVERY = 5_000 as Millis;

/** Shows something again and again, until the signal (or whoever watches) ends it. */
export async function watch(io: Io, clock: Clock, show: () => Promise<void>, signal?: AbortSignal): Promise<void> {
  for (;;) {
    if (io.isTerminal) io.out('\u001b[2J\u001b[H');
    await show();
    await clock.sleep(WATCH_EVERY, signal);
    if (signal?.aborted) return;
  }
}
