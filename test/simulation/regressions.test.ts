/**
 * What the simulation has found, shrunk, and mended since. Each scenario ends well now, and fails as it did then when the
 * fault is put back into the engine.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { MUTATION } from './mutations/mutation.ts';
import { runScenario } from './run.ts';
import type { Scenario } from './scenario.ts';

interface Regression {
  /** The fault that was mended. */
  readonly mutation: string;
  /** The rule that it broke. */
  readonly rule: string;
  readonly scenario: Scenario;
}

const folder = new URL('./regressions/', import.meta.url);
const regressions = readdirSync(folder).map(
  (file) => [file, JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Regression] as const,
);

/** The rule that a scenario breaks with a fault in the engine. */
function brokenWith(mutation: string, scenario: Scenario): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./scenario-worker.ts', import.meta.url), {
      execArgv: ['--import', new URL('./mutations/hook.ts', import.meta.url).href],
      env: { ...process.env, [MUTATION]: mutation },
      workerData: scenario,
    });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

describe('what was found and mended', () => {
  it.each(regressions)('%s ends well', async (_, { scenario }) => {
    expect((await runScenario(scenario)).problem).toBeUndefined();
  });
  it.each(regressions)('%s fails when the fault is put back', { timeout: 60_000 }, async (_, regression) => {
    expect(await brokenWith(regression.mutation, regression.scenario)).toBe(regression.rule);
  });
});
