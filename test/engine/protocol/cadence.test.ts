import { describe, expect, it } from 'vitest';
import { Cadence } from '../../../functions/engine/protocol/cadence.ts';
import type { EpochMillis, Millis } from '../../../functions/model/time.ts';

/** A clock that is set by hand, and what was slept on it. */
function handClock(at: number) {
  const slept: number[] = [];
  const clock = {
    at,
    slept,
    now: () => clock.at as EpochMillis,
    sleep: async (delay: Millis) => {
      slept.push(delay);
      clock.at += delay;
    },
  };
  return clock;
}

describe('the pace of a root’s commits', () => {
  it('is at once when it was quiet, else the rest of the pause', async () => {
    const clock = handClock(10_000);
    const cadence = new Cadence(clock, 700 as Millis);
    await cadence.turn();
    clock.at += 200;
    await cadence.turn();
    clock.at += 700;
    await cadence.turn();
    expect(clock.slept).toEqual([500]);
  });

  it('is no slower when the clock steps back: one pause, however far it stepped', async () => {
    const clock = handClock(10_000_000);
    const cadence = new Cadence(clock, 700 as Millis);
    await cadence.turn();
    clock.at -= 3_600_000;
    await cadence.turn();
    await cadence.turn();
    expect(clock.slept).toEqual([700, 700]);
  });
});
