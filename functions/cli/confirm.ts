import { createInterface } from 'node:readline/promises';
import { ConfigurationError } from '../model/errors.ts';
import type { Io } from './io.ts';

/**
 * Asks before something is changed.
 * @throws {ConfigurationError} when the answer is no, or nobody is there to ask
 */
export async function confirm(io: Io, question: string, yes: boolean | undefined): Promise<void> {
  if (yes) return;
  if (!io.isTerminal) throw new ConfigurationError(`${question} Nobody is there to ask; add --yes`);
  io.err(`${question} [y/N]`);
  const reader = createInterface({ input: io.stdin, terminal: false });
  try {
    const answer = await new Promise<string>((resolve) => {
      reader.once('line', resolve);
      reader.once('close', () => resolve(''));
    });
    if (!/^y(es)?$/i.test(answer.trim())) throw new ConfigurationError('nothing was changed');
  } finally {
    reader.close();
  }
}
