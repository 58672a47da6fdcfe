/**
 * Chance that can be repeated. Invariant: what comes out depends on the seed and the words alone, never on time or on
 * the order of calls, so that a failing run can be run again with the seed it printed.
 */
import { createHash } from 'node:crypto';

/** A number in [0, 1) for these words under this seed; the same words, the same number. */
export function chance(seed: number, ...words: readonly (string | number)[]): number {
  const digest = createHash('sha256')
    .update(`${seed}|${words.join('|')}`)
    .digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/** The items in another order, that of their chances; nothing is lost or added. */
export function shuffled<T>(seed: number, items: readonly T[], ...words: readonly (string | number)[]): T[] {
  const dealt = items.map((item, n) => ({ item, at: chance(seed, ...words, n) }));
  return dealt.sort((a, b) => a.at - b.at).map(({ item }) => item);
}
