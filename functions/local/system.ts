/** The real clock and real randomness. The only file of `functions/` that touches either. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { epochMillis } from '../model/time.ts';
import type { Clock, Ids } from '../ports/clock.ts';

export const SYSTEM_CLOCK: Clock = {
  now: () => epochMillis(Date.now()),
  sleep: async (duration, signal) => {
    try {
      await delay(duration, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  },
};

export const SYSTEM_IDS: Ids = {
  unique: () => randomUUID().replaceAll('-', ''),
  random: () => Math.random(),
};
