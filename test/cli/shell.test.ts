import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { PROCESS_SHELL } from '../../functions/cli/shell.ts';

const SHELL = fileURLToPath(new URL('../../functions/cli/shell.ts', import.meta.url));

/** As terraform: obeys an interruption, and ends with an error. */
const CHILD = `process.on('SIGINT', () => process.exit(3)); console.log('runs'); setInterval(() => {}, 1e6);`;
const CALLER = `
  import { PROCESS_SHELL } from ${JSON.stringify(SHELL)};
  try {
    await PROCESS_SHELL.run(process.execPath, ['-e', ${JSON.stringify(CHILD)}]);
  } catch (error) {
    console.log(error.message);
  } finally {
    console.log('cleaned up');
  }
`;

it('an interruption ends the program that runs, and whoever has called it cleans up', async () => {
  const caller = spawn(process.execPath, ['--input-type=module', '-e', CALLER], { detached: true });
  let printed = '';
  caller.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    // As a terminal does: to all that run in its foreground.
    if (printed === 'runs\n') process.kill(-caller.pid!, 'SIGINT');
  });
  const code = await new Promise((resolve) => caller.on('close', resolve));
  expect([code, printed.split('\n').slice(-2)]).toEqual([0, ['cleaned up', '']]);
  expect(printed).toContain('ended with 3; see above');
});

it('a program that is killed is named with the signal', async () => {
  const killed = ['-e', `process.kill(process.pid, 'SIGKILL')`];
  await expect(PROCESS_SHELL.run(process.execPath, killed)).rejects.toThrow('-e ended with SIGKILL; see above');
});
