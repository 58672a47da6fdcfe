/** The command line as an operator types it, on the emulators of a deployment. */
import { Readable } from 'node:stream';
import type { z } from 'zod';
import { main } from '../../functions/cli/main.ts';
import type { LocalCloud } from '../../emulators/dev/local-cloud.ts';

export interface Called {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly millis: number;
}

export type Addresses = Readonly<Partial<Record<'FIRESTORE_EMULATOR_HOST' | 'PUBSUB_EMULATOR_HOST', string>>>;

export class CommandLine {
  readonly #module: string;
  readonly #project: string;
  /** The addresses that the commands read. */
  readonly environment: Readonly<Record<string, string>>;

  /** @param bigQueryUrl where the tables are */
  constructor({ emulators, projectId }: LocalCloud, module: string, bigQueryUrl: string) {
    this.#module = module;
    this.#project = projectId;
    this.environment = {
      FIRESTORE_EMULATOR_HOST: emulators.firestoreHost,
      PUBSUB_EMULATOR_HOST: emulators.pubsubHost,
      BIGQUERY_EMULATOR_HOST: bigQueryUrl,
    };
  }

  /** @param addresses in place of the deployment's own */
  async run(args: readonly string[], addresses: Addresses = {}, pipeline = this.#module): Promise<Called> {
    const out: string[] = [];
    const err: string[] = [];
    const io = {
      out: (line: string) => out.push(line),
      err: (line: string) => err.push(line),
      stdin: Readable.from(['']),
      isTerminal: false,
    };
    const before = { ...process.env };
    Object.assign(process.env, this.environment, addresses);
    const begun = performance.now();
    try {
      const code = await main([...args, '--emulators', '--project', this.#project, '--pipeline', pipeline], io);
      return { code, out: out.join('\n'), err: err.join('\n'), millis: performance.now() - begun };
    } finally {
      process.env = before;
    }
  }

  /** What a command prints with `--json`, through its schema. */
  async json<S extends z.ZodType>(schema: S, ...args: string[]): Promise<z.infer<S>> {
    const { out, err } = await this.run([...args, '--json']);
    const [line = ''] = out.split('\n');
    if (!line.startsWith('{')) throw new Error(`${args.join(' ')} gave no JSON: ${out} ${err}`);
    return schema.parse(JSON.parse(line));
  }
}
