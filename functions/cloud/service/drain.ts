/**
 * SIGTERM: Cloud Run sends it before it takes an instance away, and kills after ten seconds. functions-framework exits at
 * once on it, in the middle of commits. We take its place: what is under way ends, then the process does.
 */
import type { Millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';

/** As much of `process` as is used. */
export interface SignalSource {
  on(signal: 'SIGTERM', listener: () => void): unknown;
  on(event: 'newListener', listener: (event: string | symbol, listener: (...args: unknown[]) => void) => void): unknown;
  removeListener(signal: string | symbol, listener: (...args: unknown[]) => void): unknown;
  exit(code: number): unknown;
}

/** Cloud Run gives ten seconds. */
const PATIENCE = 9_000 as Millis;

/**
 * Runs `drain` on SIGTERM, then exits; listeners that others add for SIGTERM afterwards are taken off again.
 * @param drain resolves when nothing is under way; must not reject
 */
export function drainOnTerm(source: SignalSource, clock: Clock, drain: () => Promise<void>): void {
  let draining = false;
  source.on('SIGTERM', () => {
    if (draining) return;
    draining = true;
    void Promise.race([drain(), clock.sleep(PATIENCE)]).then(() => source.exit(0));
  });
  source.on('newListener', (event, listener) => {
    // It is told before the listener is added.
    if (event === 'SIGTERM') queueMicrotask(() => source.removeListener(event, listener));
  });
}
