/** The command line of the model server: what each flag means, and the options that they make. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ConfigurationError, ConfigurationErrors, messageOf } from '../../functions/model/errors.ts';
import { type FaultRule, problemOfRules } from './faults.ts';
import type { Models } from './models.ts';
import type { VertexOptions } from './settings.ts';

export const HELP = `A model server with the REST shapes of Vertex AI that misbehaves as it is told.

  node emulators/vertex/main.ts [flags]

  --port N             port to listen on; 0 takes a free one (default 8090)
  --host NAME          address to listen on (default 127.0.0.1)
  --rpm N              quota in requests a minute; above it 429 with Retry-After (default: none)
  --burst N            requests that may come at once after a rest (default: a sixth of --rpm)
  --no-retry-after     429 without Retry-After, as Vertex AI documents it
  --work MS            time that each request takes (default 0)
  --unavailable SHARE  share of the calls answered 503, 0 to 1
  --internal SHARE     share answered 500
  --lost SHARE         share whose work is done and whose connection is cut
  --partial SHARE      share answered with half of the predictions, rounded down
  --slow SHARE:MS      share that takes so much longer, e.g. 0.1:5000
  --bad TEXT           instances whose JSON contains this text make their request a 400
  --faults FILE        a JSON list of fault rules, before those above
  --models FILE        a module whose default export gives the models (see README.md)
  --seed N             for all shares (default 1)
  --help               this text
`;

export type CommandLine =
  | { readonly help: true }
  | { readonly help: false; readonly port: number; readonly host: string; readonly options: VertexOptions };

const FLAGS = {
  port: { type: 'string' },
  host: { type: 'string' },
  rpm: { type: 'string' },
  burst: { type: 'string' },
  'no-retry-after': { type: 'boolean' },
  work: { type: 'string' },
  unavailable: { type: 'string' },
  internal: { type: 'string' },
  lost: { type: 'string' },
  partial: { type: 'string' },
  slow: { type: 'string' },
  bad: { type: 'string' },
  faults: { type: 'string' },
  models: { type: 'string' },
  seed: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** @throws {ConfigurationError} with every flag that is wrong */
export async function readCommandLine(args: readonly string[]): Promise<CommandLine> {
  const values = parsed(args);
  if (values.help) return { help: true };
  const problems: string[] = [];
  const number = (flag: keyof typeof values, text: string | undefined, most = Number.POSITIVE_INFINITY) => {
    if (text === undefined) return undefined;
    const value = Number(text);
    if (text.trim() === '' || !(value >= 0 && value <= most)) {
      const range = most === Number.POSITIVE_INFINITY ? '0 or more' : `a number from 0 to ${most}`;
      problems.push(`--${flag}: expected ${range}, got '${text}'`);
    }
    return value;
  };
  const shared = (flag: 'unavailable' | 'internal' | 'lost' | 'partial', fault: FaultRule['fault']): FaultRule[] => {
    const share = number(flag, values[flag], 1);
    return share === undefined ? [] : [{ fault, share }];
  };
  const rpm = number('rpm', values.rpm);
  const burst = number('burst', values.burst);
  if (burst !== undefined && rpm === undefined) problems.push('--burst: needs --rpm');
  const [slowShare, slowMillis] = values.slow?.split(':') ?? [];
  const share = number('slow', slowShare, 1);
  const millis = number('slow', values.slow === undefined ? undefined : (slowMillis ?? ''));
  const faults: FaultRule[] = [
    ...rulesOf(values.faults, problems),
    ...shared('unavailable', { kind: 'status', status: 503 }),
    ...shared('internal', { kind: 'status', status: 500 }),
    ...shared('lost', { kind: 'lost' }),
    ...shared('partial', { kind: 'partial', keep: 0.5 }),
    ...(share === undefined || millis === undefined ? [] : [{ fault: { kind: 'slow', millis } as const, share }]),
  ];
  const workMillis = number('work', values.work);
  const seed = number('seed', values.seed);
  const port = number('port', values.port, 65_535) ?? 8_090;
  const models = await modelsOf(values.models, problems);
  if (problems.length > 0) throw new ConfigurationErrors(problems);
  const bad = values.bad;
  return {
    help: false,
    port,
    host: values.host ?? '127.0.0.1',
    options: {
      faults,
      ...(rpm === undefined
        ? {}
        : {
            quota: {
              requestsPerMinute: rpm,
              ...(burst === undefined ? {} : { burst }),
              retryAfter: values['no-retry-after'] !== true,
            },
          }),
      ...(bad === undefined ? {} : { isBad: (instance) => JSON.stringify(instance).includes(bad) }),
      ...(workMillis === undefined ? {} : { workMillis }),
      ...(seed === undefined ? {} : { seed }),
      ...(models === undefined ? {} : { models }),
    },
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, allowPositionals: false }).values;
  } catch (error) {
    throw new ConfigurationError(`${messageOf(error)}. Try --help`, { cause: error });
  }
}

function rulesOf(file: string | undefined, problems: string[]): readonly FaultRule[] {
  if (file === undefined) return [];
  try {
    const rules: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const problem = problemOfRules(rules);
    if (problem === undefined) return rules as readonly FaultRule[];
    problems.push(`--faults ${file}: ${problem}`);
  } catch (error) {
    problems.push(`--faults ${file}: ${messageOf(error)}`);
  }
  return [];
}

async function modelsOf(file: string | undefined, problems: string[]): Promise<Models | undefined> {
  if (file === undefined) return undefined;
  try {
    const loaded = (await import(pathToFileURL(resolve(file)).href)) as { readonly default?: Models };
    if (loaded.default === undefined) problems.push(`--models ${file}: has no default export`);
    return loaded.default;
  } catch (error) {
    problems.push(`--models ${file}: ${messageOf(error)}`);
    return undefined;
  }
}
