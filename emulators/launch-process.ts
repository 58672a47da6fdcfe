/**
 * A child process that cannot outlive us. Invariant: the child leads its own process group, and a watcher inside that
 * group holds the reading end of a pipe whose only writer is this process. However we end (return, throw, SIGINT,
 * SIGTERM, SIGKILL, out of memory), the kernel closes the pipe and the watcher kills the group. No signal handlers are
 * needed, so none are installed. POSIX only: it needs `/bin/sh`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ConfigurationError, messageOf } from '../functions/model/errors.ts';

/** How long `stop` waits after SIGTERM before it sends SIGKILL. */
const TERM_PATIENCE_MILLIS = 3_000;
/** How much of the child's latest output is kept for error messages, in characters. */
const KEPT_OUTPUT = 16_384;

/** Runs `$@` in this very process; the watcher waits at descriptor 3 until its other end is gone. Built-ins only: PATH may be bare. */
const GUARD = `exec 3<&0
( read -r _ <&3; kill -KILL 0 ) >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

export interface GuardedProcess {
  readonly pid: number;
  /** Resolves, never rejects, once the child has ended: `'exit code 1'`, `'signal SIGKILL'`, or why it did not start. */
  readonly ended: Promise<string>;
  /** The last 16 KiB that the child wrote to stdout and stderr, as they came. */
  output(): string;
  /** Ends the child and all its descendants of the same group; resolves when it is gone. May be called again. */
  stop(): Promise<void>;
}

export interface GuardedProcessOptions {
  /** Added to our own environment; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Called with each piece of output as it comes, e.g. to show it. */
  readonly onOutput?: (text: string) => void;
}

/** @throws {ConfigurationError} when the process cannot be started at all (no `/bin/sh`, no such folder) */
export async function startProcess(
  command: string,
  args: readonly string[],
  options: GuardedProcessOptions = {},
): Promise<GuardedProcess> {
  const child = spawn('/bin/sh', ['-c', GUARD, command, command, ...args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  let kept = '';
  const keep = (chunk: Buffer) => {
    const text = chunk.toString();
    kept = (kept + text).slice(-KEPT_OUTPUT);
    options.onOutput?.(text);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.stdin.on('error', () => {}); // EPIPE: the watcher is gone already
  await once(child, 'spawn').catch((error: unknown) => {
    throw new ConfigurationError(`cannot start ${command}: ${messageOf(error)}`, { cause: error });
  });
  const ended = endOf(child);
  return { pid: child.pid!, ended, output: () => kept, stop: () => stopGroup(child, ended) };
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      child.stdin?.destroy(); // lets the watcher go, and with it whatever the child left in its group
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
    });
  });
}

async function stopGroup(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.stdin?.destroy(), TERM_PATIENCE_MILLIS);
  await ended;
  clearTimeout(impatience);
}
