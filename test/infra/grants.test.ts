/** Grants in terraform, in the manifest and in the table of infra/README.md are the same, and none is wide. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deploymentManifest } from '../../functions/operate/deployment.ts';
import { SHAPES } from '../../functions/plan/deployed-functions.ts';
import { plan } from '../../functions/plan/plan.ts';
import { everything } from '../plan/everything.ts';
import { allBlocks, INFRA } from './hcl/files.ts';
import type { HclBlock } from './hcl/parse.ts';

interface Row {
  readonly who: string;
  readonly role: string;
  readonly on: string;
  readonly terraform: string;
}

const README: readonly Row[] = readFileSync(join(INFRA, 'README.md'), 'utf8')
  .split('\n')
  .map((line) => /^\| (\w+) +\| `(roles\/[\w.]+)` +\| (\w+) +\| `([\w./-]+)` `(\w+)` +\| .+ \|$/.exec(line))
  .filter((match) => match !== null)
  .map(([, who, role, on, module, name]) => ({ who: who!, role: role!, on: on!, terraform: `${module} ${name}` }));

const blocks = allBlocks();
const grants = blocks.filter(({ type, labels }) => type === 'resource' && /_iam_/.test(labels[0]!));

/** What a terraform resource grants on, by its type; a condition narrows the project. */
function target({ labels, blocks: inner }: HclBlock): string {
  const expression = inner.find(({ type }) => type === 'condition')?.arguments['expression']?.text ?? '';
  switch (labels[0]) {
    case 'google_pubsub_topic_iam_member':
      return 'topic';
    case 'google_pubsub_subscription_iam_member':
      return 'subscription';
    case 'google_cloud_run_v2_service_iam_member':
      return 'function';
    case 'google_bigquery_table_iam_member':
      return 'table';
    case 'google_service_account_iam_member':
      return 'account';
    case 'google_artifact_registry_repository_iam_member':
      return 'repository';
    case 'google_project_iam_member':
      if (expression.includes('/databases/')) return 'database';
      return expression.includes('gcf-v2-sources-') ? 'sourceBucket' : 'project';
    default:
      return labels[0]!;
  }
}

const text = (block: HclBlock, argument: string): string => block.arguments[argument]!.text.replaceAll('"', '');
const inTerraform = (block: HclBlock): string => {
  const folder = relative(INFRA, dirname(block.file));
  return `${folder === '' ? '.' : folder} ${block.labels[1]}`;
};

describe('the table of grants in infra/README.md', () => {
  test('names each grant that terraform makes, with its role and what it is on, and no other', () => {
    const rows = README.map(({ terraform, role, on }) => `${terraform}: ${role} on ${on}`);
    const made = grants.map((block) => `${inTerraform(block)}: ${text(block, 'role')} on ${target(block)}`);
    expect(made.length).toBeGreaterThan(15);
    expect([...new Set(rows)].sort()).toEqual(made.sort());
  });

  test.each(SHAPES)('names each kind of grant in the manifest, as %s', (shape) => {
    const { grants: all } = deploymentManifest(plan(everything), { shape });
    const inManifest = new Set(all.map(({ member, role, on }) => `${member.kind}: ${role} on ${on.kind}`));
    const rows = README.filter(({ who }) => who !== 'operator' && who !== 'publisher');
    expect([...inManifest].sort()).toEqual(rows.map(({ who, role, on }) => `${who}: ${role} on ${on}`).sort());
  });
});

describe('grants in terraform', () => {
  test.each(grants.map((block) => [inTerraform(block), block] as const))(
    '%s says above it who may do what and why',
    (_, { comment }) => {
      expect(comment).toMatch(/\bmay\b[\s\S]+\bbecause\b|\bmay\b[\s\S]+\bWithout it\b/);
    },
  );

  test.each(grants.map((block) => [inTerraform(block), block] as const))(
    '%s adds one member and takes nobody else’s away',
    (_, { labels }) => {
      expect(labels[0]).toMatch(/_iam_member$/);
    },
  );

  test('give no wide role', () => {
    const wide = /roles\/(owner|editor|viewer)$|[aA]dmin|roles\/\*/;
    expect(grants.map((block) => text(block, 'role')).filter((role) => wide.test(role))).toEqual([]);
    expect(README.filter(({ role }) => wide.test(role))).toEqual([]);
  });

  test('name no member that is everybody', () => {
    for (const block of grants) {
      const { member } = block.arguments;
      expect(member!.text).not.toMatch(/allUsers|allAuthenticatedUsers|domain:/);
    }
  });

  test('on the project have a condition wherever there is something to narrow', () => {
    const bare = grants.filter((block) => target(block) === 'project').map((block) => text(block, 'role'));
    // Models, metrics, jobs and logs have no resource that a condition could name.
    expect([...new Set(bare)].sort()).toEqual([
      'roles/aiplatform.user',
      'roles/bigquery.jobUser',
      'roles/logging.logWriter',
      'roles/monitoring.viewer',
    ]);
  });
});

describe('no secret', () => {
  test('is made, so none is in the state', () => {
    const types = blocks.filter(({ type }) => type === 'resource' || type === 'data').map(({ labels }) => labels[0]!);
    expect(types.filter((type) => /secret|_key$|password|token/.test(type))).toEqual([]);
  });

  test('is asked for or told', () => {
    const named = blocks.filter(({ type }) => type === 'variable' || type === 'output').map(({ labels }) => labels[0]!);
    expect(named.filter((name) => /secret|credential|password|token|api_key/.test(name))).toEqual([]);
  });
});

describe('what would be lost', () => {
  const protectedBy = (block: HclBlock): boolean =>
    block.blocks.some(
      ({ type, arguments: values }) => type === 'lifecycle' && values['prevent_destroy']?.text === 'true',
    );

  test('is guarded by prevent_destroy: database, tables, dataset, messages', () => {
    const guarded = blocks.filter((block) => block.type === 'resource' && protectedBy(block));
    expect(guarded.map(({ labels }) => labels.join('.')).sort()).toEqual([
      'google_bigquery_dataset.this',
      'google_bigquery_table.this',
      'google_firestore_database.this',
      'google_pubsub_subscription.announced',
      'google_pubsub_topic.announced',
      'google_pubsub_topic.outside',
      'google_pubsub_topic.undelivered',
      'terraform_data.keeps_messages',
    ]);
  });

  test('topics between stages are not: what they hold is in the outboxes', () => {
    const stage = blocks.find(({ labels }) => labels.join('.') === 'google_pubsub_topic.stage')!;
    expect(protectedBy(stage)).toBe(false);
  });
});
