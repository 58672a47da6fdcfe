/** Every resource in `infra/` against the google provider's own schema, also where there is no terraform. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allBlocks } from './hcl/files.ts';
import { type HclBlock, type HclBody, parseHcl } from './hcl/parse.ts';
import type { SchemaBlock, SchemaFile } from './provider-schema.ts';

const schema = JSON.parse(readFileSync(new URL('fixtures/google-schema.json', import.meta.url), 'utf8')) as SchemaFile;
/** Terraform's own, allowed in every resource. */
const META_ARGUMENTS = new Set(['for_each', 'count', 'depends_on', 'provider']);

/** What in a block the schema does not know, or needs and does not find. */
function problemsOf(path: string, body: HclBody, known: SchemaBlock): string[] {
  const blocks = body.blocks.filter(({ type }) => type !== 'lifecycle').map(unwrapped);
  const problems = Object.keys(body.arguments)
    .filter((name) => !META_ARGUMENTS.has(name))
    .flatMap((name) => {
      const attribute = known.attributes[name];
      if (attribute === undefined) return [`${path}: there is no argument '${name}'`];
      return attribute.required || attribute.optional ? [] : [`${path}: '${name}' is set by the provider only`];
    });
  for (const [name, { required }] of Object.entries(known.attributes))
    if (required && !(name in body.arguments)) problems.push(`${path}: '${name}' is required`);
  for (const [name, { min_items = 0, max_items = Number.POSITIVE_INFINITY }] of Object.entries(known.block_types)) {
    const count = blocks.filter(({ type }) => type === name).length;
    if (count < min_items) problems.push(`${path}: needs a block '${name}'`);
    if (count > max_items) problems.push(`${path}: has ${count} blocks '${name}', at most ${max_items} are possible`);
  }
  for (const block of blocks) {
    const nested = known.block_types[block.type];
    if (nested === undefined) problems.push(`${path}: there is no block '${block.type}'`);
    else problems.push(...problemsOf(`${path}.${block.type}`, block, nested.block));
  }
  return problems;
}

/** A `dynamic "x" { content { … } }` is a block x. */
function unwrapped(block: HclBlock): HclBlock {
  if (block.type !== 'dynamic') return block;
  const content = block.blocks.find(({ type }) => type === 'content')!;
  return { ...content, type: block.labels[0]! };
}

function check(blocks: readonly HclBlock[]): string[] {
  return blocks.flatMap((block) => {
    const [type = '', name = ''] = block.labels;
    const schemas = block.type === 'data' ? schema.data_source_schemas : schema.resource_schemas;
    if ((block.type !== 'resource' && block.type !== 'data') || !type.startsWith('google_')) return [];
    const known = schemas[type];
    return known === undefined
      ? [`${type} is not in the fixture; run test/infra/regenerate-schema.ts`]
      : problemsOf(`${type}.${name}`, block, known.block);
  });
}

describe('infra', () => {
  test('uses resource types and arguments as the google provider knows them', () => {
    const blocks = allBlocks();
    expect(blocks.filter(({ type }) => type === 'resource').length).toBeGreaterThan(30);
    expect(check(blocks)).toEqual([]);
  });

  test('asks for the provider version that the schema is of', () => {
    const versions = allBlocks()
      .filter(({ type }) => type === 'terraform')
      .map(({ blocks }) => /version = "([^"]+)"/.exec(blocks[0]!.arguments['google']!.text)![1]);
    expect(schema.version).toBe('6.50.0');
    expect(new Set(versions)).toEqual(new Set(['~> 6.50']));
  });
});

describe('the check', () => {
  const topic = (body: string): string[] =>
    check(parseHcl(`resource "google_pubsub_topic" "t" {\n${body}\n}\n`).blocks);

  test.each([
    ['name = "t"', []],
    ['nam = "t"', ["google_pubsub_topic.t: there is no argument 'nam'", "google_pubsub_topic.t: 'name' is required"]],
    ['name = "t"\neffective_labels = {}', ["google_pubsub_topic.t: 'effective_labels' is set by the provider only"]],
    ['name = "t"\nschema {}', ["google_pubsub_topic.t: there is no block 'schema'"]],
    [
      'name = "t"\nschema_settings {\nschema = "s"\n}\nschema_settings {\nschema = "s"\n}',
      ["google_pubsub_topic.t: has 2 blocks 'schema_settings', at most 1 are possible"],
    ],
    [
      'name = "t"\ndynamic "schema_settings" {\nfor_each = []\ncontent {\nencodin = "JSON"\n}\n}',
      [
        "google_pubsub_topic.t.schema_settings: there is no argument 'encodin'",
        "google_pubsub_topic.t.schema_settings: 'schema' is required",
      ],
    ],
  ])('finds in %j what is wrong', (body, problems) => {
    expect(topic(body)).toEqual(problems);
  });

  test('knows no resource type that the fixture does not hold', () => {
    expect(check(parseHcl('resource "google_pubsub_topik" "t" {}\n').blocks)).toEqual([
      'google_pubsub_topik is not in the fixture; run test/infra/regenerate-schema.ts',
    ]);
  });
});
