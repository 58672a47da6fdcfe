import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  adoptCommands,
  applySteps,
  dataIn,
  destroySteps,
  GUARDED,
  overrideFiles,
} from '../../../functions/operate/deploy/terraform-steps.ts';
import { deploymentManifest } from '../../../functions/operate/deployment.ts';
import flights from '../../../functions/pipelines/flights.ts';
import { plan } from '../../../functions/plan/plan.ts';
import { allBlocks, INFRA } from '../../infra/hcl/files.ts';
import { parseHcl } from '../../infra/hcl/parse.ts';

const setting = { pipeline: 'flights', variables: '/v.json', yes: false };

describe('deploying', () => {
  test('applies in the workspace of the pipeline, and lets terraform ask', () => {
    expect(applySteps(setting)).toEqual([
      ['init', '-input=false'],
      ['workspace', 'select', '-or-create', 'flights'],
      ['apply', '-var-file=/v.json'],
    ]);
    expect(applySteps({ ...setting, yes: true }).at(-1)).toEqual([
      'apply',
      '-var-file=/v.json',
      '-auto-approve',
      '-input=false',
    ]);
  });
});

describe('destroying', () => {
  test('forgets what is kept before it destroys the rest', () => {
    const kept = ['module.firestore.google_firestore_database.this', 'google_pubsub_topic.outside["flights"]'];
    expect(destroySteps(setting, { withData: false, kept }).slice(2)).toEqual([
      ['state', 'rm', ...kept],
      ['destroy', '-var=allow_data_loss=true', '-var-file=/v.json'],
    ]);
  });

  test('with data takes the protection off first', () => {
    expect(destroySteps({ ...setting, yes: true }, { withData: true, kept: [] }).slice(2)).toEqual([
      [
        'apply',
        '-target=module.firestore',
        '-target=module.warehouse',
        '-var=allow_data_loss=true',
        '-var-file=/v.json',
        '-auto-approve',
        '-input=false',
      ],
      ['destroy', '-var=allow_data_loss=true', '-var-file=/v.json', '-auto-approve', '-input=false'],
    ]);
  });

  test('knows in a state what keeps data, and no more', () => {
    const state = [
      'data.google_project.this',
      'google_pubsub_topic.outside["flights"]',
      'google_pubsub_topic.stage["millrace-flights--delays--0"]',
      'module.dead_letters.google_pubsub_topic.announced',
      'module.firestore.google_firestore_database.this',
      'module.function["sweep"].google_cloudfunctions2_function.this',
      'module.warehouse.google_bigquery_table.this["departures_by_airport"]',
      '',
    ];
    expect(dataIn(state.join('\n'))).toEqual([
      'google_pubsub_topic.outside["flights"]',
      'module.dead_letters.google_pubsub_topic.announced',
      'module.firestore.google_firestore_database.this',
      'module.warehouse.google_bigquery_table.this["departures_by_airport"]',
    ]);
    expect(dataIn('')).toEqual([]);
  });

  test('lifts every guard there is in the terraform, and no other', () => {
    const guarded = allBlocks()
      .filter(({ blocks }) => blocks.some((block) => block.arguments['prevent_destroy']?.text === 'true'))
      .map(({ file, labels: [type, name] }) => ({ module: relative(INFRA, join(file, '..')) || '.', type, name }));
    const order = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    expect([...GUARDED].sort(order)).toEqual(guarded.sort(order));
  });

  test('lifts them by files that terraform merges into the others', () => {
    const files = overrideFiles();
    expect([...files.keys()]).toEqual([
      './destroy_override.tf',
      'modules/dead-letters/destroy_override.tf',
      'modules/firestore/destroy_override.tf',
      'modules/push-subscription/destroy_override.tf',
      'modules/warehouse/destroy_override.tf',
    ]);
    const blocks = [...files.values()].flatMap((text) => parseHcl(text).blocks);
    expect(blocks).toHaveLength(GUARDED.length);
    for (const { blocks: inner } of blocks) expect(inner[0]!.arguments['prevent_destroy']!.text).toBe('false');
  });

  test('says how to take over again what it has left: each by the address that it had', () => {
    const commands = adoptCommands(deploymentManifest(plan(flights)), 'my-project');
    expect(commands).toContain(
      "terraform -chdir=infra import 'module.firestore.google_firestore_database.this' 'projects/my-project/databases/millrace-flights'",
    );
    expect(commands).toContain(
      `terraform -chdir=infra import 'module.warehouse.google_bigquery_table.this["departures_by_airport"]' 'projects/my-project/datasets/millrace_flights/tables/departures_by_airport'`,
    );
    const addresses = commands.map((command) => /'([^'[]+)(?:\[[^']+)?'/.exec(command)![1]!.split('.'));
    for (const address of addresses) {
      const [type, name] = address.slice(-2);
      expect(allBlocks().some(({ labels }) => labels[0] === type && labels[1] === name)).toBe(true);
    }
  });

  test('no guard is left lifted in the repository', () => {
    expect(() => readFileSync(join(INFRA, 'destroy_override.tf'))).toThrow('ENOENT');
  });
});
