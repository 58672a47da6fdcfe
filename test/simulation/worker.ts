/** Runs seeds in a thread of its own, a few at a time as they are asked for. */
import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { drawScenario } from './draw/draw-scenario.ts';
import { type Outcome, runScenario } from './run.ts';

/** What a thread is asked for. */
export interface SeedRange {
  readonly from: number;
  readonly count: number;
}

/** What it answers, one for each seed. */
export interface SeedReport extends Pick<Outcome, 'problem' | 'faults'> {
  readonly seed: number;
}

// Runs throw thousands of errors of which nobody reads where they come from.
Error.stackTraceLimit = 0;

parentPort?.on('message', async ({ from, count }: SeedRange) => {
  const reports: SeedReport[] = [];
  for (let seed = from; seed < from + count; seed++) reports.push(await runSeed(seed));
  parentPort!.postMessage(reports);
  keepCompiled();
});

let isKept = false;

/** Keeps what the first seeds have compiled for threads to come: this one is stopped without a word. */
function keepCompiled(): void {
  if (!isKept) flushCompileCache();
  isKept = true;
}

async function runSeed(seed: number): Promise<SeedReport> {
  try {
    const { problem, faults } = await runScenario(drawScenario(seed));
    const plain = problem === undefined ? undefined : { rule: problem.rule, message: problem.message };
    return { seed, problem: plain, faults };
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { seed, problem: { rule: 'the simulation itself works', message }, faults: {} };
  }
}
