/**
 * node test/simulation/mutations/record.ts 'mutation' name [from | kept]: finds a seed that fails with a fault in the
 * engine, shrinks it, lets the faults that it needs happen often, and keeps it as
 * test/simulation/regressions/{name}.json. `kept` begins with the scenario that is kept there by now.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { drawScenario } from '../draw/draw-scenario.ts';
import { runScenario } from '../run.ts';
import type { Scenario } from '../scenario.ts';
import { shrink } from '../shrink.ts';
import { breaksOften, variationsOf } from '../variations.ts';
import { FAULT_KINDS, type FaultKind, type FaultRates } from '../world/faults.ts';
import { MUTATIONS } from './list.ts';
import { hook, MUTATION } from './mutation.ts';
import { noticeAfter } from './notice.ts';
import { RARE_MUTATIONS } from './rare.ts';

const TRIES = 1_000;
const MOST_SEEDS = 50_000;
/** What is kept breaks in so many variations of so many: one of ten, with something to spare. */
const ENOUGH = 9;
const VARIATIONS = 60;
const RATES = [0.01, 0.03, 0.1, 0.3, 0.6];

const [name = '', file = '', given] = process.argv.slice(2);
const mutation = [...MUTATIONS, ...RARE_MUTATIONS].find((each) => each.name === name);
if (mutation === undefined) throw new Error(`there is no mutation '${name}'`);

const place = new URL(`../regressions/${file}.json`, import.meta.url);

if (process.env[MUTATION] === undefined) {
  const seed = given ?? (await noticeAfter(mutation, MOST_SEEDS))?.seeds;
  if (seed === undefined) throw new Error(`'${name}' shows in none of ${MOST_SEEDS} seeds`);
  // Again, with the fault in the engine.
  const again = ['--import', hook, process.argv[1]!, name, file, String(seed)];
  const { status } = spawnSync(process.execPath, again, {
    env: { ...process.env, [MUTATION]: name },
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
  if (status === 0) await checkHealthy();
} else if (given === 'kept') {
  const { scenario } = JSON.parse(readFileSync(place, 'utf8')) as { scenario: Scenario };
  await record([scenario, ...variationsOf(scenario, MOST_SEEDS)]);
} else await record(drawn(Number(given)));

async function record(scenarios: Iterable<Scenario>): Promise<void> {
  Error.stackTraceLimit = 0;
  for (const scenario of scenarios) {
    const { problem } = await runScenario(scenario);
    if (problem === undefined) continue;
    const { rule, message } = problem;
    console.log(`seed ${scenario.seed}: ${message}`);
    const often = await makeOften(scenario, rule);
    if (often === undefined) continue;
    const kept = await shrink(often, rule, { tries: TRIES, run: runVariations(rule) });
    const text = JSON.stringify({ mutation: name, rule, scenario: kept });
    writeFileSync(place, `${text}\n`);
    console.log(`kept as ${file}.json, ${text.length} characters; npm run format`);
    return;
  }
  throw new Error(`'${name}' is too rare to be kept`);
}

/** What is kept needs its fault: here the engine has none. */
async function checkHealthy(): Promise<void> {
  const { scenario } = JSON.parse(readFileSync(place, 'utf8')) as { scenario: Scenario };
  for (const variation of variationsOf(scenario, VARIATIONS)) {
    const { problem } = await runScenario(variation);
    if (problem === undefined) continue;
    rmSync(place);
    throw new Error(`not kept, since seed ${variation.seed} breaks without the fault too: ${problem.message}`);
  }
}

function* drawn(from: number): Generator<Scenario> {
  for (let seed = from; seed < from + MOST_SEEDS; seed++) yield drawScenario(seed);
}

/** The scenario with the faults that it needs, at rates at which it breaks often; if there are any. */
async function makeOften(drawn: Scenario, rule: string): Promise<Scenario | undefined> {
  const { onlyFaults = [], ...scenario } = await shrink(drawn, rule, { tries: TRIES });
  const kinds = (Object.keys(FAULT_KINDS) as FaultKind[]).filter((kind) =>
    onlyFaults.some((occasion) => occasion.startsWith(`${kind}#`)),
  );
  const asDrawn = Object.fromEntries(kinds.map((kind) => [kind, Number(scenario.faults[kind]!.toPrecision(1))]));
  const even = (rate: number): FaultRates => Object.fromEntries(kinds.map((kind) => [kind, rate]));
  for (const faults of [asDrawn, ...RATES.map(even)]) {
    for (const { records } of [scenario, drawn]) {
      const often = { ...scenario, records, faults };
      if (await breaksOften(often, rule, ENOUGH, VARIATIONS)) return often;
    }
  }
  return undefined;
}

/** Takes a scenario for broken when many of its variations are. */
function runVariations(rule: string): (scenario: Scenario) => ReturnType<typeof runScenario> {
  return async (scenario) => {
    const isBroken = await breaksOften(scenario, rule, ENOUGH, VARIATIONS);
    const problem = isBroken ? { rule, message: `breaks in ${ENOUGH} of ${VARIATIONS} variations` } : undefined;
    return { problem, faults: {}, happened: [], steps: 0 };
  };
}
