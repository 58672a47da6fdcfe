/** Runs one seed again, exactly, and tells what happened. */
import { spawnSync } from 'node:child_process';
import { drawScenario } from '../draw/draw-scenario.ts';
import type { Failure } from '../many-seeds.ts';
import { hook, MUTATION } from '../mutations/mutation.ts';
import { runScenario } from '../run.ts';
import { shrink } from '../shrink.ts';
import { tellStory } from '../story.ts';

export interface OneSeedOptions {
  readonly seed: number;
  /** Tells a failure as it was, instead of shrunk. */
  readonly whole: boolean;
  readonly mutation: string | undefined;
}

const SHRINK_TRIES = 1_000;

/** @param tell takes the line for machines. @returns the exit code */
export async function runOne(
  { seed, whole, mutation }: OneSeedOptions,
  say: (line: string) => void,
  tell: ((line: string) => void) | undefined,
): Promise<number> {
  // A fault is put into the engine before any of it is loaded.
  if (mutation !== undefined && process.env[MUTATION] !== mutation) return runAgain(mutation);
  const began = performance.now();
  const scenario = drawScenario(seed);
  const { problem, faults, steps } = await runScenario(scenario);
  const seconds = (performance.now() - began) / 1_000;
  if (problem === undefined || whole) say(await tellStory(scenario));
  else say(await storyOfFailure({ seed, problem }));
  tell?.(
    JSON.stringify({
      seeds: 1,
      failed: problem === undefined ? 0 : 1,
      seconds: Number(seconds.toFixed(3)),
      seedsPerSecond: Math.round(1 / seconds),
      faults,
      seed,
      steps,
      problem: problem?.message ?? null,
    }),
  );
  return problem === undefined ? 0 : 1;
}

/** What happened in a failure when everything that does not matter is left out. */
export async function storyOfFailure({ seed, problem }: Failure): Promise<string> {
  const scenario = await shrink(drawScenario(seed), problem.rule, { tries: SHRINK_TRIES });
  return [
    `\nSeed ${seed}, shrunk. The whole run: npm run simulate -- --seed ${seed} --whole`,
    await tellStory(scenario),
    `The shrunk scenario: ${JSON.stringify(scenario)}`,
  ].join('\n');
}

function runAgain(mutation: string): number {
  const args = ['--import', hook, ...process.argv.slice(1)];
  const env = { ...process.env, [MUTATION]: mutation };
  return spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status ?? 1;
}
