import { describe, expect, it } from 'vitest';
import {
  claimed,
  EMPTY_SINK,
  type FlushPolicy,
  LEASE,
  MOST_RUNS,
  nextAttempt,
  settled,
  type SinkState,
  withRun,
} from '../../../functions/engine/sink/sink-state.ts';
import { epochMillis, plus } from '../../../functions/model/time.ts';

const POLICY: FlushPolicy = { rows: 10, bytes: 1_000, every: 60_000 };
const NOW = epochMillis(1_000_000);
const LEASE_OVER = plus(NOW, LEASE);

/** Two runs of ten rows wait, and `owner` has claimed them. */
function claimedBy(owner: string): SinkState {
  const waiting = withRun(withRun(EMPTY_SINK, 6, 60, NOW), 4, 40, NOW);
  return claimed(waiting, owner, NOW, POLICY)!;
}

describe('a claim', () => {
  it('covers the runs that wait, and those that come later wait for the next', () => {
    const state = withRun(claimedBy('a'), 10, 100, NOW);
    expect(state).toMatchObject({ claim: { firstRun: 1, lastRun: 2, attempt: 1 }, firstRun: 3, lastRun: 3, rows: 10 });
    expect(claimed(state, 'b', NOW, POLICY)).toBeUndefined();
  });

  it('covers no more runs than one commit drops; the others are due at once, until none is left', () => {
    let state = EMPTY_SINK;
    const runs = 2 * MOST_RUNS + 1;
    for (let i = 0; i < runs; i++) state = withRun(state, 1, 10, plus(NOW, i));
    const covered: number[] = [];
    for (;;) {
      const next = claimed(state, 'a', plus(NOW, POLICY.every), POLICY);
      if (next === undefined) break;
      covered.push(next.claim!.lastRun - next.claim!.firstRun + 1);
      state = settled(next, 'a')!;
    }
    expect(covered).toEqual([MOST_RUNS, MOST_RUNS, 1]);
    expect(state).toEqual({ ...EMPTY_SINK, flushed: 3, firstRun: runs + 1, lastRun: runs });
  });

  it('covers fewer runs when they are long, and at least one', () => {
    let state = EMPTY_SINK;
    for (let i = 0; i < 100; i++) state = withRun(state, 1, 300_000, NOW);
    expect(claimed(state, 'a', NOW, POLICY)!.claim).toMatchObject({ firstRun: 1, lastRun: 20 });
    const huge = withRun(withRun(EMPTY_SINK, 1, 20_000_000, NOW), 1, 20_000_000, NOW);
    expect(claimed(huge, 'a', NOW, POLICY)!.claim).toMatchObject({ firstRun: 1, lastRun: 1 });
  });

  it('is taken over once its lease is over, with its runs and its attempt', () => {
    const state = claimedBy('a');
    expect(claimed(state, 'b', plus(LEASE_OVER, -1), POLICY)).toBeUndefined();
    expect(claimed(state, 'b', LEASE_OVER, POLICY)?.claim).toMatchObject({ firstRun: 1, lastRun: 2, owner: 'b' });
  });

  it('is settled by its owner alone, and the number of flushes grows by one', () => {
    const state = claimedBy('a');
    expect(settled(state, 'a')).toMatchObject({ flushed: 1, claim: null });
    expect(settled(state, 'b')).toBeUndefined();
  });

  it('that was taken over, settled and followed by another is not settled again by whom it was taken from', () => {
    const over = settled(claimed(claimedBy('frozen'), 'b', LEASE_OVER, POLICY)!, 'b')!;
    expect(settled(over, 'frozen')).toBeUndefined();
    const next = claimed(withRun(over, 10, 100, LEASE_OVER), 'b', LEASE_OVER, POLICY)!;
    expect([settled(next, 'frozen'), nextAttempt(next, 'frozen', [])]).toEqual([undefined, undefined]);
    expect(settled(next, 'b')).toMatchObject({ flushed: 2, claim: null });
  });
});
