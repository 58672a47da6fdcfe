import { describe, expect, it } from 'vitest';
import { manyKeys } from './many-keys.ts';

/** `npm run endurance` does the same with a million. */
const KEYS = 24_000;

describe('very many keys, each seen in one minute and never again', () => {
  it('leave nothing, are all told of, and stand no higher in the end than in the beginning', async () => {
    const result = await manyKeys(KEYS);
    expect(result.left).toEqual([]);
    expect(result.deadLetters).toBe(0);
    // Two events a key, and the one that the timer at the end of the window adds.
    expect(result.kept).toBe(3 * KEYS);
    expect(result.sums).toBe(2 * KEYS);
    expect(result.documents.rest).toBeLessThanOrEqual(4 * 6_000 + 1_000);
  }, 120_000);
});
