/**
 * The manifest: everything of a pipeline that must exist in the cloud, as plain JSON. Code is its only source, and all
 * that deploys (terraform, the gcloud script, the emulators) reads it, so that code and infrastructure cannot disagree.
 * Invariant: it is a function of plan and options, in a stable order, without a project, a region or a secret in it.
 */
import { createHash } from 'node:crypto';
import { ConfigurationError } from '../model/errors.ts';
import { type Alert, manifestAlerts } from './alerts.ts';
import { dashboard } from './dashboard.ts';
import { outputsOf, type Plan } from './plan.ts';
import {
  callsModel,
  type DeployedFunction,
  deployedFunctions,
  ENTRY_POINT,
  RUNTIME,
  SHAPES,
  type Shape,
  SWEEP,
} from './deployed-functions.ts';
import { type ManifestSubscription, type ManifestTopic, manifestSubscriptions, manifestTopics } from './delivery.ts';
import { PROJECT_VARIABLES } from './environment.ts';
import {
  type CompositeIndex,
  compositeIndexes,
  type IndexedQuery,
  type IndexExemption,
  indexExemptions,
} from './firestore-indexes.ts';
import { type Grant, manifestGrants } from './grants.ts';
import { type ManifestTable, manifestTables } from './manifest-tables.ts';
import { databaseName, datasetName, imageRepository } from './resource-names.ts';

export interface ManifestSource {
  readonly id: string;
  readonly topic: string;
  readonly steps: readonly string[];
  /** The stages to which it sends. */
  readonly sendsTo: readonly string[];
}

export interface ManifestStage {
  readonly id: string;
  /** What its head does. */
  readonly kind: string;
  readonly steps: readonly string[];
  readonly shards: number;
  readonly slots: number;
  /** The stages and sources that send to it. */
  readonly inputs: readonly string[];
}

export interface Manifest {
  /** The form of this document; rises when a reader of the old form would go wrong. */
  readonly form: 1;
  readonly pipeline: string;
  readonly shape: Shape;
  readonly topology: {
    readonly version: number;
    /** Equal for plans whose stages, shards, slots and sources are equal. */
    readonly fingerprint: string;
  };
  /** The services of Google Cloud that it uses. */
  readonly services: readonly string[];
  readonly runtime: string;
  readonly entryPoint: string;
  readonly sources: readonly ManifestSource[];
  readonly stages: readonly ManifestStage[];
  readonly functions: readonly DeployedFunction[];
  readonly topics: readonly ManifestTopic[];
  readonly subscriptions: readonly ManifestSubscription[];
  readonly sweep: {
    readonly function: string;
    readonly path: string;
    /** Cron, in UTC; a minute is the finest there is. */
    readonly schedule: string;
    readonly attemptDeadlineSeconds: number;
  };
  readonly tables: readonly ManifestTable[];
  readonly dataset: string;
  readonly firestore: {
    readonly database: string;
    readonly indexes: readonly CompositeIndex[];
    readonly exemptions: readonly IndexExemption[];
  };
  readonly imageRepository: string;
  /** Variables of every function whose values the project gives. */
  readonly projectVariables: readonly string[];
  readonly grants: readonly Grant[];
  readonly alerts: readonly Alert[];
  /** In the form of Cloud Monitoring's API. */
  readonly dashboard: ReturnType<typeof dashboard>;
}

export interface ManifestOptions {
  /** The queries that are made of the store, and its collections: `QUERIES` and `COLLECTIONS` of the ports. */
  readonly queries: readonly IndexedQuery[];
  readonly collections: readonly string[];
  /** Default `functions`. */
  readonly shape?: Shape;
  /** Default 1; must rise when the topology changes. */
  readonly topology?: number;
  /** Default 1; rises with each fresh start after a drain. */
  readonly epoch?: number;
  /** Most instances of an ingest function. Default 20. */
  readonly ingestInstances?: number;
}

const SERVICES = [
  'artifactregistry',
  'bigquery',
  'cloudbuild',
  'cloudfunctions',
  'cloudquotas',
  'cloudresourcemanager',
  'cloudscheduler',
  'firestore',
  'iam',
  'logging',
  'monitoring',
  'pubsub',
  'run',
  'storage',
];
const INGEST_INSTANCES = 20;
const SWEEP_DEADLINE_SECONDS = 180;

/** @throws {ConfigurationError} when the pipeline cannot be deployed, or an option is out of range */
export function manifestOf(plan: Plan, options: ManifestOptions): Manifest {
  const { shape = 'functions', topology = 1, epoch = 1, ingestInstances = INGEST_INSTANCES } = options;
  if (!SHAPES.includes(shape))
    throw new ConfigurationError(`shape: expected ${SHAPES.join(' or ')}, got ${JSON.stringify(shape)}`);
  atLeastOne('topology', topology);
  atLeastOne('epoch', epoch);
  atLeastOne('ingestInstances', ingestInstances);
  const functions = deployedFunctions(plan, { shape, topology, epoch, ingestInstances });
  const topics = manifestTopics(plan);
  const subscriptions = manifestSubscriptions(plan, functions);
  const tables = manifestTables(plan);
  const modelStages = plan.stages.filter(callsModel).map(({ id }) => id);
  const database = databaseName(plan.pipeline);
  const sweepFunction = functions.find(({ serves }) => serves.includes(SWEEP))!.id;
  return {
    form: 1,
    pipeline: plan.pipeline,
    shape,
    topology: { version: topology, fingerprint: fingerprint(plan) },
    services: [...SERVICES, ...(modelStages.length > 0 ? ['aiplatform'] : [])].map(
      (service) => `${service}.googleapis.com`,
    ),
    runtime: RUNTIME,
    entryPoint: ENTRY_POINT,
    sources: plan.sources.map(({ id, node, steps }) => ({
      id,
      topic: node.source.topic,
      steps,
      sendsTo: plan.stages.filter(({ inputs }) => inputs.includes(id)).map((stage) => stage.id),
    })),
    stages: plan.stages.map(({ id, head, steps, shards, slots, inputs }) => ({
      id,
      kind: head.kind,
      steps,
      shards,
      slots,
      inputs,
    })),
    functions,
    topics,
    subscriptions,
    sweep: {
      function: sweepFunction,
      path: SWEEP.path,
      schedule: '* * * * *',
      attemptDeadlineSeconds: SWEEP_DEADLINE_SECONDS,
    },
    tables,
    dataset: datasetName(plan.pipeline),
    firestore: {
      database,
      indexes: compositeIndexes(options.queries),
      exemptions: indexExemptions(options.collections),
    },
    imageRepository: imageRepository(plan.pipeline),
    projectVariables: Object.values(PROJECT_VARIABLES),
    grants: manifestGrants({ functions, topics, subscriptions, tables, modelStages, sweepFunction }),
    alerts: manifestAlerts(plan, subscriptions),
    dashboard: dashboard({ pipeline: plan.pipeline, functions, subscriptions, database }),
  };
}

/** What must not change under running instances without a new topology version. */
function fingerprint(plan: Plan): string {
  const shape = {
    sources: plan.sources.map(({ id, steps }) => ({ id, steps })),
    stages: plan.stages.map(({ id, head, steps, shards, slots, inputs }) => ({
      id,
      kind: head.kind,
      outputs: outputsOf(head),
      steps,
      shards,
      slots,
      inputs,
    })),
  };
  return createHash('sha256').update(JSON.stringify(shape)).digest('hex').slice(0, 16);
}

function atLeastOne(field: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1)
    throw new ConfigurationError(`${field}: expected a whole number of 1 or more, got ${value}`);
}
