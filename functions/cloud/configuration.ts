/**
 * What a function is told by its environment, read once at the edge into a value that does not change. All problems are
 * reported together. Which variables there are: `plan/environment.ts`.
 */
import { ConfigurationErrors } from '../model/errors.ts';
import type { Millis } from '../model/time.ts';
import { MANIFEST_VARIABLES, PROJECT_VARIABLES } from '../plan/environment.ts';
import { CLOUD_BUNDLE } from './bundle/flavour.ts';
import type { PushIdentity } from './push/index.ts';

/** Variables that nobody sets in a cloud: emulators, tests and tuning. */
export const LOCAL_VARIABLES = {
  /** `none` lets anybody call; refused in a cloud. `oidc` and `iam`: see `PushIdentity`. Default: `iam` on Cloud Run, else `oidc`. */
  identity: 'MILLRACE_IDENTITY',
  /** The file of the pipeline, when run from sources. Default: the pipeline's name in `functions/pipelines`. */
  module: 'MILLRACE_MODULE',
  firestoreHost: 'FIRESTORE_EMULATOR_HOST',
  pubsubHost: 'PUBSUB_EMULATOR_HOST',
  /** The address of what stands in Cloud Monitoring's place. */
  monitoring: 'MILLRACE_MONITORING',
  /** A server with Vertex AI's shapes in its place; see `emulators/vertex`. */
  vertex: 'MILLRACE_VERTEX',
  /** Where the tables are, in local runs without BigQuery: the address of a table server. */
  tables: 'MILLRACE_TABLES',
  /** Set by the platform: after so many seconds it cuts a request off. */
  timeout: 'CLOUD_RUN_TIMEOUT_SECONDS',
  /** A JSON object of `Tuning`, in milliseconds, for tests and for runs that somebody watches. */
  tuning: 'MILLRACE_TUNING',
} as const;

/** How often things happen; all in milliseconds. */
export interface Tuning {
  /** Between two commits of a root under load. Default 700: longer would make Pub/Sub push less at a time. */
  readonly commitEvery: Millis;
  /** Between two sweeps of busy instances; 0 = only the scheduler sweeps. Default 5,000. */
  readonly sweepEvery: Millis;
  /** What was not taken is sent again when it is so old, and again at twice the age. Default 60,000. */
  readonly republishAfter: Millis;
  /** The root of an ingest instance that was not written for so long is retired. Default 600,000. */
  readonly retireAfter: Millis;
  /** How long a slice of publish time is, and how far clocks may differ. Default 10,000. */
  readonly slice: Millis;
  /** So long after its last message a source counts as idle. Default 60,000. */
  readonly idleAfter: Millis;
  /** Tables are flushed at least so often, whatever their authors say. Default 0 = as they say. */
  readonly flushEvery: Millis;
}

export const DEFAULT_TUNING: Tuning = {
  commitEvery: 700 as Millis,
  sweepEvery: 5_000 as Millis,
  republishAfter: 60_000 as Millis,
  retireAfter: 600_000 as Millis,
  slice: 10_000 as Millis,
  idleAfter: 60_000 as Millis,
  flushEvery: 0 as Millis,
};

/** Something that a function serves: `source:flights`, `stage:delays`, `sweep`, `undelivered`. */
export interface Serves {
  readonly kind: 'source' | 'stage' | 'sweep' | 'undelivered';
  /** The source or stage; of the others the kind again. */
  readonly id: string;
}

