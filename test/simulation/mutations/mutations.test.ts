import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it } from 'vitest';
import { MUTATIONS } from './list.ts';
import { mutate } from './mutation.ts';
import { RARE_MUTATIONS } from './rare.ts';
import { noticeAfter } from './notice.ts';

const MOST_SEEDS = 2_000;
/** So that the test is short. */
const EVERY = 32;

describe('faults put into the engine one at a time', () => {
  it('are many, and each is another', () => {
    expect(MUTATIONS.length).toBeGreaterThanOrEqual(25);
    expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
  });
  it.each([...MUTATIONS, ...RARE_MUTATIONS])('$name: there is a place for it', (mutation) => {
    const source = readFileSync(new URL(`../../../${mutation.file}`, import.meta.url), 'utf8');
    const mutated = mutate(mutation, source);
    expect(mutated).not.toBe(source);
    // It is a module still.
    expect(stripTypeScriptTypes(mutated)).toBeDefined();
  });
  // All of them: npm run simulate -- --mutations
  it.each(MUTATIONS.filter((_, i) => i % EVERY === 0))('$name: noticed', { timeout: 120_000 }, async (mutation) => {
    const noticed = await noticeAfter(mutation, MOST_SEEDS, { threads: 1 });
    expect(noticed?.seeds).toBeLessThanOrEqual(MOST_SEEDS);
    console.log(`${noticed?.seeds} seeds: ${mutation.name}`);
  });
});
