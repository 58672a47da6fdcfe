/**
 * The manifest as a bash script for people without terraform: the same deployment, made by gcloud and bq. Each line calls
 * a function of `infra/gcloud/library.sh`, which makes one thing unless it is there as it should be; so a second run
 * changes nothing. With `delete` the reverse: everything but data, unless DELETE_DATA=yes.
 */
import type { DeployedFunction } from './deployed-functions.ts';
import type { ManifestSubscription } from './delivery.ts';
import { MANIFEST_VARIABLES, PROJECT_VARIABLES } from './environment.ts';
import { deletionSteps } from './gcloud-delete.ts';
import { quoted } from './gcloud-quote.ts';
import type { Grant, Member } from './grants.ts';
import type { Manifest } from './manifest.ts';
import type { SchemaField } from './manifest-tables.ts';
import { accountName, bucketSuffix } from './resource-names.ts';
import { METRICS, type Metric, metricFilter, metricName } from './telemetry.ts';

/** Where `npm run package` puts a folder of archives for each pipeline. */
export const ARCHIVES_FOLDER = 'dist/archives';

export interface GcloudOptions {
  /** The text of `infra/gcloud/library.sh`. */
  readonly library: string;
  /** The pipeline as `millrace` finds its code: a name or a path. Default: its name. */
  readonly module?: string;
  readonly delete?: boolean;
}

export function gcloudScript(manifest: Manifest, options: GcloudOptions): string {
  const { library, module = manifest.pipeline, delete: isDelete = false } = options;
  const steps = isDelete ? deletionSteps(manifest) : creationSteps(manifest, module);
  return [
    '#!/usr/bin/env bash',
    `# ${isDelete ? 'Removes' : 'Makes'} what the pipeline '${manifest.pipeline}' needs. Written by: millrace plan ${module} --gcloud${isDelete ? ' --delete' : ''}`,
    ...(isDelete
      ? ['# Data stays (database, tables, topics outside, dead letters), unless DELETE_DATA=yes.']
      : ['# Run it again after a change: what is there as it should be stays as it is.']),
    '# shellcheck disable=SC2016 # texts hold backticks that are no commands',
    'set -euo pipefail',
    '',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash's own
    ': "${PROJECT:?set PROJECT to the id of the project}"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash's own
    'REGION=${REGION:-us-central1}',
    ...(isDelete
      ? // biome-ignore lint/suspicious/noTemplateCurlyInString: bash's own
        ['DELETE_DATA=${DELETE_DATA:-no}']
      : [
          `# Where npm run package has put the functions' archives.`,
          `ARCHIVES=\${ARCHIVES:-${ARCHIVES_FOLDER}/${manifest.pipeline}}`,
        ]),
    `LABELS=millrace-pipeline=${manifest.pipeline}`,
    '',
    library.trimEnd(),
    '',
    ...steps,
    '',
  ].join('\n');
}