export interface FunctionConfiguration {
  readonly pipeline: string;
  readonly serves: readonly Serves[];
  /** Which slot of its stages it runs. */
  readonly slot: number;
  readonly shards: number;
  readonly slots: number;
  readonly topology: number;
  readonly epoch: number;
  readonly projectId: string;
  readonly databaseId: string;
  /** The BigQuery dataset of tables that name none. */
  readonly dataset: string | undefined;
  readonly identity: PushIdentity;
  readonly firestoreHost: string | undefined;
  readonly pubsubHost: string | undefined;
  readonly monitoringUrl: string | undefined;
  readonly vertexUrl: string | undefined;
  /** Where models are that name no place of their own. */
  readonly region: string;
  readonly tables: string | undefined;
  /** A request is answered before this many milliseconds have passed, whatever becomes of its work. */
  readonly answerWithin: number;
  readonly tuning: Tuning;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_TIMEOUT_SECONDS = 120;
export const DEFAULT_REGION = 'us-central1';
/** What is left of the platform's timeout for the answer to get out, in seconds; at most a tenth of it. */
const MARGIN_SECONDS = 10;
const KINDS: ReadonlySet<string> = new Set(['source', 'stage', 'sweep', 'undelivered'] satisfies Serves['kind'][]);

/** @throws {ConfigurationErrors} naming every variable that is missing or wrong */
export function readConfiguration(env: Environment): FunctionConfiguration {
  const reader = new VariableReader(env);
  const configuration: FunctionConfiguration = {
    pipeline: reader.text(MANIFEST_VARIABLES.pipeline),
    serves: serves(reader),
    slot: reader.wholeNumber(MANIFEST_VARIABLES.slot, 0, 0),
    shards: reader.wholeNumber(MANIFEST_VARIABLES.shards, 1),
    slots: reader.wholeNumber(MANIFEST_VARIABLES.slots, 1),
    topology: reader.wholeNumber(MANIFEST_VARIABLES.topology, 1),
    epoch: reader.wholeNumber(MANIFEST_VARIABLES.epoch, 1, 1),
    projectId: reader.text(PROJECT_VARIABLES.project),
    databaseId: reader.optional(PROJECT_VARIABLES.database) ?? '(default)',
    dataset: reader.optional(PROJECT_VARIABLES.dataset),
    identity: identity(reader),
    firestoreHost: reader.optional(LOCAL_VARIABLES.firestoreHost),
    pubsubHost: reader.optional(LOCAL_VARIABLES.pubsubHost),
    monitoringUrl: reader.optional(LOCAL_VARIABLES.monitoring),
    vertexUrl: reader.optional(LOCAL_VARIABLES.vertex),
    region: reader.optional(PROJECT_VARIABLES.region) ?? DEFAULT_REGION,
    tables: reader.optional(LOCAL_VARIABLES.tables),
    answerWithin: answerWithin(reader.wholeNumber(LOCAL_VARIABLES.timeout, 0, DEFAULT_TIMEOUT_SECONDS)),
    tuning: tuning(reader),
  };
  if (reader.problems.length > 0) throw new ConfigurationErrors(reader.problems);
  return configuration;
}

function serves(reader: VariableReader): Serves[] {
  const parts = reader.list(MANIFEST_VARIABLES.serves);
  if (parts.length === 0)
    reader.problems.push(`${MANIFEST_VARIABLES.serves} is not set; expected such as 'stage:delays,sweep'`);
  return parts.flatMap((part) => {
    const [kind = '', id = kind] = part.split(':');
    const named = kind === 'source' || kind === 'stage';
    if (KINDS.has(kind) && named === part.includes(':')) return [{ kind: kind as Serves['kind'], id }];
    reader.problems.push(
      `${MANIFEST_VARIABLES.serves}: expected 'source:{name}', 'stage:{name}', 'sweep' or 'undelivered', got '${part}'`,
    );
    return [];
  });
}

function identity(reader: VariableReader): PushIdentity {
  const mode =
    reader.optional(LOCAL_VARIABLES.identity) ?? (reader.optional('K_SERVICE') === undefined ? 'oidc' : 'iam');
  if (mode === 'none' && !CLOUD_BUNDLE) return { mode };
  const allowed = {
    audiences: reader.list(PROJECT_VARIABLES.pushAudience),
    accounts: reader.list(PROJECT_VARIABLES.pushAccounts),
  };
  if (mode === 'oidc' || mode === 'iam') return { mode, ...allowed };
  const modes = CLOUD_BUNDLE ? "'oidc' or 'iam' in a bundle for a cloud" : "'oidc', 'iam' or 'none'";
  reader.problems.push(`${LOCAL_VARIABLES.identity}: expected ${modes}, got '${mode}'`);
  return { mode: 'oidc', ...allowed };
}

function answerWithin(timeoutSeconds: number): number {
  const seconds = timeoutSeconds === 0 ? DEFAULT_TIMEOUT_SECONDS : timeoutSeconds;
  return 1_000 * Math.max(seconds - MARGIN_SECONDS, seconds * 0.9);
}

function tuning(reader: VariableReader): Tuning {
  const text = reader.optional(LOCAL_VARIABLES.tuning);
  if (text === undefined) return DEFAULT_TUNING;
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    // Told below, as what is no object.
  }
  const entries = typeof given === 'object' && given !== null ? Object.entries(given) : undefined;
  if (!entries?.every(([name, value]) => name in DEFAULT_TUNING && Number.isSafeInteger(value) && value >= 0))
    reader.problems.push(
      `${LOCAL_VARIABLES.tuning}: expected a JSON object of whole milliseconds (${Object.keys(DEFAULT_TUNING).join(', ')}), got '${text}'`,
    );
  return { ...DEFAULT_TUNING, ...(given as Partial<Tuning>) };
}

/** Reads variables and gathers what is wrong with them. */
class VariableReader {
  readonly problems: string[] = [];
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Empty counts as not set. */
  optional(name: string): string | undefined {
    return this.#env[name] || undefined;
  }

  text(name: string): string {
    const value = this.optional(name);
    if (value === undefined) this.problems.push(`${name} is not set`);
    return value ?? '';
  }

  list(name: string): string[] {
    return (this.optional(name) ?? '').split(',').filter((part) => part !== '');
  }

  wholeNumber(name: string, least: number, otherwise?: number): number {
    const text = this.optional(name);
    if (text === undefined && otherwise !== undefined) return otherwise;
    const value = Number(text);
    if (text === undefined) this.problems.push(`${name} is not set`);
    else if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least)
      this.problems.push(`${name}: expected a whole number from ${least} up, got '${text}'`);
    return value;
  }
}
