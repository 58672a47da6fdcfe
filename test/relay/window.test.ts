import { describe, expect, it } from 'vitest';
import { PushWindow } from '../../emulators/relay/window.ts';

function answers(window: PushWindow, count: number, acknowledged: boolean, tookMillis = 20, now = 0): void {
  for (let n = 0; n < count; n++) window.answered(acknowledged, tookMillis, now);
}

describe("Pub/Sub's push window", () => {
  it('is the whole concurrency from the start, whatever is answered, when slow start is off', () => {
    const window = new PushWindow(80, false);
    answers(window, 100, false);
    expect(window.size(0)).toBe(80);
    expect(window.pausedFor(0)).toBe(0);
  });

  it('starts at 5 and grows by each quick acknowledgement, up to the concurrency', () => {
    const window = new PushWindow(12, true);
    expect(window.size(0)).toBe(5);
    answers(window, 3, true);
    expect(window.size(0)).toBe(8);
    answers(window, 50, true);
    expect(window.size(0)).toBe(12);
  });

  it('does not grow by acknowledgements that took a second or more', () => {
    const window = new PushWindow(80, true);
    answers(window, 50, true, 1_000);
    expect(window.size(0)).toBe(5);
    answers(window, 1, true, 999);
    expect(window.size(0)).toBe(6);
  });

  it('shrinks with refusals, never below one', () => {
    const window = new PushWindow(80, true);
    answers(window, 2, false);
    expect(window.size(0)).toBe(4);
    answers(window, 100, false);
    expect(window.size(1_000_000)).toBe(1);
  });

  it('pauses the subscription after five refusals: 100 ms, then twice as long each time, 60 s at most', () => {
    const window = new PushWindow(80, true);
    answers(window, 4, false);
    expect(window.pausedFor(0)).toBe(0);
    answers(window, 1, false);
    expect(window.pausedFor(0)).toBe(100);
    expect(window.size(0)).toBe(0);
    expect(window.size(100)).toBeGreaterThanOrEqual(1);
    const pauses: number[] = [];
    for (let now = 100; pauses.length < 11; now += window.pausedFor(now)) {
      window.answered(false, 20, now);
      pauses.push(window.pausedFor(now));
    }
    expect(pauses).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200, 60_000, 60_000]);
  });

  it('forgets its refusals once acknowledgements have made up for them', () => {
    const window = new PushWindow(80, true);
    answers(window, 5, false);
    answers(window, 5, true, 20, 100);
    answers(window, 4, false, 20, 200);
    expect(window.pausedFor(200)).toBe(0);
    answers(window, 1, false, 20, 200);
    expect(window.pausedFor(200)).toBe(100);
  });
});
