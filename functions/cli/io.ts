/** Where a command writes, so that tests can read it. */
export interface Io {
  /** A line on standard output. */
  out(line: string): void;
  /** A line on standard error. */
  err(line: string): void;
  readonly stdin: NodeJS.ReadableStream;
  /** Whether somebody watches: only then is there a progress bar. */
  readonly isTerminal: boolean;
}

export const PROCESS_IO: Io = {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  stdin: process.stdin,
  isTerminal: process.stderr.isTTY === true,
};
