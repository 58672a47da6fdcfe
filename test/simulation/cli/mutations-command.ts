/** Puts faults into the engine one at a time, and tells how many seeds it takes until the simulation notices. */
import { MUTATIONS } from '../mutations/list.ts';
import { noticeAfter } from '../mutations/notice.ts';

export interface MutationsOptions {
  /** Of the names of those that are tried; empty: all. */
  readonly part: string;
  readonly from: number;
  /** How many seeds at most for each. */
  readonly seeds: number;
  readonly threads: number;
}

/** @param tell takes the line for machines. @returns the exit code */
export async function checkMutations(
  { part, from, seeds, threads }: MutationsOptions,
  say: (line: string) => void,
  tell: ((line: string) => void) | undefined,
): Promise<number> {
  const unnoticed: string[] = [];
  let slowest = { name: '', seeds: 0 };
  const mutations = MUTATIONS.filter(({ name }) => name.includes(part));
  for (const mutation of mutations) {
    const noticed = await noticeAfter(mutation, seeds, { from, threads });
    if (noticed === undefined) unnoticed.push(mutation.name);
    else if (noticed.seeds > slowest.seeds) slowest = { name: mutation.name, seeds: noticed.seeds };
    say(
      noticed === undefined
        ? `UNNOTICED in ${seeds} seeds: ${mutation.name}`
        : `${String(noticed.seeds).padStart(5)} seeds: ${mutation.name}: ${noticed.rule}`,
    );
  }
  say(
    `${mutations.length} mutations, ${unnoticed.length} unnoticed; the slowest took ${slowest.seeds} seeds: ${slowest.name}`,
  );
  tell?.(JSON.stringify({ mutations: mutations.length, unnoticed, slowest }));
  return unnoticed.length === 0 ? 0 : 1;
}
