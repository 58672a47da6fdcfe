/**
 * How terraform is called to deploy and to remove a pipeline. Each pipeline has a workspace of its name in `infra/`, so
 * that several live side by side in one state backend.
 */
import type { Manifest } from '../../plan/manifest.ts';

/** The words after `terraform`. */
export type TerraformStep = readonly string[];

export interface StepSetting {
  readonly pipeline: string;
  /** The file with project, region, manifest and archives. */
  readonly variables: string;
  /** Asks nothing. */
  readonly yes: boolean;
}

export function prepareSteps(pipeline: string): TerraformStep[] {
  return [
    ['init', '-input=false'],
    ['workspace', 'select', '-or-create', pipeline],
  ];
}

export function applySteps({ pipeline, variables, yes }: StepSetting): TerraformStep[] {
  return [...prepareSteps(pipeline), ['apply', `-var-file=${variables}`, ...answer(yes)]];
}

/** What keeps data, by the address of all of it. Without `withData` terraform forgets it and leaves it where it is. */
export const DATA_ADDRESSES = [
  'module.firestore',
  'module.warehouse',
  'module.dead_letters',
  'google_pubsub_topic.outside',
  'google_project_service.used',
] as const;

/**
 * @param kept addresses in the state that stay in the project; terraform forgets them first
 */
export function destroySteps(
  { pipeline, variables, yes }: StepSetting,
  { withData, kept }: { readonly withData: boolean; readonly kept: readonly string[] },
): TerraformStep[] {
  const lifted = ['-var=allow_data_loss=true', `-var-file=${variables}`];
  return [
    ...prepareSteps(pipeline),
    ...(withData
      ? // Protection is a setting of database and tables, which must be taken off before they can go.
        [['apply', '-target=module.firestore', '-target=module.warehouse', ...lifted, ...answer(yes)]]
      : kept.length === 0
        ? []
        : [['state', 'rm', ...kept]]),
    ['destroy', ...lifted, ...answer(yes)],
  ];
}

function answer(yes: boolean): string[] {
  return yes ? ['-auto-approve', '-input=false'] : [];
}

/** Which of the addresses in a state hold data; what `terraform state list` prints, a line each. */
export function dataIn(stateList: string): string[] {
  return stateList
    .split('\n')
    .filter((address) =>
      DATA_ADDRESSES.some(
        (data) => address === data || address.startsWith(`${data}.`) || address.startsWith(`${data}[`),
      ),
    );
}

/** A resource that terraform refuses to destroy. */
interface Guarded {
  /** Its folder under `infra/`; `.` = the root. */
  readonly module: string;
  readonly type: string;
  readonly name: string;
}

/** Everything with `prevent_destroy`; a test holds the list against the terraform. */
export const GUARDED: readonly Guarded[] = [
  { module: '.', type: 'google_pubsub_topic', name: 'outside' },
  { module: 'modules/dead-letters', type: 'google_pubsub_subscription', name: 'announced' },
  { module: 'modules/dead-letters', type: 'google_pubsub_topic', name: 'announced' },
  { module: 'modules/dead-letters', type: 'google_pubsub_topic', name: 'undelivered' },
  { module: 'modules/firestore', type: 'google_firestore_database', name: 'this' },
  { module: 'modules/push-subscription', type: 'terraform_data', name: 'keeps_messages' },
  { module: 'modules/warehouse', type: 'google_bigquery_dataset', name: 'this' },
  { module: 'modules/warehouse', type: 'google_bigquery_table', name: 'this' },
];

/**
 * Files that lift the guards for as long as they lie in `infra/`: terraform merges a file called `*_override.tf` into the
 * others of its folder.
 */
export function overrideFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { module, type, name } of GUARDED) {
    const path = `${module}/destroy_override.tf`;
    const block = `resource "${type}" "${name}" {\n  lifecycle {\n    prevent_destroy = false\n  }\n}\n`;
    files.set(path, `${files.get(path) ?? ''}${block}`);
  }
  return files;
}

/** How to take over again what a destroy without data has left: commands for people. */
export function adoptCommands(
  { firestore, tables, dataset, topics, subscriptions }: Manifest,
  project: string,
): string[] {
  const adopt = (address: string, id: string): string => `terraform -chdir=infra import '${address}' '${id}'`;
  const outside = topics.filter(({ kind }) => kind === 'source' || kind === 'sink');
  const topic = (kind: string): string => topics.find((each) => each.kind === kind)!.name;
  const announced = subscriptions.find(({ kind }) => kind === 'deadLetters')!.name;
  return [
    adopt('module.firestore.google_firestore_database.this', `projects/${project}/databases/${firestore.database}`),
    ...(tables.some((table) => table.dataset === null)
      ? [adopt('module.warehouse.google_bigquery_dataset.this[0]', `projects/${project}/datasets/${dataset}`)]
      : []),
    ...tables.map((table) =>
      adopt(
        `module.warehouse.google_bigquery_table.this["${table.table}"]`,
        `projects/${project}/datasets/${table.dataset ?? dataset}/tables/${table.name}`,
      ),
    ),
    ...outside.map(({ name }) => adopt(`google_pubsub_topic.outside["${name}"]`, `projects/${project}/topics/${name}`)),
    adopt('module.dead_letters.google_pubsub_topic.announced', `projects/${project}/topics/${topic('deadLetters')}`),
    adopt('module.dead_letters.google_pubsub_topic.undelivered', `projects/${project}/topics/${topic('undelivered')}`),
    adopt('module.dead_letters.google_pubsub_subscription.announced', `projects/${project}/subscriptions/${announced}`),
  ];
}
