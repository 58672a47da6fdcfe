/** The command line of the simulation. */
import { availableParallelism } from 'node:os';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { MUTATIONS } from '../mutations/list.ts';
import { RARE_MUTATIONS } from '../mutations/rare.ts';
import { runMany } from './many-seeds-command.ts';
import { checkMutations } from './mutations-command.ts';
import { progressOf } from './progress.ts';

/** Where it writes, so that tests can read it. */
export interface Output {
  /** A line on standard output. */
  readonly out: (line: string) => void;
  /** Text on standard error, as it stands. */
  readonly err: (text: string) => void;
  /** Whether somebody watches: only then is there a progress bar. */
  readonly isTerminal: boolean;
}

interface Options {
  readonly seeds?: number;
  readonly from: number;
  readonly seed?: number;
  readonly whole: boolean;
  readonly mutation?: string;
  readonly mutations?: string | true;
  readonly threads: number;
  readonly json: boolean;
}

const SEEDS = 1_000;
const SEEDS_OF_A_MUTATION = 2_000;

/**
 * @param args without the program's own name
 * @returns the exit code: 0 when all went well, 1 when a seed failed or a mutation went unnoticed, 2 when the words were wrong
 */
export async function simulate(args: readonly string[], output: Output): Promise<number> {
  const command = commandOf(output);
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
  const { seeds = SEEDS, from, seed, whole, mutation, mutations, threads, json } = command.opts<Options>();
  // With --json the last line of the output is for machines; everything else goes where people look.
  const say = json ? (line: string): void => output.err(`${line}\n`) : output.out;
  const tell = json ? output.out : undefined;
  if (mutations !== undefined) {
    const part = mutations === true ? '' : mutations;
    return checkMutations(
      { part, from, seeds: command.opts<Options>().seeds ?? SEEDS_OF_A_MUTATION, threads },
      say,
      tell,
    );
  }
  if (seed !== undefined) {
    const { runOne } = await import('./one-seed-command.ts');
    return runOne({ seed, whole, mutation }, say, tell);
  }
  return runMany({ from, seeds, threads, mutation }, say, tell, progressOf(output, seeds));
}

function commandOf({ out, err }: Output): Command {
  return new Command('npm run simulate --')
    .description(
      'Runs the real engine in a simulated world, in which everything goes wrong that can. A seed decides all.',
    )
    .option('--seeds <count>', `how many seeds (default: ${SEEDS}; with --mutations ${SEEDS_OF_A_MUTATION})`, positive)
    .option('--from <seed>', 'the first of them', wholeNumber, 1)
    .addOption(
      new Option('--seed <seed>', 'runs this one again, exactly, and tells what happened')
        .argParser(wholeNumber)
        .conflicts(['seeds', 'mutations']),
    )
    .option('--whole', 'with --seed: tells a failure as it was, instead of shrunk to what it needs', false)
    .addOption(
      new Option('--mutation <name>', 'puts this fault into the engine, by its whole name')
        .argParser(nameOfMutation)
        .conflicts('mutations'),
    )
    .option('--mutations [part]', 'puts each fault whose name has this part into the engine: how many seeds notice it?')
    .option('--threads <count>', 'seeds at once', positive, availableParallelism())
    .option('--json', 'the last line of the output is one object, for machines', false)
    .allowExcessArguments(false)
    .showHelpAfterError('(npm run simulate -- --help says what there is)')
    .exitOverride()
    .configureOutput({ writeOut: (text) => out(text.trimEnd()), writeErr: err });
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(number) || number < 0)
    throw new InvalidArgumentError(`It is not a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`);
  return number;
}

function positive(text: string): number {
  const number = wholeNumber(text);
  if (number === 0) throw new InvalidArgumentError('It has to be at least 1.');
  return number;
}

function nameOfMutation(name: string): string {
  if ([...MUTATIONS, ...RARE_MUTATIONS].some((mutation) => mutation.name === name)) return name;
  const alike = [...MUTATIONS, ...RARE_MUTATIONS].filter((mutation) => mutation.name.includes(name));
  const names = alike.map((mutation) => `\n  '${mutation.name}'`).join('');
  throw new InvalidArgumentError(
    names === '' ? 'There is no such mutation; their names are in test/simulation/mutations.' : `Do you mean:${names}`,
  );
}
