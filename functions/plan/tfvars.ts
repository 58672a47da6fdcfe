/**
 * The manifest as terraform's variable `manifest` (infra/variables.tf): maps by name, for `for_each`, in terraform's
 * spelling. Nothing is decided here.
 */
import type { DeployedFunction } from './deployed-functions.ts';
import type { Grant } from './grants.ts';
import type { Manifest } from './manifest.ts';
import { METRICS, metricFilter, metricName } from './telemetry.ts';
import { accountName, bucketSuffix } from './resource-names.ts';

/** What `infra/` reads. */
export type Tfvars = ReturnType<typeof tfvars>;

export function tfvars(manifest: Manifest) {
  const { pipeline, topology, firestore } = manifest;
  return {
    manifest: {
      pipeline,
      shape: manifest.shape,
      topology: topology.version,
      fingerprint: topology.fingerprint,
      services: manifest.services,
      runtime: manifest.runtime,
      entry_point: manifest.entryPoint,
      bucket_suffix: bucketSuffix(pipeline),
      image_repository: manifest.imageRepository,
      accounts: {
        push: accountName(pipeline, 'push'),
        scheduler: accountName(pipeline, 'scheduler'),
        build: accountName(pipeline, 'build'),
      },
      functions: byKey(
        manifest.functions,
        ({ id }) => id,
        (each) => functionVariable(manifest, each),
      ),
      topics: byKey(
        manifest.topics,
        ({ name }) => name,
        ({ kind }) => kind,
      ),
      subscriptions: byKey(
        manifest.subscriptions,
        ({ name }) => name,
        (each) => ({
          kind: each.kind,
          topic: each.topic,
          push_function: each.push?.function ?? null,
          push_path: each.push?.path ?? null,
          ack_deadline_seconds: each.ackDeadlineSeconds,
          retention_seconds: each.retentionSeconds,
          min_backoff_seconds: each.minBackoffSeconds,
          max_backoff_seconds: each.maxBackoffSeconds,
          dead_letter_topic: each.deadLetter?.topic ?? null,
          max_delivery_attempts: each.deadLetter?.maxDeliveryAttempts ?? null,
        }),
      ),
      sweep: {
        function: manifest.sweep.function,
        path: manifest.sweep.path,
        schedule: manifest.sweep.schedule,
        attempt_deadline_seconds: manifest.sweep.attemptDeadlineSeconds,
      },
      dataset: manifest.dataset,
      tables: byKey(
        manifest.tables,
        ({ table }) => table,
        (each) => ({
          dataset: each.dataset,
          name: each.name,
          partition_by: each.partitionBy,
          cluster_by: each.clusterBy,
          schema: each.schema,
        }),
      ),
      database: firestore.database,
      indexes: byKey(
        firestore.indexes,
        ({ id }) => id,
        ({ collection, fields }) => ({
          collection,
          fields: fields.map(({ path }) => path),
        }),
      ),
      exemptions: byKey(
        firestore.exemptions,
        ({ collection }) => collection,
        ({ field }) => field,
      ),
      metrics: byKey(
        METRICS,
        ({ name }) => metricName(pipeline, name),
        (metric) => ({
          filter: metricFilter(pipeline, metric),
          field: metric.field,
          by_stage: metric.event !== 'sweep',
          unit: metric.unit,
          description: metric.description,
        }),
      ),
      alerts: byKey(
        manifest.alerts,
        ({ id }) => id,
        ({ title, query, forSeconds, advice }) => ({ title, query, for_seconds: forSeconds, advice }),
      ),
      dashboard: JSON.stringify(manifest.dashboard),
    },
  };
}

function functionVariable({ pipeline, grants }: Manifest, each: DeployedFunction) {
  const own = grants.filter(({ member }) => member.kind === 'function' && member.id === each.id);
  const called = grants.filter(({ on }) => on.kind === 'function' && on.name === each.id);
  const targets = (from: readonly Grant[], kind: Grant['on']['kind']): string[] =>
    from.filter(({ on }) => on.kind === kind).map(({ on }) => on.name);
  return {
    name: each.name,
    account: accountName(pipeline, each.id),
    memory_mib: each.memoryMiB,
    cpu: each.cpu,
    concurrency: each.concurrency,
    min_instances: each.minInstances,
    max_instances: each.maxInstances,
    timeout_seconds: each.timeoutSeconds,
    environment: each.environment,
    callers: called.map(({ member }) => member.kind),
    publishes_to: targets(own, 'topic'),
    writes_tables: targets(own, 'table'),
    calls_models: own.some(({ role }) => role === 'roles/aiplatform.user'),
  };
}

function byKey<T, R>(items: readonly T[], keyOf: (item: T) => string, entryOf: (item: T) => R): Record<string, R> {
  return Object.fromEntries(items.map((item) => [keyOf(item), entryOf(item)]));
}