function creationSteps(manifest: Manifest, module: string): string[] {
  const { pipeline, firestore } = manifest;
  return [
    '# Services',
    ...manifest.services.map((service) => `ensure_service ${service}`),
    'ensure_pubsub_agent',
    `NUMBER=$(gc projects describe "$PROJECT" --format='value(projectNumber)')`,
    'PUBSUB_AGENT=serviceAccount:service-$NUMBER@gcp-sa-pubsub.iam.gserviceaccount.com',
    '',
    '# Accounts',
    ...accounts(manifest).map(([id, name]) => `ensure_account ${id} ${quoted(name)}`),
    '',
    '# State',
    `ensure_database ${firestore.database}`,
    ...firestore.indexes.map(
      ({ collection, fields }) =>
        `ensure_index ${firestore.database} ${collection} ${fields.map(({ path }) => path).join(' ')}`,
    ),
    ...firestore.exemptions.map(
      ({ collection, field }) => `ensure_exemption ${firestore.database} ${collection} ${quoted(field)}`,
    ),
    '',
    '# The version: refused where it does not fit what is stored. Its numbers go to every function.',
    admitStep(manifest, module),
    `trap ${quoted(`hold_orders ${targetFlags(manifest, module)} || true`)} EXIT`,
    '',
    '# Tables',
    ...tables(manifest),
    '',
    '# Topics',
    ...manifest.topics.map(({ name }) => `ensure_topic ${name}`),
    '',
    '# Functions. The grants come first: a first revision that may not read its database would fail its first messages.',
    `BUCKET=$PROJECT-${bucketSuffix(pipeline)}`,
    'ensure_bucket "$BUCKET"',
    `ensure_repository ${manifest.imageRepository}`,
    ...manifest.grants.filter(({ on }) => !AFTERWARDS.has(on.kind)).map((grant) => grantStep(manifest, grant)),
    ...manifest.functions.flatMap((each) => functionSteps(manifest, each)),
    '',
    '# Subscriptions',
    ...manifest.subscriptions.map((each) => subscriptionStep(manifest, each)),
    ...manifest.grants.filter(({ on }) => AFTERWARDS.has(on.kind)).map((grant) => grantStep(manifest, grant)),
    '',
    '# The sweep',
    sweepStep(manifest),
    '',
    '# Metrics, alerts, dashboard',
    ...METRICS.map(
      (metric) => `ensure_metric ${metricName(pipeline, metric.name)} ${json(metricConfig(pipeline, metric))}`,
    ),
    ...manifest.alerts.map((alert) => {
      const displayName = `Millrace ${pipeline}: ${alert.title}`;
      return `ensure_alert ${quoted(displayName)} ${json({
        displayName,
        combiner: 'OR',
        userLabels: { 'millrace-pipeline': pipeline, 'millrace-config': 'MILLRACE_CONFIG' },
        documentation: { subject: displayName, content: alert.advice, mimeType: 'text/markdown' },
        alertStrategy: { autoClose: '604800s' },
        conditions: [
          {
            displayName: alert.title,
            conditionPrometheusQueryLanguage: {
              query: alert.query,
              duration: `${alert.forSeconds}s`,
              evaluationInterval: '60s',
              // A metric is known some minutes after it was made, and of a new project none has data.
              disableMetricValidation: true,
            },
          },
        ],
      })}`;
    }),
    `ensure_dashboard ${quoted(manifest.dashboard.displayName)} ${json({
      ...manifest.dashboard,
      labels: { MILLRACE_CONFIG: '' },
    })}`,
    '',
    '# What operators have ordered',
    'trap - EXIT',
    `hold_orders ${targetFlags(manifest, module)}`,
    '',
    `say ${quoted(`${pipeline} is deployed; publish events to ${manifest.sources.map(({ topic }) => topic).join(', ')}`)}`,
  ];
}

/** Grants on things that do not exist before the functions and subscriptions do. */
const AFTERWARDS: ReadonlySet<Grant['on']['kind']> = new Set(['function', 'subscription']);

/** Of an account. */
const LONGEST_DISPLAY_NAME = 100;

function accounts({ pipeline, functions }: Manifest): [id: string, name: string][] {
  const callers = ['push', 'scheduler', 'build'];
  return [...callers, ...functions.map(({ id }) => id)].map((id) => [
    accountName(pipeline, id),
    `Millrace ${pipeline}: ${id}`.slice(0, LONGEST_DISPLAY_NAME),
  ]);
}

function tables({ tables: all, dataset }: Manifest): string[] {
  const own = all.some((table) => table.dataset === null);
  return [
    ...(own ? [`ensure_dataset ${dataset}`] : []),
    ...all.map((table) => {
      const flags = [
        ...(table.partitionBy === null
          ? []
          : ['--time_partitioning_type=DAY', `--time_partitioning_field=${table.partitionBy}`]),
        ...(table.clusterBy.length === 0 ? [] : [`--clustering_fields=${table.clusterBy.join(',')}`]),
      ];
      return [
        'ensure_table',
        `${table.dataset ?? dataset}.${table.name}`,
        json(table.schema satisfies readonly SchemaField[]),
        ...flags,
      ].join(' ');
    }),
  ];
}

