/** Runs many seeds, and tells of the first that fails what happened, shrunk to what matters. */
import { underMutation } from '../mutations/notice.ts';
import { runSeeds, type Summary } from '../many-seeds.ts';

export interface ManySeedsOptions {
  readonly from: number;
  readonly seeds: number;
  readonly threads: number;
  readonly mutation: string | undefined;
}

type Say = (line: string) => void;

/** @param tell takes the line for machines. @returns the exit code */
export async function runMany(
  { from, seeds, threads, mutation }: ManySeedsOptions,
  say: Say,
  tell: Say | undefined,
  progress: (done: number, failed: number) => void,
): Promise<number> {
  const summary = await runSeeds({
    from,
    seeds,
    threads,
    progress,
    failed: ({ seed, problem }) => say(`seed ${seed}: ${problem.message}`),
    ...(mutation === undefined ? {} : underMutation(mutation)),
  });
  const [first] = summary.failures;
  // This thread's own engine has no fault in it, and is loaded only when it is needed.
  if (first !== undefined && mutation === undefined) {
    const { storyOfFailure } = await import('./one-seed-command.ts');
    say(await storyOfFailure(first));
  }
  report(summary, say, tell);
  return summary.failures.length === 0 ? 0 : 1;
}

function report({ seeds, failures, seconds, faults }: Summary, say: Say, tell: Say | undefined): void {
  const seedsPerSecond = Math.round(seeds / seconds);
  const failed = failures.length;
  say(`${seeds} seeds, ${failed} failed, ${seconds.toFixed(1)} s, ${seedsPerSecond} seeds/s`);
  for (const [kind, count] of Object.entries(faults).sort()) say(`${String(count).padStart(9)} ${kind}`);
  tell?.(JSON.stringify({ seeds, failed, seconds: Number(seconds.toFixed(3)), seedsPerSecond, faults }));
}
