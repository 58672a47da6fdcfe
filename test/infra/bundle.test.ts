import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deploymentManifest } from '../../functions/operate/deployment.ts';
import flights from '../../functions/pipelines/flights.ts';
import { plan } from '../../functions/plan/plan.ts';
import { writeArchives } from '../../infra/scripts/archives.ts';
import { bundle } from '../../infra/scripts/bundle.ts';
import type { ZipEntry } from '../../infra/scripts/zip.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PIPELINE = join(ROOT, 'functions/pipelines/flights.ts');
const folder = mkdtempSync(join(tmpdir(), 'millrace-bundle-'));
let files: readonly ZipEntry[];

beforeAll(async () => {
  files = await bundle(PIPELINE);
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What is loaded as soon as a file is: it and what it imports at once, not what it imports when asked. */
function loadedWith(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  const text = Buffer.from(files.find((file) => file.name === name)!.content).toString();
  for (const [, path] of text.matchAll(/^(?:import|export)\s[^;]*?from "(\.[^"]+)";|^import "(\.[^"]+)";/gm))
    if (path !== undefined) loadedWith(join(dirname(name), path), seen);
  return seen;
}

describe('the bundle of a pipeline', () => {
  test('is the same bytes each time it is built', async () => {
    const hashes = (built: readonly ZipEntry[]): string[] =>
      built.map(({ name, content }) => `${name} ${createHash('sha256').update(content).digest('hex')}`);
    expect(hashes(await bundle(PIPELINE))).toEqual(hashes(files));
  }, 60_000);

  test('does not name the folder that it was built in', () => {
    for (const { content } of files) expect(Buffer.from(content).includes(ROOT)).toBe(false);
  });

  test('holds the Google clients in files that are loaded when they are asked for', () => {
    const text = (name: string): string => Buffer.from(files.find((file) => file.name === name)!.content).toString();
    const atOnce = [...loadedWith('index.js')].map(text).join('\n');
    const all = files.map(({ name }) => text(name)).join('\n');
    // Something that stands in each client alone.
    const marks = ['auth/bigquery', 'firestore.googleapis.com', 'google.pubsub.v1.Publisher'];
    expect(marks.filter((mark) => all.includes(mark))).toEqual(marks);
    expect(marks.filter((mark) => atOnce.includes(mark))).toEqual([]);
  });

  test('asks for functions-framework alone, in one version', () => {
    const { dependencies, type, main } = JSON.parse(
      Buffer.from(files.find(({ name }) => name === 'package.json')!.content).toString(),
    );
    expect({ type, main }).toEqual({ type: 'module', main: 'index.js' });
    expect(Object.keys(dependencies)).toEqual(['@google-cloud/functions-framework']);
    expect(dependencies['@google-cloud/functions-framework']).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

describe('archives', () => {
  test('are one a function, named by function and listed with their hash', async () => {
    const manifest = deploymentManifest(plan(flights));
    const archives = await writeArchives(
      manifest,
      [{ name: 'index.js', content: Buffer.from('1') }],
      join(folder, 'dist'),
    );
    expect(Object.keys(archives)).toEqual(['ingest--flights', 'delays--0', 'departures--0', 'sweep']);
    expect(new Set(Object.values(archives).map(({ sha256 }) => sha256)).size).toBe(1);
    const again = await writeArchives(
      manifest,
      [{ name: 'index.js', content: Buffer.from('2') }],
      join(folder, 'dist'),
    );
    expect(again['sweep']!.sha256).not.toBe(archives['sweep']!.sha256);
  });
});

describe('the bundle under functions-framework, as a function of the manifest', () => {
  let server: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const source = join(folder, 'source');
    for (const { name, content } of files) {
      mkdirSync(dirname(join(source, name)), { recursive: true });
      writeFileSync(join(source, name), content);
    }
    mkdirSync(join(source, 'node_modules'));
    symlinkSync(join(ROOT, 'node_modules/@google-cloud'), join(source, 'node_modules/@google-cloud'));
    const { functions, entryPoint, projectVariables } = deploymentManifest(plan(flights));
    const { environment } = functions.find(({ id }) => id === 'delays--0')!;
    const port = await freePort();
    const project = Object.fromEntries(projectVariables.map((name) => [name, 'value']));
    server = spawn(
      process.execPath,
      [join(ROOT, 'node_modules/@google-cloud/functions-framework/build/src/main.js'), `--target=${entryPoint}`],
      {
        cwd: source,
        env: { ...project, MILLRACE_PUSH_ACCOUNTS: 'push@p', ...environment, K_SERVICE: 'x', PORT: String(port) },
      },
    );
    url = `http://127.0.0.1:${port}`;
    await waitFor(server, 'Serving function');
  }, 60_000);

  afterAll(async () => {
    server.kill('SIGKILL');
    await once(server, 'exit');
  });

  test('refuses whoever brings no token, and knows no other path', async () => {
    const post = async (path: string): Promise<number> =>
      (await fetch(`${url}${path}`, { method: 'POST', body: '{}' })).status;
    expect(await post('/stages/delays')).toBe(401);
    expect(await post('/stages/departures')).toBe(404);
    expect(await post('/sweep')).toBe(404);
    expect(await post('/status')).toBe(404);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return (address as { port: number }).port;
}

async function waitFor(child: ChildProcess, text: string): Promise<void> {
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      printed += chunk.toString();
      if (printed.includes(text)) resolve();
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.on('exit', () => reject(new Error(`the function did not start: ${printed}`)));
  });
}
