/** The variables that code writes and terraform reads are the same, field by field. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deploymentManifest } from '../../functions/operate/deployment.ts';
import flights from '../../functions/pipelines/flights.ts';
import { MANIFEST_VARIABLES, PROJECT_VARIABLES } from '../../functions/plan/environment.ts';
import { plan } from '../../functions/plan/plan.ts';
import { tfvars } from '../../functions/plan/tfvars.ts';
import { INFRA, moduleBlocks } from './hcl/files.ts';
import { type HclType, parseType } from './hcl/types.ts';

const declared = parseType(
  moduleBlocks(INFRA).find(({ type, labels }) => type === 'variable' && labels[0] === 'manifest')!.arguments['type']!
    .text,
);

/** Where a value has another form than a type. */
function differences(path: string, value: unknown, type: HclType): string[] {
  if (type.kind === 'optional') return value === null ? [] : differences(path, value, type.of);
  if (type.kind === 'list')
    return (value as unknown[]).flatMap((item, i) => differences(`${path}[${i}]`, item, type.of));
  if (type.kind === 'map')
    return Object.entries(value as object).flatMap(([key, item]) => differences(`${path}.${key}`, item, type.of));
  if (type.kind === 'object') {
    const fields = Object.keys(value as object);
    const missing = Object.keys(type.fields).filter((field) => !fields.includes(field));
    const unknown = fields.filter((field) => !(field in type.fields));
    return [
      ...missing.map((field) => `${path}.${field} is declared and never written`),
      ...unknown.map((field) => `${path}.${field} is written and not declared`),
      ...fields
        .filter((field) => field in type.fields)
        .flatMap((field) =>
          differences(`${path}.${field}`, (value as Record<string, unknown>)[field], type.fields[field]!),
        ),
    ];
  }
  return typeof value === type.kind || (type.kind === 'bool' && typeof value === 'boolean')
    ? []
    : [`${path} is a ${typeof value}, declared as ${type.kind}`];
}

describe('the variable manifest', () => {
  const written = tfvars(deploymentManifest(plan(flights))).manifest;

  test('has exactly the fields that the code writes', () => {
    expect(differences('manifest', JSON.parse(JSON.stringify(written)), declared)).toEqual([]);
  });

  test('a field that only one side knows is found', () => {
    const { sweep, ...without } = JSON.parse(JSON.stringify(written));
    expect(differences('manifest', { ...without, sweeep: sweep }, declared)).toEqual([
      'manifest.sweep is declared and never written',
      'manifest.sweeep is written and not declared',
    ]);
  });
});

describe('environment variables', () => {
  const functions = readFileSync(join(INFRA, 'functions.tf'), 'utf8');

  test('terraform gives each function what the project alone knows, and nothing else', () => {
    const block = /merge\(each\.value\.environment, \{([^}]*\{[^}]*\}[^}]*|[^}]*)\}\)/.exec(functions)![1]!;
    const names = [...block.matchAll(/^\s+([A-Z_]+)\s+=/gm)].map(([, name]) => name);
    expect(names.sort()).toEqual(Object.values(PROJECT_VARIABLES).sort());
  });

  test('the manifest gives each function the rest', () => {
    const { functions: all } = deploymentManifest(plan(flights));
    const { slot, ...always } = MANIFEST_VARIABLES;
    for (const { role, environment } of all) {
      const wanted = role === 'stage' ? [...Object.values(always), slot] : Object.values(always);
      expect(Object.keys(environment).sort()).toEqual(wanted.sort());
    }
  });
});
