/**
 * node test/simulation/mutations/record.ts 'mutation' name [seed]: finds a seed that fails with a fault in the engine,
 * shrinks it, and keeps it as test/simulation/regressions/{name}.json.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { drawScenario } from '../draw/draw-scenario.ts';
import { runScenario } from '../run.ts';
import { shrink } from '../shrink.ts';
import { MUTATIONS } from './list.ts';
import { MUTATION } from './mutation.ts';
import { noticeAfter } from './notice.ts';
import { RARE_MUTATIONS } from './rare.ts';

const TRIES = 1_000;
const MOST_SEEDS = 50_000;
const [name = '', file = '', given] = process.argv.slice(2);
const mutation = [...MUTATIONS, ...RARE_MUTATIONS].find((each) => each.name === name);
if (mutation === undefined) throw new Error(`there is no mutation '${name}'`);

if (process.env[MUTATION] === undefined) {
  const seed = given ?? (await noticeAfter(mutation, MOST_SEEDS))?.seeds;
  if (seed === undefined) throw new Error(`'${name}' shows in none of ${MOST_SEEDS} seeds`);
  // Again, with the fault in the engine.
  const hook = new URL('./hook.ts', import.meta.url).href;
  const again = ['--import', hook, process.argv[1]!, name, file, String(seed)];
  const { status } = spawnSync(process.execPath, again, {
    env: { ...process.env, [MUTATION]: name },
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} else await record(Number(given));

async function record(seed: number): Promise<void> {
  const scenario = drawScenario(seed);
  const { problem } = await runScenario(scenario);
  if (problem === undefined) throw new Error(`seed ${seed} ends well`);
  const shrunk = await shrink(scenario, problem.rule, { tries: TRIES });
  const text = JSON.stringify({ mutation: name, rule: problem.rule, scenario: shrunk });
  writeFileSync(new URL(`../regressions/${file}.json`, import.meta.url), `${text}\n`);
  console.log(`seed ${seed}: ${problem.message}\nkept as ${file}.json, ${text.length} characters`);
}
