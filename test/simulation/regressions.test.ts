/**
 * What the simulation has found, shrunk, and mended since. Each scenario ends well now, whatever its seed; and when the
 * fault is put back into the engine, some of the first seeds fail as they did then.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { hook, MUTATION } from './mutations/mutation.ts';
import { runScenario } from './run.ts';
import type { Scenario } from './scenario.ts';
import type { Question } from './scenario-worker.ts';
import { variationsOf } from './variations.ts';

interface Regression {
  /** The fault that was mended. */
  readonly mutation: string;
  /** The rule that it broke. */
  readonly rule: string;
  /** Breaks the rule in at least one of ten variations, but for two whose faults are rarer. */
  readonly scenario: Scenario;
}

/** Of these none fails. */
const HEALTHY = 5;
/** Of these one fails, unless what happens in one of ten does not happen in any of a hundred. */
const BROKEN = 100;

const folder = new URL('./regressions/', import.meta.url);
const regressions = readdirSync(folder).map(
  (file) => [file, JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Regression] as const,
);

/** Whether a scenario breaks its rule with a fault in the engine. */
function isBrokenWith({ mutation, rule, scenario }: Regression): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./scenario-worker.ts', import.meta.url), {
      execArgv: ['--import', hook],
      env: { ...process.env, [MUTATION]: mutation },
      workerData: { scenario, rule, variations: BROKEN } satisfies Question,
    });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

describe('what was found and mended', () => {
  it.each(regressions)('%s ends well', { timeout: 60_000 }, async (_, { scenario }) => {
    for (const variation of variationsOf(scenario, HEALTHY))
      expect((await runScenario(variation)).problem).toBeUndefined();
  });
  it.each(regressions)('%s fails when the fault is put back', { timeout: 60_000 }, async (_, regression) => {
    expect(await isBrokenWith(regression)).toBe(true);
  });
});
