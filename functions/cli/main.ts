import { Command, CommanderError } from 'commander';
import { admitCommand } from './admit-command.ts';
import { conformCommand } from './conform-command.ts';
import { doctorCommand, drainCommand, pauseCommand, restartCommand, resumeCommand } from './control-commands.ts';
import { deadLettersCommand } from './dead-letters-command.ts';
import { destroyCommand } from './destroy-command.ts';
import { errorText } from './error-text.ts';
import { batchesCommand, stateCommand, timersCommand } from './inspect-commands.ts';
import type { Io } from './io.ts';
import { planCommand } from './plan-command.ts';
import { runCommand } from './run-command.ts';
import { statusCommand } from './status-command.ts';
import { whyCommand } from './why-command.ts';

const COMMANDS = [
  runCommand,
  planCommand,
  conformCommand,
  statusCommand,
  whyCommand,
  deadLettersCommand,
  stateCommand,
  timersCommand,
  batchesCommand,
  pauseCommand,
  resumeCommand,
  drainCommand,
  restartCommand,
  admitCommand,
  doctorCommand,
  destroyCommand,
];

/**
 * Runs the command line.
 * @param args without the program's own name
 * @returns the exit code: 0 when all went well, 1 when something failed, 2 when the words were wrong
 */
export async function main(args: readonly string[], io: Io): Promise<number> {
  const program = new Command('millrace').description(
    'Beam and Dataflow streaming semantics on serverless parts of Google Cloud',
  );
  for (const command of COMMANDS) program.addCommand(command(io));
  prepare(program, io, 'millrace');
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    io.err(errorText(error));
    return 1;
  }
}

/** Commander throws instead of ending the process, writes where we say, and names what to type after wrong words. */
function prepare(command: Command, io: Io, name: string): void {
  command.exitOverride();
  command.configureOutput({ writeOut: (text) => io.out(text.trimEnd()), writeErr: (text) => io.err(text.trimEnd()) });
  // A command that only has others is asked for with one of them.
  const words = ({ registeredArguments }: Command): string[] => registeredArguments.map((each) => `<${each.name()}>`);
  const others = command.commands.map((child) => [name, child.name(), ...words(child)].join(' '));
  if (name === 'millrace') others.length = 0;
  command.showHelpAfterError(`(try ${[...others, `${name} --help`].join(', ')})`);
  for (const child of command.commands) prepare(child, io, `${name} ${child.name()}`);
}
