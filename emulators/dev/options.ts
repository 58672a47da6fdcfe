/** What `npm run dev` is told on its command line. */
import { parseArgs } from 'node:util';
import { ConfigurationError, ConfigurationErrors } from '../../functions/model/errors.ts';
import { SHAPES, type Shape } from '../../functions/plan/deployed-functions.ts';

export interface DevOptions {
  /** The name of a file in `functions/pipelines`, or a path. */
  readonly pipeline: string;
  readonly shape: Shape;
  readonly shards: number | undefined;
  readonly slots: number | undefined;
  readonly instances: number;
  /** Files to publish, by source. */
  readonly send: ReadonlyMap<string, string>;
  /** Records a second of each file; 0 = as fast as it goes. */
  readonly rate: number;
  /** Whether sweeps and samples are as slow as in the cloud. */
  readonly slow: boolean;
}

export const USAGE = `Usage: npm run dev -- <pipeline> [options]

Runs a pipeline as it is deployed, on this machine: the Pub/Sub and Firestore emulators, local BigQuery and model servers,
the functions of its manifest, and what pushes to them. Ctrl-C ends it all.

  --send SOURCE=FILE  publish a file's records to a source (JSON Lines, JSON, CSV, Parquet); may be repeated
  --rate N            records a second of each file (default 100; 0 = as fast as it goes)
  --shape SHAPE       functions (default) or services, as for deployment
  --shards N          shards of a stage (default 4)
  --slots N           slots of a stage (default 1)
  --instances N       instances of each function, without affinity (default 1)
  --slow              sweep once a minute and sample backlogs as late as Cloud Monitoring does
  --help              this text`;

/** @throws {ConfigurationErrors} with everything that is wrong; undefined when only help is wanted */
export function devOptions(args: readonly string[]): DevOptions | undefined {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  const problems: string[] = [];
  const number = (name: 'rate' | 'shards' | 'slots' | 'instances', least: number): number | undefined => {
    const text = values[name];
    if (text === undefined) return undefined;
    if (!/^\d+$/.test(text) || Number(text) < least)
      problems.push(`--${name}: expected a whole number from ${least} up, got '${text}'`);
    return Number(text);
  };
  const [pipeline] = positionals;
  if (pipeline === undefined || positionals.length > 1)
    problems.push(
      `expected the name of one pipeline, got ${positionals.length === 0 ? 'none' : positionals.join(' ')}`,
    );
  const shape = values.shape ?? 'functions';
  if (!SHAPES.includes(shape as Shape)) problems.push(`--shape: expected ${SHAPES.join(' or ')}, got '${shape}'`);
  const send = new Map<string, string>();
  for (const text of values.send ?? []) {
    const [source, file] = split(text);
    if (file === '') problems.push(`--send: expected SOURCE=FILE, got '${text}'`);
    else send.set(source, file);
  }
  const options: DevOptions = {
    pipeline: pipeline ?? '',
    shape: shape as Shape,
    shards: number('shards', 1),
    slots: number('slots', 1),
    instances: number('instances', 1) ?? 1,
    send,
    rate: number('rate', 0) ?? 100,
    slow: values.slow ?? false,
  };
  if (problems.length > 0) throw new ConfigurationErrors(problems);
  return options;
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        send: { ...text, multiple: true },
        rate: text,
        shape: text,
        shards: text,
        slots: text,
        instances: text,
        slow: flag,
        help: flag,
      },
    });
  } catch (error) {
    throw new ConfigurationError((error as Error).message, { cause: error });
  }
}

function split(text: string): [source: string, file: string] {
  const at = text.indexOf('=');
  return at <= 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
