/**
 * node test/simulation/mutations/record.ts 'mutation' name: finds a seed that fails with a fault in the engine, shrinks
 * it, and keeps it as test/simulation/regressions/{name}.json.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { drawScenario } from '../draw/draw-scenario.ts';
import { runScenario } from '../run.ts';
import type { Scenario } from '../scenario.ts';
import { shrink } from '../shrink.ts';
import { MUTATION } from './mutation.ts';

const TRIES = 1_000;
const [mutation = '', name = ''] = process.argv.slice(2);

if (process.env[MUTATION] === undefined) {
  // Again, with the fault in the engine.
  const hook = new URL('./hook.ts', import.meta.url).href;
  const env = { ...process.env, [MUTATION]: mutation };
  const { status } = spawnSync(process.execPath, ['--import', hook, ...process.argv.slice(1)], {
    env,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} else await record();

async function record(): Promise<void> {
  for (let seed = 1; ; seed++) {
    const scenario = drawScenario(seed);
    const { problem } = await runScenario(scenario);
    if (problem === undefined) continue;
    const shrunk: Scenario = await shrink(scenario, problem.rule, { tries: TRIES });
    const text = JSON.stringify({ mutation, rule: problem.rule, scenario: shrunk });
    writeFileSync(new URL(`../regressions/${name}.json`, import.meta.url), `${text}\n`);
    console.log(`seed ${seed}: ${problem.message}\nkept as ${name}.json, ${text.length} characters`);
    return;
  }
}
