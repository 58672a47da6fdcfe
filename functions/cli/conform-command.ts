import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { conform } from './conform.ts';
import type { Io } from './io.ts';

/** `millrace conform`: conformance cases on standard input, results on standard output. */
export function conformCommand(io: Io): Command {
  return new Command('conform')
    .description('run conformance cases (JSON Lines on standard input) and print their results')
    .addHelpText('after', '\nExample:\n  millrace conform < cases.jsonl')
    .action(async () => {
      await conform(createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY }), (line) => io.out(line));
    });
}