/** Shards and slots as the functions will have them. */
function admitStep(manifest: Manifest, module: string): string {
  const { [MANIFEST_VARIABLES.shards]: shards, [MANIFEST_VARIABLES.slots]: slots } = manifest.functions[0]!.environment;
  return `admit ${targetFlags(manifest, module)} --shards=${shards} --slots=${slots}`;
}

/** Which pipeline is meant, for `millrace`. */
function targetFlags({ firestore }: Manifest, module: string): string {
  return `--pipeline=${quoted(module)} --database=${firestore.database}`;
}

function functionSteps(manifest: Manifest, each: DeployedFunction): string[] {
  const { pipeline, grants, firestore, dataset } = manifest;
  const callers = grants.filter(({ on }) => on.kind === 'function' && on.name === each.id).map(({ member }) => member);
  const environment = {
    ...each.environment,
    [MANIFEST_VARIABLES.topology]: '$TOPOLOGY',
    [MANIFEST_VARIABLES.epoch]: '$EPOCH',
    [PROJECT_VARIABLES.project]: '$PROJECT',
    [PROJECT_VARIABLES.region]: '$REGION',
    [PROJECT_VARIABLES.database]: firestore.database,
    [PROJECT_VARIABLES.dataset]: dataset,
    [PROJECT_VARIABLES.pushAudience]: address(each),
    [PROJECT_VARIABLES.pushAccounts]: callers.map((member) => email(pipeline, member)).join(','),
  };
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const object = `"gs://$BUCKET/${each.name}-$ARCHIVE.zip"`;
  return [
    `ARCHIVE=$(sha256sum "$ARCHIVES/${each.id}.zip" | cut -d' ' -f1)`,
    `ensure_archive "$ARCHIVES/${each.id}.zip" ${object}`,
    continued([
      `ensure_function ${each.name} ${object}`,
      `--runtime=${manifest.runtime}`,
      `--entry-point=${manifest.entryPoint}`,
      `--memory=${each.memoryMiB}Mi`,
      `--cpu=${each.cpu}`,
      `--concurrency=${each.concurrency}`,
      `--min-instances=${each.minInstances}`,
      `--max-instances=${each.maxInstances}`,
      `--timeout=${each.timeoutSeconds}s`,
      `--service-account="${email(pipeline, { kind: 'function', id: each.id })}"`,
      `--build-service-account="projects/$PROJECT/serviceAccounts/${email(pipeline, { kind: 'build' })}"`,
      `--docker-repository="projects/$PROJECT/locations/$REGION/repositories/${manifest.imageRepository}"`,
      // `^;^`: values may hold commas.
      `--set-env-vars="^;^${variables.join(';')}"`,
    ]),
  ];
}

function subscriptionStep({ pipeline, functions }: Manifest, each: ManifestSubscription): string {
  const target = functions.find(({ id }) => id === each.push?.function);
  return continued([
    `ensure_subscription ${each.name} ${each.topic}`,
    `--ack-deadline=${each.ackDeadlineSeconds}`,
    `--message-retention-duration=${each.retentionSeconds}s`,
    '--expiration-period=never',
    `--min-retry-delay=${each.minBackoffSeconds}s`,
    `--max-retry-delay=${each.maxBackoffSeconds}s`,
    ...(target === undefined || each.push === null
      ? []
      : [
          `--push-endpoint="${address(target)}${each.push.path}"`,
          `--push-auth-service-account="${email(pipeline, { kind: 'push' })}"`,
          `--push-auth-token-audience="${address(target)}"`,
        ]),
    ...(each.deadLetter === null
      ? []
      : [
          `--dead-letter-topic=${each.deadLetter.topic}`,
          `--max-delivery-attempts=${each.deadLetter.maxDeliveryAttempts}`,
        ]),
  ]);
}

