/** Starts the model server from the command line and runs until it is told to stop. */
import { messageOf } from '../../functions/model/errors.ts';
import { HELP, readCommandLine } from './options.ts';
import { startVertex } from './server.ts';

async function main(): Promise<void> {
  const commandLine = await readCommandLine(process.argv.slice(2));
  if (commandLine.help) {
    process.stdout.write(HELP);
    return;
  }
  const { port, host, options } = commandLine;
  const server = await startVertex({ ...options, port, host });
  process.stdout.write(`vertex: listening at ${server.url}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.stop());
}

main().catch((error: unknown) => {
  process.stderr.write(`vertex: ${messageOf(error)}\n`);
  process.exitCode = 1;
});
