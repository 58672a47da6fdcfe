/** Runs many seeds on all cores. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Problem } from './run.ts';
import type { FaultCounts, FaultKind } from './world/faults.ts';
import type { SeedReport } from './worker.ts';

export interface ManySeeds {
  readonly from: number;
  readonly seeds: number;
  /** Stops soon after the first failure. Default false. */
  readonly untilFailure?: boolean;
  /** Called now and then with how many seeds are done and how many of them failed. */
  readonly progress?: (done: number, failed: number) => void;
  /** Told of each failure as soon as it is known. */
  readonly failed?: (failure: Failure) => void;
  /** Threads; default one a core. */
  readonly threads?: number;
  /** Options of node for the threads, such as a module that is loaded before all others. */
  readonly execArgv?: readonly string[];
  /** Environment variables of the threads, beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Failure {
  readonly seed: number;
  readonly problem: Problem;
}

export interface Summary {
  /** How many were run. */
  readonly seeds: number;
  /** In order of seed. */
  readonly failures: readonly Failure[];
  readonly seconds: number;
  readonly faults: FaultCounts;
}

/** Seeds that a thread is given at a time. */
const PORTION = 10;
/** Nearly everything lives for a moment only. */
const YOUNG_MEGABYTES = 96;
/** Where threads keep compiled code, from one run to the next. */
const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/simulation', import.meta.url));
/** A thread that needs longer for them runs in a circle; milliseconds. */
const PATIENCE = 120_000;

export async function runSeeds(options: ManySeeds): Promise<Summary> {
  const {
    from,
    seeds,
    untilFailure = false,
    progress,
    failed,
    threads = availableParallelism(),
    execArgv = [],
    env = {},
  } = options;
  const began = performance.now();
  const failures: Failure[] = [];
  const faults: Partial<Record<FaultKind, number>> = {};
  let next = from;
  let done = 0;
  const note = (reports: readonly SeedReport[]): void => {
    for (const { seed, problem, faults: counts } of reports) {
      done += 1;
      if (problem !== undefined) {
        failures.push({ seed, problem });
        failed?.({ seed, problem });
      }
      for (const kind in counts)
        faults[kind as FaultKind] = (faults[kind as FaultKind] ?? 0) + counts[kind as FaultKind]!;
    }
    progress?.(done, failures.length);
  };
  const runThread = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./worker.ts', import.meta.url), {
        execArgv: [...execArgv],
        env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, ...env },
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
      });
      let hangs: NodeJS.Timeout | undefined;
      const ask = (): void => {
        clearTimeout(hangs);
        const count = Math.min(PORTION, from + seeds - next);
        if (count <= 0 || (untilFailure && failures.length > 0)) {
          void worker.terminate().then(() => resolve());
          return;
        }
        const first = next;
        hangs = setTimeout(() => {
          const message = `one of the seeds ${first} to ${first + count - 1} has not ended after ${PATIENCE} ms`;
          note([{ seed: first, problem: { rule: 'a run comes to its end', message }, faults: {} }]);
          void worker.terminate().then(() => resolve());
        }, PATIENCE);
        worker.postMessage({ from: first, count });
        next += count;
      };
      worker.on('message', (reports: SeedReport[]) => {
        note(reports);
        ask();
      });
      worker.on('error', reject);
      ask();
    });
  await Promise.all(Array.from({ length: Math.min(threads, Math.ceil(seeds / PORTION)) }, runThread));
  failures.sort((a, b) => a.seed - b.seed);
  return { seeds: done, failures, seconds: (performance.now() - began) / 1_000, faults };
}
