/**
 * Makes `fixtures/google-schema.json`: the google provider's own schema of the resource types that `infra/` uses, from
 * the bindings that the npm package @cdktf/provider-google generates of it (their source maps keep, of each argument,
 * whether it is computed, optional or required). Run when a resource type is added:
 *
 *   node test/infra/regenerate-schema.ts <folder of @cdktf/provider-google>
 *
 * The form is that of `terraform providers schema -json`, so where the provider itself can be had, its output may be
 * trimmed to the same file.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { INFRA, terraformFiles } from './hcl/files.ts';
import { parseHcl } from './hcl/parse.ts';
import type { SchemaAttribute, SchemaBlock, SchemaFile, SchemaType } from './provider-schema.ts';

const DECLARATION =
  /\/\/ (\w+) - computed: (true|false), optional: (true|false), required: (true|false)\n\s+(?:private _\w+\??(?:: ([^;\n]+?); ?| = new ([\w.]+)\(this, "\w+"(?:, (true|false))?\);)|public get \w+\(\) \{\s+return ([^;]+);)/g;
const ROOTS = ['TerraformResource', 'TerraformDataSource', 'TerraformProvider'];
/** What of the provider's own arguments is kept. */
const PROVIDER_ARGUMENTS = ['project', 'region', 'user_project_override', 'billing_project'];
const CLASS = /^export class (\w+) extends cdktf\.(\w+) \{\n([\s\S]*?)^\}/gm;
const TYPES: Readonly<Record<string, SchemaType>> = {
  string: 'string',
  number: 'number',
  'boolean | cdktf.IResolvable': 'bool',
  'string[]': ['list', 'string'],
  'number[]': ['list', 'number'],
  '{ [key: string]: string }': ['map', 'string'],
};
const GETTERS: readonly (readonly [RegExp, SchemaType])[] = [
  [/getStringAttribute/, 'string'],
  [/getNumberAttribute/, 'number'],
  [/getBooleanAttribute/, 'bool'],
  [/getListAttribute|Fn\.tolist/, ['list', 'string']],
  [/StringMap/, ['map', 'string']],
];

class Bindings {
  readonly #classes: ReadonlyMap<string, { readonly kind: string; readonly body: string }>;
  readonly #blocks: ReadonlySet<string>;

