import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { startProcess } from '../../emulators/launch-process.ts';

const LAUNCH_PROCESS = new URL('../../emulators/launch-process.ts', import.meta.url).href;

/** Whether a process runs. One that has ended but was not yet reaped (a zombie, where init is lazy) does not. */
function isAlive(pid: number): boolean {
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
  return state !== '' && !state.startsWith('Z');
}

describe('a guarded process', () => {
  it('keeps its output and tells how it ended', async () => {
    const child = await startProcess('sh', ['-c', 'echo out; echo err >&2; exit 3']);
    expect(await child.ended).toBe('exit code 3');
    await vi.waitFor(() => expect(child.output()).toContain('out\n'));
    await vi.waitFor(() => expect(child.output()).toContain('err\n'));
  });

  it('tells when the program does not exist', async () => {
    const child = await startProcess('no-such-program', []);
    expect(await child.ended).toBe('exit code 127');
    await vi.waitFor(() => expect(child.output()).toMatch(/no-such-program/));
  });

  it('sees our environment and what is added to it, and an empty stdin', async () => {
    const child = await startProcess('sh', ['-c', 'cat; echo "$ADDED:$HOME"'], { env: { ADDED: 'yes', HOME: '/x' } });
    expect(await child.ended).toBe('exit code 0');
    await vi.waitFor(() => expect(child.output()).toBe('yes:/x\n'));
  });

  it('needs nothing from the PATH', async () => {
    const child = await startProcess('/bin/sleep', ['0.2'], { env: { PATH: '' } });
    expect(await child.ended).toBe('exit code 0');
  });

  it('takes its children along when it is stopped', async () => {
    const child = await startProcess('sh', ['-c', 'sleep 600 & echo $!; wait']);
    await vi.waitFor(() => expect(child.output()).toMatch(/^\d+\n$/));
    const grandchild = Number(child.output());
    await child.stop();
    expect(isAlive(child.pid)).toBe(false);
    await vi.waitFor(() => expect(isAlive(grandchild)).toBe(false));
    await child.stop();
  });

  it('is killed when it does not listen to SIGTERM', { timeout: 15_000 }, async () => {
    const child = await startProcess('sh', ['-c', "trap '' TERM; echo ready; while :; do sleep 1; done"]);
    await vi.waitFor(() => expect(child.output()).toBe('ready\n'));
    await child.stop();
    expect(await child.ended).toBe('signal SIGKILL');
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('does not outlive us when we end by %s', async (signal) => {
    const script = `import { startProcess } from '${LAUNCH_PROCESS}';
      const child = await startProcess('sleep', ['600']);
      console.log(child.pid);
      setInterval(() => {}, 1000);`;
    const us = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(us.stdout, 'data');
    const pid = Number(String(line));
    expect(isAlive(pid)).toBe(true);
    us.kill(signal);
    await once(us, 'exit');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
  });
});
