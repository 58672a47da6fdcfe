#!/usr/bin/env -S node --min-semi-space-size=64 --max-semi-space-size=64
// The young generation is larger than Node's own: most of what a run makes lives for one bundle.
import { enableCompileCache } from 'node:module';

// Before anything of ours is loaded, so that the next start need not compile it again.
enableCompileCache();
// Whoever reads may have seen enough (`| head`); that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

// Google's clients look for a metadata server where there are no credentials; the error that follows says what to do.
process.removeAllListeners('warning');
process.on('warning', ({ name, message }) => {
  if (name !== 'MetadataLookupWarning') process.stderr.write(`${name}: ${message}\n`);
});

const { main } = await import('./main.ts');
const { PROCESS_IO } = await import('./io.ts');
process.exitCode = await main(process.argv.slice(2), PROCESS_IO);
// A connection that nobody answers would keep the process for half a minute.
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
