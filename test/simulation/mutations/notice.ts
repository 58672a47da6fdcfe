import { runSeeds } from '../many-seeds.ts';
import { MUTATION, type Mutation } from './mutation.ts';

/** How a fault was noticed. */
export interface Noticed {
  /** The seed at which it was, counted from 1. */
  readonly seeds: number;
  readonly rule: string;
}

/** Runs seeds against the engine with a fault in it, until one fails. */
export async function noticeAfter(mutation: Mutation, most: number, threads?: number): Promise<Noticed | undefined> {
  const { failures } = await runSeeds({
    from: 1,
    seeds: most,
    untilFailure: true,
    execArgv: ['--import', new URL('./hook.ts', import.meta.url).href],
    env: { [MUTATION]: mutation.name },
    ...(threads === undefined ? {} : { threads }),
  });
  const [first] = failures;
  return first === undefined ? undefined : { seeds: first.seed, rule: first.problem.rule };
}
