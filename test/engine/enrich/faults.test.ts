import { describe, expect, it } from 'vitest';
import { SeededIds } from '../../../functions/local/virtual-clock.ts';
import { FaultyStore } from '../../local/faulty-store.ts';
import { events, idsOf, Loaded, range } from './loaded.ts';

const STORE = { down: 0.05, contention: 0.05, answerLost: 0.1 };
const MODEL = [
  { fault: { kind: 'lost' as const }, share: 0.1 },
  { fault: { kind: 'partial' as const, keep: 0.5 }, share: 0.05 },
  { fault: { kind: 'status' as const, status: 429, retryAfterSeconds: 2 }, share: 0.1 },
  { fault: { kind: 'slow' as const, millis: 6_000 }, share: 0.05 },
];

describe('a store that fails and forgets its answers, under a model that does too', () => {
  it.each([1, 2, 3, 4, 5, 6])('loses nothing and repeats nothing (seed %i)', async (seed) => {
    const store = new FaultyStore(new SeededIds(seed), STORE);
    const options = { batch: { maxInstances: 8, wait: '1s' as const }, timeout: '5s' as const };
    const loaded = await new Loaded(options, { faults: MODEL, seed }, { store }).start();
    for (let second = 0; second < 20; second++) {
      await loaded.feed(events(second * 10, 10));
      await loaded.pass(1_000);
      if (second % 3 === 0) await loaded.sweep();
    }
    await loaded.passUntilEmpty(600_000);
    expect(idsOf(await loaded.scores())).toEqual(range(0, 200));
    expect(await loaded.letters()).toEqual([]);
    expect(loaded.root?.holds).toEqual([]);
    expect(store.size('runs')).toBe(0);
  });
});
