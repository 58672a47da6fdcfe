/** The reverse of the gcloud script. Data stays unless DELETE_DATA=yes; what holds data is removed last. */
import { quoted } from './gcloud-quote.ts';
import type { Manifest } from './manifest.ts';
import { accountName, bucketSuffix } from './resource-names.ts';
import { METRICS, metricName } from './telemetry.ts';

export function deletionSteps(manifest: Manifest): string[] {
  const { pipeline, functions, subscriptions, topics, grants, firestore } = manifest;
  const sweeping = functions.find(({ id }) => id === manifest.sweep.function)!;
  const keepsMessages = (kind: string): boolean => kind !== 'stage';
  const inProject = grants.filter(({ on }) => PROJECT_WIDE.has(on.kind));
  const accounts = ['push', 'scheduler', 'build', ...functions.map(({ id }) => id)].map((id) =>
    accountName(pipeline, id),
  );
  return [
    '# Alerts first: nothing that follows is an alarm.',
    `for policy in $(gc alpha monitoring policies list --filter='userLabels.millrace-pipeline=${pipeline}' --format='value(name)'); do`,
    '  say "remove alert $policy"',
    '  gc alpha monitoring policies delete "$policy"',
    'done',
    `for dashboard in $(gc monitoring dashboards list --filter=${quoted(`displayName="${manifest.dashboard.displayName}"`)} --format='value(name)'); do`,
    '  say "remove dashboard $dashboard"',
    '  gc monitoring dashboards delete "$dashboard"',
    'done',
    ...METRICS.map(({ name }) => removal('metric', ['logging', 'metrics'], metricName(pipeline, name))),
    '',
    '# Nothing is pushed any more: what subscriptions keep would be tried in vain, and given up',
    ...subscriptions
      .filter(({ kind, push }) => keepsMessages(kind) && push !== null)
      .map(({ name }) => `stop_pushing ${name}`),
    '',
    '# Nothing runs any more',
    removal('job', ['scheduler', 'jobs'], sweeping.name, '--location="$REGION"'),
    ...subscriptions
      .filter(({ kind }) => !keepsMessages(kind))
      .map(({ name }) => removal('subscription', ['pubsub', 'subscriptions'], name)),
    ...topics
      .filter(({ kind }) => !keepsMessages(kind))
      .map(({ name }) => removal('topic', ['pubsub', 'topics'], name)),
    ...functions.map(({ name }) => removal('function', ['functions'], name, '--region="$REGION"')),
    removal('repository', ['artifacts', 'repositories'], manifest.imageRepository, '--location="$REGION"'),
    `remove "archives" gc storage buckets describe "gs://$PROJECT-${bucketSuffix(pipeline)}" -- gc storage rm --recursive "gs://$PROJECT-${bucketSuffix(pipeline)}"`,
    '',
    '# Accounts, and what they were granted in the project',
    ...inProject.flatMap(({ member, role }) => {
      if (member.kind === 'pubSubAgent') return [];
      const id = accountName(pipeline, member.kind === 'function' ? member.id : member.kind);
      return [`ungrant_in_project "serviceAccount:$(account_email ${id})" ${role}`];
    }),
    ...accounts.map((id) => removal('account', ['iam', 'service-accounts'], `"$(account_email ${id})"`)),
    '',
    'if [ "$DELETE_DATA" != yes ]; then',
    `  say ${quoted(`kept: database ${firestore.database}, tables, dead letters and topics outside; DELETE_DATA=yes removes them`)}`,
    '  exit 0',
    'fi',
    '',
    '# Data',
    ...subscriptions
      .filter(({ kind }) => keepsMessages(kind))
      .map(({ name }) => removal('subscription', ['pubsub', 'subscriptions'], name)),
    ...topics
      .filter(({ kind }) => keepsMessages(kind) && kind !== 'source' && kind !== 'sink')
      .map(({ name }) => removal('topic', ['pubsub', 'topics'], name)),
    ...manifest.tables.map(({ dataset, name }) => {
      const table = `${dataset ?? manifest.dataset}.${name}`;
      return `remove "table ${table}" bq --project_id="$PROJECT" show ${table} -- bq --project_id="$PROJECT" rm --force --table ${table}`;
    }),
    `if gc firestore databases describe --database=${firestore.database} >/dev/null 2>&1; then`,
    `  say "remove database ${firestore.database}"`,
    `  gc firestore databases update --database=${firestore.database} --no-delete-protection`,
    `  gc firestore databases delete --database=${firestore.database}`,
    'fi',
  ];
}

const PROJECT_WIDE: ReadonlySet<string> = new Set(['database', 'sourceBucket', 'project']);

function removal(what: string, noun: readonly string[], name: string, ...where: readonly string[]): string {
  const words = (verb: string): string => ['gc', ...noun, verb, name, ...where].join(' ');
  const label = name.startsWith('"') ? name.slice(1, -1) : name;
  return `remove "${what} ${label}" ${words('describe')} -- ${words('delete')}`;
}
