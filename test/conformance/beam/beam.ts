/** Apache Beam in a process of its own, which answers cases. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export class Beam<Case, Result> {
  readonly #process;
  readonly #waiting: { resolve: (result: Result) => void; reject: (error: Error) => void }[] = [];

  /** Starts it; it must have been built before, see README.md. */
  constructor(main: 'BeamConform' | 'TimersConform') {
    const target = fileURLToPath(new URL('target/', import.meta.url));
    const classpath = `${target}classes:${readFileSync(`${target}classpath`, 'utf8').trim()}`;
    const options = ['-XX:+UseSerialGC', '-cp', classpath, `millrace.beam.${main}`];
    this.#process = spawn('java', options, { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      this.#waiting.shift()?.resolve(JSON.parse(line));
    });
    this.#process.on('exit', (code) => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(`Beam has ended with ${code}`));
    });
  }

  run(one: Case): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#process.stdin.write(`${JSON.stringify(one)}\n`);
    });
  }

  close(): void {
    this.#process.stdin.end();
  }
}
