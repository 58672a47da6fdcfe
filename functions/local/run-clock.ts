import { type Millis, plus } from '../model/time.ts';
import { SYSTEM_CLOCK } from './system.ts';
import { VirtualClock } from './virtual-clock.ts';

/**
 * The clock of a run: it is moved by what arrives, and whoever sleeps on it sleeps in earnest, since what is waited for (a
 * store that is asked again, a model's answer) lives outside of the run and has only real time.
 */
export class RunClock extends VirtualClock {
  override async sleep(delay: Millis, signal?: AbortSignal): Promise<void> {
    if (delay <= 0 || signal?.aborted) return;
    const until = plus(this.now(), delay);
    await SYSTEM_CLOCK.sleep(delay, signal);
    if (!signal?.aborted) this.advanceTo(until);
  }
}
