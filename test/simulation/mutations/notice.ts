import { type ManySeeds, runSeeds } from '../many-seeds.ts';
import { hook, MUTATION, type Mutation } from './mutation.ts';

/** How a fault was noticed. */
export interface Noticed {
  /** How many seeds it took. */
  readonly seeds: number;
  readonly rule: string;
}

/** Runs seeds against the engine with a fault in it, until one fails. */
export async function noticeAfter(
  mutation: Mutation,
  most: number,
  { from = 1, ...options }: Partial<Pick<ManySeeds, 'from' | 'threads'>> = {},
): Promise<Noticed | undefined> {
  const { failures } = await runSeeds({
    from,
    seeds: most,
    untilFailure: true,
    ...underMutation(mutation.name),
    ...options,
  });
  const [first] = failures;
  return first === undefined ? undefined : { seeds: first.seed - from + 1, rule: first.problem.rule };
}

/** Lets the threads that run seeds have a fault in their engine. */
export function underMutation(name: string): Pick<ManySeeds, 'execArgv' | 'env'> {
  return { execArgv: ['--import', hook], env: { [MUTATION]: name } };
}
