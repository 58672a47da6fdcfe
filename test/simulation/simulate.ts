/** npm run simulate -- --help says what it can do. */
import { simulate } from './cli/simulate.ts';

// Whoever reads the output may have read enough.
process.stdout.on('error', () => process.exit(1));
process.exitCode = await simulate(process.argv.slice(2), {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
});
