/** What is deployed: built once, looked at, and started under functions-framework without any cloud. */
import { spawn } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../emulators/launch-probe.ts';
import { type Bundle, bundlePipeline } from '../../../functions/cloud/bundle/bundle.ts';
import { warmBundle } from '../../../functions/cloud/bundle/compile-cache.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const OUT = at(`../../../dist/test-bundle-${process.pid}`);
const FRAMEWORK = join(dirname(createRequire(import.meta.url).resolve('@google-cloud/functions-framework')), 'main.js');
const ENVIRONMENT = {
  MILLRACE_PIPELINE: 'flights',
  MILLRACE_SERVES: 'stage:delays',
  MILLRACE_SLOT: '0',
  MILLRACE_SHARDS: '4',
  MILLRACE_SLOTS: '1',
  MILLRACE_TOPOLOGY: '1',
  GOOGLE_CLOUD_PROJECT: 'demo-bundle',
  MILLRACE_IDENTITY: 'none',
  NODE_ENV: 'production',
};
const bundles = new Map<'cloud' | 'local', Bundle>();

beforeAll(async () => {
  for (const flavour of ['cloud', 'local'] as const) {
    const module = at('../../../functions/pipelines/flights.ts');
    bundles.set(flavour, await bundlePipeline({ module, outDir: join(OUT, flavour), flavour }));
  }
}, 60_000);
afterAll(() => rm(OUT, { recursive: true, force: true }));

function start(flavour: 'cloud' | 'local', port: number, more: Readonly<Record<string, string>> = {}) {
  const { main } = bundles.get(flavour)!;
  const child = spawn(process.execPath, [FRAMEWORK, '--target=millrace', `--source=${main}`, `--port=${port}`], {
    env: { PATH: process.env['PATH'], ...ENVIRONMENT, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, ended, output: () => output };
}

describe('a bundle', () => {
  it('starts under functions-framework and answers, and ends on SIGTERM with exit code 0', async () => {
    const port = await freePort();
    const { child, ended, output } = start('local', port);
    try {
      let answer: Response | undefined;
      while (answer === undefined && child.exitCode === null) {
        answer = await fetch(`http://127.0.0.1:${port}/status`).catch(() => undefined);
        if (answer === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(output()).toBe('');
      expect(await answer?.json()).toEqual({ stages: {}, store: { reads: 0, writes: 0, deletes: 0, commits: 0 } });
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  }, 60_000);

  it('for a cloud cannot be told to let anybody in', async () => {
    const { ended, output } = start('cloud', await freePort());
    expect(await ended).toBe(1);
    expect(output()).toContain("MILLRACE_IDENTITY: expected 'oidc' or 'iam' in a bundle for a cloud, got 'none'");
  }, 60_000);

  it('for a cloud takes nothing from a caller without a token, or with something else', async () => {
    const port = await freePort();
    const identity = {
      MILLRACE_IDENTITY: 'oidc',
      MILLRACE_PUSH_AUDIENCE: 'https://delays.example',
      MILLRACE_PUSH_ACCOUNTS: 'push@p.iam.gserviceaccount.com',
    };
    const { child } = start('cloud', port, identity);
    const post = (path: string, headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: '{}', headers }).catch(() => undefined);
    try {
      let answer = await post('/stages/delays');
      while (answer === undefined && child.exitCode === null) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        answer = await post('/stages/delays');
      }
      expect(answer?.status).toBe(401);
      expect((await post('/stages/delays', { authorization: 'Basic abc' }))?.status).toBe(401);
      // What a local run shows is not there at all.
      expect((await post('/status'))?.status).toBe(404);
    } finally {
      child.kill('SIGKILL');
    }
  }, 60_000);

  it('is compiled when it is built, as the platform does it, and starts with that', async () => {
    const { main } = bundles.get('local')!;
    await warmBundle(dirname(main));
    const folders = await readdir(join(dirname(main), 'compile-cache'));
    expect(folders).toHaveLength(1);
    const kept = await readdir(join(dirname(main), 'compile-cache', folders[0]!));
    // The entry, and each client that is read when it is first needed.
    expect(kept.length).toBeGreaterThan(5);
    const manifest = JSON.parse(await readFile(join(dirname(main), 'package.json'), 'utf8'));
    expect(manifest.scripts).toEqual({ 'gcp-build': 'node warm.js' });
  }, 60_000);

  it('keeps the clients out of what is read at the start', async () => {
    const { main } = bundles.get('cloud')!;
    const read = new Set<string>();
    const follow = async (file: string): Promise<void> => {
      if (read.has(file)) return;
      read.add(file);
      const text = await readFile(file, 'utf8');
      for (const [, name] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
        await follow(join(dirname(main), name!));
    };
    await follow(join(dirname(main), 'function.js'));
    expect(read.size).toBeGreaterThan(1);
    const texts = await Promise.all([...read].map((file) => readFile(file, 'utf8')));
    for (const client of ['class FirestoreClient', 'class PublisherClient', 'class GoogleAuth', 'class BigQuery '])
      expect(texts.filter((text) => text.includes(client))).toEqual([]);
  });
});

it('no source of it imports a package dynamically: esbuild would give that without its names', async () => {
  const folder = at('../../../functions/');
  const sources = bundles.get('cloud')!.inputs.filter((file) => file.startsWith(folder));
  expect(sources.length).toBeGreaterThan(50);
  const found: string[] = [];
  for (const file of sources) {
    const text = await readFile(file, 'utf8');
    for (const [match] of text.matchAll(/\bimport\(\s*['"](?!\.)[^'"]+['"]\s*\)/g)) found.push(`${file}: ${match}`);
  }
  expect(found).toEqual([]);
});
