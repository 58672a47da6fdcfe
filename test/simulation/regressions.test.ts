/**
 * What the simulation has found, shrunk, and mended since. Each scenario failed on the engine as it was, and fails again
 * when the fault is put back (the mutation of that name).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MUTATIONS } from './mutations/list.ts';
import { runScenario } from './run.ts';
import type { Scenario } from './scenario.ts';

interface Regression {
  readonly mutation: string;
  readonly rule: string;
  readonly scenario: Scenario;
}

const folder = new URL('./regressions/', import.meta.url);
const regressions = readdirSync(folder).map(
  (file) => [file, JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Regression] as const,
);

describe('what was found and mended', () => {
  it.each(regressions)('%s', async (_, { scenario, mutation }) => {
    expect(MUTATIONS.map(({ name }) => name)).toContain(mutation);
    expect((await runScenario(scenario)).problem).toBeUndefined();
  });
});
