/** The options by which every operator's command says which pipeline it means, and where that is. */
import type { Command } from 'commander';
import { DEFAULT_REGION, LOCAL_VARIABLES } from '../cloud/configuration.ts';
import { VertexPredictor } from '../cloud/predictor/vertex-predictor.ts';
import { MemoryPredictor } from '../local/memory-predictor.ts';
import { SYSTEM_CLOCK } from '../local/system.ts';
import { ConfigurationError } from '../model/errors.ts';
import type { Graph } from '../model/graph.ts';
import { openCloud } from '../operate/target/cloud-target.ts';
import { openState } from '../operate/target/state-target.ts';
import type { Target } from '../operate/target/target.ts';
import { PROJECT_VARIABLES } from '../plan/environment.ts';
import { databaseName } from '../plan/resource-names.ts';
import type { Predictor } from '../ports/predictor.ts';
import { knownPipelines, loadLocalModel, loadPipeline } from './load-pipeline.ts';

export interface TargetOptions {
  readonly pipeline?: string;
  readonly state?: string;
  readonly project?: string;
  readonly database?: string;
  readonly emulators?: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const FIRESTORE_HOST = 'FIRESTORE_EMULATOR_HOST';
const PUBSUB_HOST = 'PUBSUB_EMULATOR_HOST';
const BIGQUERY_HOST = 'BIGQUERY_EMULATOR_HOST';
/** As `npm run dev` and the emulators' launcher have it. */
const EMULATORS_PROJECT = 'demo-millrace';

export function addTargetOptions(command: Command): Command {
  return command
    .option('--pipeline <name>', 'the pipeline: a name in functions/pipelines, or a path (default: $MILLRACE_PIPELINE)')
    .option('--state <dir>', 'the state that `millrace run --state` has kept')
    .option('--project <id>', 'the Google Cloud project where it is deployed (default: $GOOGLE_CLOUD_PROJECT)')
    .option('--database <id>', 'the Firestore database (default: $MILLRACE_DATABASE, or the one of the pipeline)')
    .option('--emulators', `work on the emulators at $${FIRESTORE_HOST} and $${PUBSUB_HOST}`);
}

/** Opens the target, works on it, and closes it whatever happens. */
export async function onTarget<T>(
  options: TargetOptions,
  work: (target: Target) => Promise<T>,
  env: Environment = process.env,
): Promise<T> {
  const target = await openTarget(options, env);
  try {
    return await work(target);
  } finally {
    await target.close();
  }
}

async function openTarget(options: TargetOptions, env: Environment): Promise<Target> {
  const named = options.pipeline ?? env['MILLRACE_PIPELINE'];
  if (options.state !== undefined)
    return named === undefined
      ? openState(options.state, undefined)
      : openState(options.state, await loadPipeline(named), await predictorFor(named, options, env));
  if (named === undefined)
    throw new ConfigurationError(
      'which pipeline? Name it with --pipeline, or with $MILLRACE_PIPELINE; or name the state of a local run with --state',
    );
  const graph = await codeOf(named);
  const pipeline = graph?.name ?? named;
  return openCloud(addressOf(options, pipeline, env), pipeline, graph);
}

/** Who answers for models: what the pipeline's module exports as `localModel`, else Vertex AI of the project, or what stands in its place. */
async function predictorFor(
  named: string,
  { project }: TargetOptions,
  env: Environment,
): Promise<Predictor | undefined> {
  const localModel = await loadLocalModel(named);
  if (localModel !== undefined) return new MemoryPredictor(localModel);
  const baseUrl = env[LOCAL_VARIABLES.vertex];
  const asked = project ?? env[PROJECT_VARIABLES.project];
  if (asked === undefined && baseUrl === undefined) return undefined;
  const location = env[PROJECT_VARIABLES.region] ?? DEFAULT_REGION;
  const vertex = { project: asked ?? EMULATORS_PROJECT, location, clock: SYSTEM_CLOCK };
  return new VertexPredictor(baseUrl === undefined ? vertex : { ...vertex, baseUrl });
}

/** The code, where a name stands for some here; else the name alone must do. */
async function codeOf(named: string): Promise<Graph | undefined> {
  const isName = /^[a-z0-9-]+$/.test(named);
  return isName && !(await knownPipelines()).includes(named) ? undefined : loadPipeline(named);
}

function addressOf(options: TargetOptions, pipeline: string, env: Environment): Parameters<typeof openCloud>[0] {
  const database = options.database ?? env['MILLRACE_DATABASE'];
  const named = options.project ?? env['GOOGLE_CLOUD_PROJECT'];
  if (options.emulators) {
    const [firestoreHost, pubsubHost] = [env[FIRESTORE_HOST], env[PUBSUB_HOST]];
    if (firestoreHost === undefined || pubsubHost === undefined)
      throw new ConfigurationError(
        `--emulators: $${firestoreHost === undefined ? FIRESTORE_HOST : PUBSUB_HOST} is not set; start the emulators, and set $${FIRESTORE_HOST} and $${PUBSUB_HOST} as they say`,
      );
    const databaseId = database ?? '(default)';
    return {
      projectId: named ?? EMULATORS_PROJECT,
      databaseId,
      firestoreHost,
      pubsubHost,
      bigQueryUrl: env[BIGQUERY_HOST],
    };
  }
  if (named === undefined)
    throw new ConfigurationError(
      'where is it? Name a project with --project (or $GOOGLE_CLOUD_PROJECT), --emulators, or the state of a local run with --state',
    );
  const databaseId = database ?? databaseName(pipeline);
  return { projectId: named, databaseId, firestoreHost: undefined, pubsubHost: undefined };
}

/** The options that name the same target again. */
export function sameTarget({ pipeline, state, project, database, emulators }: TargetOptions, name: string): string {
  const given = Object.entries({ state, project, database }).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option} ${value}`],
  );
  return [`--pipeline ${pipeline ?? name}`, ...given, ...(emulators ? ['--emulators'] : [])].join(' ');
}
