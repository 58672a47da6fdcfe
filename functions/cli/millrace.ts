#!/usr/bin/env node
import { PROCESS_IO } from './io.ts';
import { main } from './main.ts';

// Whoever reads may have seen enough (`| head`); that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.exitCode = await main(process.argv.slice(2), PROCESS_IO);
