import { describe, expect, it } from 'vitest';
import { drawScenario } from './draw/draw-scenario.ts';
import { runSeeds } from './many-seeds.ts';
import { runScenario } from './run.ts';
import type { Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';
import { tellStory } from './story.ts';

describe('the engine in a simulated world', () => {
  it('loses nothing and counts nothing twice, whatever goes wrong: 250 seeds', { timeout: 240_000 }, async () => {
    const { failures, seeds, faults } = await runSeeds({ from: 1, seeds: 250 });
    expect(failures).toEqual([]);
    expect(seeds).toBe(250);
    expect(Object.keys(faults).length).toBeGreaterThan(30);
  });
});

describe('a seed', () => {
  it('decides everything: the same one gives the same story', async () => {
    const scenario = drawScenario(11);
    const story = await tellStory(scenario);
    expect(story.split('\n').length).toBeGreaterThan(100);
    expect(await tellStory(scenario)).toBe(story);
  });
  it('gives a scenario that is plain JSON, and can be run again from it', async () => {
    const scenario = drawScenario(12);
    const copy = JSON.parse(JSON.stringify(scenario)) as Scenario;
    expect((await runScenario(copy)).happened).toEqual((await runScenario(scenario)).happened);
  });
});

describe('a failing scenario', () => {
  it('is shrunk to what its failure needs', async () => {
    const { scenario, happened } = await troubledScenario();
    const [fault] = happened.filter((name) => name.startsWith('commit'));
    const record = scenario.records[5]!.id;
    const run = async ({ records, faults, onlyFaults = happened }: Scenario) => {
      // Where no kind of fault may happen, this one does not.
      const happens = Object.keys(faults).length > 0 && onlyFaults.includes(fault!);
      const fails = happens && records.some(({ id }) => id === record);
      const problem = fails ? { rule: 'no such rule', message: 'as arranged' } : undefined;
      return { problem, faults: {}, happened: onlyFaults, steps: 0 };
    };
    const { records, onlyFaults } = await shrink(scenario, 'no such rule', { tries: 1_000, run });
    expect([records.map(({ id }) => id), onlyFaults]).toEqual([[record], [fault]]);
  });
});

/** The first scenario in which commits and other things go wrong. */
async function troubledScenario(): Promise<{ scenario: Scenario; happened: readonly string[] }> {
  for (let seed = 13; ; seed++) {
    const scenario = drawScenario(seed);
    const { happened } = await runScenario(scenario);
    const ofCommits = happened.filter((name) => name.startsWith('commit')).length;
    if (ofCommits > 0 && happened.length > ofCommits + 3 && scenario.records.length > 6) return { scenario, happened };
  }
}
