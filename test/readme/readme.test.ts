import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Graph } from '../../functions/model/graph.ts';
import { testPipeline } from '../../functions/local/testing.ts';
import { plan } from '../../functions/plan/plan.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
let readme: string;

beforeAll(async () => {
  readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  // Inside the package, so that `millrace` is found by its own name.
  folder = await mkdtemp(join(ROOT, 'test/readme/example-'));
});
afterAll(() => rm(folder, { recursive: true }));

it("the README's pipeline gives what its test says", async () => {
  const [pipeline, example] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
  await writeFile(join(folder, 'orders.ts'), pipeline!);
  const { default: orders } = (await import(pathToFileURL(join(folder, 'orders.ts')).href)) as { default: Graph };
  const body = /async \(\) => \{\n([\s\S]*)\n\}\);/.exec(stripTypeScriptTypes(example!))![1]!;
  const run = new Function('testPipeline', 'orders', 'expect', `return (async () => {${body}})();`);
  expect(body).toContain('expect(');
  await run(testPipeline, orders, expect);
});

it("the README's examples satisfy the type checker", async () => {
  const [pipeline, example, lookUp] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
  await writeFile(join(folder, 'orders.ts'), pipeline!);
  await writeFile(join(folder, 'orders.example.ts'), example!);
  await writeFile(join(folder, 'named-payments.ts'), lookUp!);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../../tsconfig.json', include: ['.'] }));
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const { stdout } = await promisify(execFile)(tsc, ['-p', folder]).catch((refused: { stdout: string }) => refused);
  expect(stdout).toBe('');
}, 60_000);

it("the README's look-up is a pipeline, whose client is made when it is first needed", async () => {
  const [, , example] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
  await writeFile(join(folder, 'named-payments.ts'), example!);
  const module = (await import(pathToFileURL(join(folder, 'named-payments.ts')).href)) as { default: Graph };
  expect(plan(module.default).sources.map(({ id, steps }) => [id, steps])).toEqual([['payments', []]]);
  expect(plan(module.default).stages.map(({ steps }) => steps)).toEqual([['with-merchant', 'named', 'out']]);
});

it('every command that the README names exists', async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = [...readme.matchAll(/npm run ([a-z:]+)/g)].map(([, script]) => script!);
  expect(named).toContain('demo');
  for (const script of named) expect(Object.keys(scripts)).toContain(script);
});

it('every file that the README links to exists', async () => {
  for (const [, path] of readme.matchAll(/\]\(([^)]+)\)/g)) {
    await expect(readFile(join(ROOT, path!), 'utf8'), path).resolves.toBeTruthy();
  }
});
