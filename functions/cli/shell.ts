import { spawn } from 'node:child_process';
import { ConfigurationError } from '../model/errors.ts';

export interface ShellOptions {
  readonly cwd?: string;
  /** Keeps what the command prints from the terminal and answers with it. */
  readonly capture?: boolean;
}

/**
 * Runs other programs, so that tests can stand in for them. An interruption (^C) is theirs to obey, as terraform does; whoever
 * runs them learns how they ended, and cleans up.
 */
export interface Shell {
  /**
   * @returns what it printed, when captured
   * @throws {ConfigurationError} when the program is not there, or ends with an error
   */
  run(command: string, args: readonly string[], options?: ShellOptions): Promise<string>;
}

export const PROCESS_SHELL: Shell = {
  run: (command, args, { cwd, capture = false } = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(command, [...args], {
        ...(cwd === undefined ? {} : { cwd }),
        stdio: ['inherit', capture ? 'pipe' : 'inherit', 'inherit'],
      });
      const leaveToChild = (): void => {};
      process.on('SIGINT', leaveToChild);
      child.on('close', () => process.off('SIGINT', leaveToChild));
      let printed = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
      });
      child.on('error', (cause: NodeJS.ErrnoException) =>
        reject(
          cause.code === 'ENOENT'
            ? new ConfigurationError(`${command} is not installed, or not on the PATH`, { cause })
            : cause,
        ),
      );
      child.on('close', (code, signal) => {
        if (code === 0) resolve(printed);
        else reject(new ConfigurationError(`${command} ${args[0] ?? ''} ended with ${code ?? signal}; see above`));
      });
    }),
};
