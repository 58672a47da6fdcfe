/**
 * npm run simulate -- --seeds N [--from S] [--json]: runs seeds on all cores; tells of the first failure what happened,
 * shrunk to what matters.
 * npm run simulate -- --seed S: runs one seed again, exactly, and tells what happened.
 */
import { parseArgs } from 'node:util';
import { drawScenario } from './draw/draw-scenario.ts';
import { type Failure, runSeeds, type Summary } from './many-seeds.ts';
import { runScenario } from './run.ts';
import { shrink } from './shrink.ts';
import { tellStory } from './story.ts';

const SHRINK_TRIES = 1_000;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    json: { type: 'boolean', default: false },
    whole: { type: 'boolean', default: false },
  },
});
// With --json the last line of the output is for machines; everything else goes where people look.
const say = (text: string): void => void (values.json ? process.stderr : process.stdout).write(`${text}\n`);

process.exitCode = values.seed === undefined ? await runMany() : await runOne(wholeNumber('--seed', values.seed));

async function runMany(): Promise<number> {
  const [seeds, from] = [wholeNumber('--seeds', values.seeds), wholeNumber('--from', values.from)];
  const summary = await runSeeds({ from, seeds, progress: (done, failed) => showProgress(done, failed, seeds) });
  if (process.stderr.isTTY) process.stderr.write('\n');
  for (const { seed, problem } of summary.failures) say(`seed ${seed}: ${problem.message}`);
  const [first] = summary.failures;
  if (first !== undefined) say(await storyOf(first));
  report(summary);
  return summary.failures.length === 0 ? 0 : 1;
}

async function runOne(seed: number): Promise<number> {
  const scenario = drawScenario(seed);
  const { problem, faults, steps } = await runScenario(scenario);
  if (problem === undefined || values.whole) say(await tellStory(scenario));
  else say(await storyOf({ seed, problem }));
  if (values.json)
    console.log(
      JSON.stringify({ seed, failed: problem === undefined ? 0 : 1, problem: problem?.message, steps, faults }),
    );
  return problem === undefined ? 0 : 1;
}

/** What happened in a failure when everything that does not matter is left out. */
async function storyOf({ seed, problem }: Failure): Promise<string> {
  const scenario = await shrink(drawScenario(seed), problem.rule, { tries: SHRINK_TRIES });
  return [
    `\nSeed ${seed}, shrunk. The whole run: npm run simulate -- --seed ${seed} --whole`,
    await tellStory(scenario),
    `The shrunk scenario: ${JSON.stringify(scenario)}`,
  ].join('\n');
}

function report({ seeds, failures, seconds, faults }: Summary): void {
  const seedsPerSecond = Math.round(seeds / seconds);
  const failed = failures.length;
  say(`${seeds} seeds, ${failed} failed, ${seconds.toFixed(1)} s, ${seedsPerSecond} seeds/s`);
  if (values.json)
    console.log(JSON.stringify({ seeds, failed, seconds: Number(seconds.toFixed(3)), seedsPerSecond, faults }));
  else for (const [kind, count] of Object.entries(faults).sort()) say(`${String(count).padStart(9)} ${kind}`);
}

function showProgress(done: number, failed: number, seeds: number): void {
  if (!process.stderr.isTTY) {
    if (done % 1_000 === 0) process.stderr.write(`${done} of ${seeds} seeds, ${failed} failed\n`);
    return;
  }
  const filled = Math.round((done / seeds) * 40);
  process.stderr.write(`\r[${'#'.repeat(filled)}${'.'.repeat(40 - filled)}] ${done}/${seeds}, ${failed} failed`);
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0) {
    console.error(`${option}: expected a whole number, got '${text}'`);
    process.exit(2);
  }
  return number;
}