function sweepStep({ pipeline, functions, sweep }: Manifest): string {
  const target = functions.find(({ id }) => id === sweep.function)!;
  return continued([
    `ensure_job ${target.name}`,
    `--schedule=${quoted(sweep.schedule)}`,
    '--time-zone=Etc/UTC',
    `--attempt-deadline=${sweep.attemptDeadlineSeconds}s`,
    '--max-retry-attempts=0',
    '--http-method=post',
    `--uri="${address(target)}${sweep.path}"`,
    `--oidc-service-account-email="${email(pipeline, { kind: 'scheduler' })}"`,
    `--oidc-token-audience="${address(target)}"`,
  ]);
}

function grantStep(manifest: Manifest, { member, role, on }: Grant): string {
  const { pipeline, firestore } = manifest;
  const who = member.kind === 'pubSubAgent' ? '"$PUBSUB_AGENT"' : `"serviceAccount:${email(pipeline, member)}"`;
  switch (on.kind) {
    case 'topic':
    case 'subscription':
      return `grant_on ${on.kind} ${on.name} ${who} ${role}`;
    case 'function':
      return `grant_on function ${manifest.functions.find(({ id }) => id === on.name)!.name} ${who} ${role}`;
    case 'account':
      return `grant_on account "${email(pipeline, { kind: 'push' })}" ${who} ${role}`;
    case 'repository':
      return `grant_on repository ${manifest.imageRepository} ${who} ${role}`;
    case 'table': {
      const table = manifest.tables.find((each) => each.table === on.name)!;
      return `grant_on_table "$PROJECT:${table.dataset ?? manifest.dataset}.${table.name}" ${who} ${role}`;
    }
    case 'database': {
      const name = `projects/$PROJECT/databases/${firestore.database}`;
      const expression = `resource.name == '${name}' || resource.name.startsWith('${name}/')`;
      return `grant_in_project ${who} ${role} only-${firestore.database} "${expression}"`;
    }
    case 'sourceBucket':
      return `grant_in_project ${who} ${role} only-function-sources "resource.name.startsWith('projects/_/buckets/gcf-v2-sources-')"`;
    case 'project':
      return `grant_in_project ${who} ${role}`;
  }
}

/** In double quotes, for bash. */
function email(pipeline: string, member: Member): string {
  const id = member.kind === 'function' ? member.id : member.kind;
  return `${accountName(pipeline, id)}@$PROJECT.iam.gserviceaccount.com`;
}

/** A service's address follows from its name, so the service can be told before it is there. */
function address({ name }: DeployedFunction): string {
  return `https://${name}-$NUMBER.$REGION.run.app`;
}

/** Logging wants boundaries for whatever is no count. Only sums and counts are asked for, so these are its own defaults. */
const BUCKETS = { exponentialBuckets: { numFiniteBuckets: 64, growthFactor: 2, scale: 0.01 } };

function metricConfig(pipeline: string, metric: Metric) {
  const byStage = metric.event !== 'sweep';
  return {
    name: metricName(pipeline, metric.name),
    description: `${metric.description} (MILLRACE_CONFIG)`,
    filter: metricFilter(pipeline, metric),
    ...(metric.field === null
      ? {}
      : { valueExtractor: `EXTRACT(jsonPayload.${metric.field})`, bucketOptions: BUCKETS }),
    ...(byStage ? { labelExtractors: { stage: 'EXTRACT(jsonPayload.stage)' } } : {}),
    metricDescriptor: {
      metricKind: 'DELTA',
      valueType: metric.field === null ? 'INT64' : 'DISTRIBUTION',
      unit: metric.unit,
      ...(byStage ? { labels: [{ key: 'stage', valueType: 'STRING' }] } : {}),
    },
  };
}

function json(value: unknown): string {
  return quoted(JSON.stringify(value));
}

function continued(lines: readonly string[]): string {
  return lines.join(' \\\n  ');
}
