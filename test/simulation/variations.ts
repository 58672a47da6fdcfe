/**
 * Runs of one scenario under other seeds: the same pipeline, input, world and faults, where what is drawn from a seed falls
 * out otherwise. A scenario that is kept breaks in many of them, so that no single draw matters when the world or the
 * engine begins to draw one number more.
 */
import { runScenario } from './run.ts';
import type { Scenario } from './scenario.ts';

export function* variationsOf(scenario: Scenario, count: number): Generator<Scenario> {
  for (let i = 0; i < count; i++) yield { ...scenario, seed: scenario.seed + i };
}

/** Whether at least `enough` of `count` variations break the rule; stops when that is clear. */
export async function breaksOften(scenario: Scenario, rule: string, enough: number, count: number): Promise<boolean> {
  let broken = 0;
  let left = count;
  for (const variation of variationsOf(scenario, count)) {
    left -= 1;
    if ((await runScenario(variation)).problem?.rule === rule) broken += 1;
    if (broken >= enough) return true;
    if (broken + left < enough) return false;
  }
  return false;
}
