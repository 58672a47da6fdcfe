/**
 * Who may do what in a deployed pipeline, and why. Invariant: an account a function; a role is given on the smallest
 * thing that has a policy; no wildcard role and nobody from outside. `infra/` gives exactly these, and a test holds
 * terraform, the gcloud script and the table in `infra/README.md` against this list.
 */
import type { DeployedFunction } from './deployed-functions.ts';
import type { ManifestSubscription, ManifestTopic } from './delivery.ts';
import type { ManifestTable } from './manifest-tables.ts';

/** Who: a function's account, or one that stands for a caller. */
export type Member =
  | { readonly kind: 'function'; readonly id: string }
  /** The account whose token Pub/Sub puts into its pushes. */
  | { readonly kind: 'push' }
  /** The account whose token Cloud Scheduler puts into its calls. */
  | { readonly kind: 'scheduler' }
  /** The account that builds the functions' images. */
  | { readonly kind: 'build' }
  /** Pub/Sub itself: Google's own account of the project. */
  | { readonly kind: 'pubSubAgent' };

export interface GrantTarget {
  readonly kind:
    | 'topic'
    | 'subscription'
    | 'function'
    | 'table'
    | 'account'
    | 'repository'
    /** The project, limited to the pipeline's Firestore database by a condition. */
    | 'database'
    /** The project, limited by a condition to the bucket into which Cloud Functions copies sources. */
    | 'sourceBucket'
    /** The project, for what has no smaller policy. */
    | 'project';
  /** The resource's name, a function's id, or the kind again. */
  readonly name: string;
}

export interface Grant {
  readonly member: Member;
  readonly role: string;
  readonly on: GrantTarget;
  /** A clause that ends "may … because". */
  readonly why: string;
}

interface Parts {
  readonly functions: readonly DeployedFunction[];
  readonly topics: readonly ManifestTopic[];
  readonly subscriptions: readonly ManifestSubscription[];
  readonly tables: readonly ManifestTable[];
  /** The stages that call a model. */
  readonly modelStages: readonly string[];
  readonly sweepFunction: string;
}

export function manifestGrants(parts: Parts): readonly Grant[] {
  return [
    ...parts.functions.flatMap((each) => functionGrants(each, parts)),
    ...callerGrants(parts),
    ...agentGrants(parts),
    ...buildGrants(),
  ];
}

function functionGrants({ id, serves }: DeployedFunction, { topics, tables, modelStages }: Parts): Grant[] {
  const member: Member = { kind: 'function', id };
  const grants: Grant[] = [
    {
      member,
      role: 'roles/datastore.user',
      on: { kind: 'database', name: 'database' },
      why: 'every commit and every sweep reads and writes documents of the pipeline',
    },
    {
      member,
      role: 'roles/monitoring.viewer',
      on: { kind: 'project', name: 'project' },
      why: 'a sweep reads the age of the oldest unacknowledged message, and an instance that is busy sweeps',
    },
  ];
  for (const topic of topics) {
    const why = PUBLISHED[topic.kind];
    if (why !== undefined)
      grants.push({ member, role: 'roles/pubsub.publisher', on: { kind: 'topic', name: topic.name }, why });
  }
  if (serves.some(({ kind, id: stage }) => kind === 'stage' && modelStages.includes(stage)))
    grants.push({
      member,
      role: 'roles/aiplatform.user',
      on: { kind: 'project', name: 'project' },
      why: 'its stage asks a model on Vertex AI',
    });
  for (const table of tables) {
    if (!serves.some((served) => served.kind === 'stage' && served.id === table.stage)) continue;
    grants.push(
      {
        member,
        role: 'roles/bigquery.dataEditor',
        on: { kind: 'table', name: table.table },
        why: 'the sink merges rows into the table and adds new columns to it',
      },
      ...(grants.some(({ role }) => role === 'roles/bigquery.jobUser')
        ? []
        : [
            {
              member,
              role: 'roles/bigquery.jobUser',
              on: { kind: 'project', name: 'project' } as const,
              why: 'a MERGE is a job, and jobs belong to the project',
            },
          ]),
    );
  }
  return grants;
}

const PUBLISHED: Readonly<Partial<Record<ManifestTopic['kind'], string>>> = {
  stage:
    'results go to the next stages, and an instance that is busy sweeps: it sends ticks and sends again what was lost',
  sink: 'results go to topics outside, and a sweep publishes again what was not accepted',
  deadLetters: 'whoever writes a dead letter announces it',
};

function callerGrants({ functions, subscriptions, sweepFunction }: Parts): Grant[] {
  const pushed = functions.filter(({ id }) => subscriptions.some(({ push }) => push?.function === id));
  return [
    ...pushed.map(
      ({ id }): Grant => ({
        member: { kind: 'push' },
        role: 'roles/run.invoker',
        on: { kind: 'function', name: id },
        why: 'Pub/Sub pushes to it under this account',
      }),
    ),
    {
      member: { kind: 'scheduler' },
      role: 'roles/run.invoker',
      on: { kind: 'function', name: sweepFunction },
      why: 'Cloud Scheduler starts the sweep each minute',
    },
  ];
}

function agentGrants({ topics, subscriptions }: Parts): Grant[] {
  const member: Member = { kind: 'pubSubAgent' };
  const undelivered = topics.filter(({ kind }) => kind === 'undelivered');
  return [
    ...undelivered.map(
      ({ name }): Grant => ({
        member,
        role: 'roles/pubsub.publisher',
        on: { kind: 'topic', name },
        why: 'Pub/Sub itself moves there what it could not deliver',
      }),
    ),
    ...subscriptions
      .filter(({ deadLetter }) => deadLetter !== null)
      .map(
        ({ name }): Grant => ({
          member,
          role: 'roles/pubsub.subscriber',
          on: { kind: 'subscription', name },
          why: 'Pub/Sub itself acknowledges what it has moved to the dead letters',
        }),
      ),
    {
      member,
      role: 'roles/iam.serviceAccountTokenCreator',
      on: { kind: 'account', name: 'push' },
      why: 'Pub/Sub signs its pushes as the push account (only projects from before April 2021 need it said)',
    },
  ];
}

function buildGrants(): Grant[] {
  const member: Member = { kind: 'build' };
  return [
    {
      member,
      role: 'roles/artifactregistry.writer',
      on: { kind: 'repository', name: 'images' },
      why: 'the image that is built is put there',
    },
    {
      member,
      role: 'roles/storage.objectViewer',
      on: { kind: 'sourceBucket', name: 'sourceBucket' },
      why: 'the build reads the sources that Cloud Functions has copied',
    },
    {
      member,
      role: 'roles/logging.logWriter',
      on: { kind: 'project', name: 'project' },
      why: 'the build writes its log, and logs have no smaller policy',
    },
  ];
}