  constructor(source: string) {
    this.#classes = new Map(
      [...source.matchAll(CLASS)].map(([, name, kind, body]) => [name!, { kind: kind!, body: body! }]),
    );
    // An argument that is a block anywhere in a resource is one everywhere under the same class.
    this.#blocks = new Set(
      [...source.matchAll(/isBlock: true,\s+type: "\w+",\s+storageClassType: "(\w+)"/g)].map(([, name]) => name!),
    );
  }

  /** @param only the arguments to keep; absent: all */
  root(only?: readonly string[]): SchemaBlock {
    for (const [name, { kind }] of this.#classes) if (ROOTS.includes(kind)) return this.#block(name, only);
    throw new Error('no resource in these bindings');
  }

  #block(name: string, only?: readonly string[]): SchemaBlock {
    const attributes: Record<string, SchemaAttribute> = {};
    const block_types: SchemaBlock['block_types'] = {};
    for (const match of this.#classes.get(name)!.body.matchAll(DECLARATION)) {
      const [, field, computed, optional, required, type, nested, isSet, getter] = match;
      if (only?.includes(field!) === false) continue;
      const flags = {
        ...(required === 'true' ? { required: true } : {}),
        ...(optional === 'true' ? { optional: true } : {}),
        ...(computed === 'true' ? { computed: true } : {}),
      };
      if (nested === undefined) attributes[field!] = { type: typeOf(type, getter), ...flags };
      else if (/StringMap$/.test(nested)) attributes[field!] = { type: ['map', 'string'], ...flags };
      else if (!this.#isBlock(nested))
        attributes[field!] = { type: ['list', objectOf(this.#block(this.#element(nested)))], ...flags };
      else {
        const many = this.#classes.get(nested)!.kind === 'ComplexList';
        block_types[field!] = {
          nesting_mode: field === 'timeouts' ? 'single' : isSet === 'true' ? 'set' : 'list',
          block: this.#block(this.#element(nested)),
          ...(required === 'true' ? { min_items: 1 } : {}),
          ...(many || field === 'timeouts' ? {} : { max_items: 1 }),
        };
      }
    }
    return { attributes, block_types };
  }

  #isBlock(nested: string): boolean {
    const name = nested.replace(/(OutputReference|List)$/, '');
    return this.#blocks.has(name) || this.#blocks.has(`${name}List`);
  }

  #element(nested: string): string {
    return this.#classes.get(nested)!.kind === 'ComplexList' ? nested.replace(/List$/, 'OutputReference') : nested;
  }
}

function objectOf({ attributes, block_types }: SchemaBlock): SchemaType {
  return [
    'object',
    Object.fromEntries([
      ...Object.entries(attributes).map(([field, { type }]) => [field, type] as const),
      ...Object.entries(block_types).map(
        ([field, { block }]) => [field, ['list', objectOf(block)] as SchemaType] as const,
      ),
    ]),
  ];
}

function typeOf(declared: string | undefined, getter: string | undefined): SchemaType {
  const found = declared === undefined ? GETTERS.find(([pattern]) => pattern.test(getter!))?.[1] : TYPES[declared];
  if (found === undefined) throw new Error(`cannot read the type '${declared ?? getter}'`);
  return found;
}

function bindings(folder: string, module: string): Bindings {
  const compiled = readFileSync(join(folder, 'lib', module, 'index.js'), 'utf8');
  const map = /sourceMappingURL=data:application\/json;base64,(\S+)/.exec(compiled)?.[1];
  if (map === undefined) throw new Error(`${module}: no source map`);
  return new Bindings(JSON.parse(Buffer.from(map, 'base64').toString()).sourcesContent[0]);
}

/** The types that `infra/` uses, of resources or data sources. */
function usedTypes(kind: 'resource' | 'data'): string[] {
  const blocks = terraformFiles(INFRA).flatMap((path) => parseHcl(readFileSync(path, 'utf8'), path).blocks);
  const types = blocks.filter(({ type }) => type === kind).map(({ labels }) => labels[0]!);
  // terraform_data and its like are terraform's own.
  return [...new Set(types)].filter((type) => type.startsWith('google_')).sort();
}

function main(folder: string): void {
  const version = /providers\/hashicorp\/google\/([\d.]+)\//.exec(
    readFileSync(join(folder, 'lib', 'pubsub-topic', 'index.d.ts'), 'utf8'),
  )?.[1];
  if (version === undefined) throw new Error('the bindings do not say of which provider version they are');
  const modules = new Set(readdirSync(join(folder, 'lib')));
  const read = (prefix: string, type: string): SchemaBlock => {
    const module = `${prefix}${type.replace(/^google_/, '').replaceAll('_', '-')}`;
    if (!modules.has(module)) throw new Error(`the provider has no ${type}`);
    return bindings(folder, module).root();
  };
  const schemas = (kind: 'resource' | 'data', prefix: string) =>
    Object.fromEntries(usedTypes(kind).map((type) => [type, { version: 0, block: read(prefix, type) }]));
  const file: SchemaFile = {
    provider: 'hashicorp/google',
    version,
    provider_schema: { version: 0, block: bindings(folder, 'provider').root(PROVIDER_ARGUMENTS) },
    resource_schemas: schemas('resource', ''),
    data_source_schemas: schemas('data', 'data-google-'),
  };
  const path = fileURLToPath(new URL('fixtures/google-schema.json', import.meta.url));
  writeFileSync(path, `${JSON.stringify(file, undefined, 1)}\n`);
  process.stdout.write(`${path}: ${Object.keys(file.resource_schemas).length} resource types of google ${version}\n`);
}

const [folder] = process.argv.slice(2);
if (folder === undefined)
  throw new Error('usage: node test/infra/regenerate-schema.ts <folder of @cdktf/provider-google>');
main(folder);
