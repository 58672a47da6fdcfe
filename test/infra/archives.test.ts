import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deploymentManifest } from '../../functions/operate/deployment.ts';
import flights from '../../functions/pipelines/flights.ts';
import { plan } from '../../functions/plan/plan.ts';
import { writeArchives } from '../../infra/scripts/archives.ts';
import { bundled } from '../../infra/scripts/package.ts';
import { type ZipEntry, zip } from '../../infra/scripts/zip.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PIPELINE = join(ROOT, 'functions/pipelines/flights.ts');
const folder = mkdtempSync(join(tmpdir(), 'millrace-bundle-'));
let files: readonly ZipEntry[];

beforeAll(async () => {
  files = await bundled(PIPELINE);
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the archive of a function', () => {
  test('holds the bundle, and is the same bytes wherever and whenever it is built', async () => {
    const elsewhere = process.cwd();
    process.chdir(tmpdir());
    try {
      const again = await bundled(PIPELINE);
      expect(again.map(({ name }) => name)).toEqual(files.map(({ name }) => name));
      const hash = (entries: readonly ZipEntry[]): string => createHash('sha256').update(zip(entries)).digest('hex');
      expect(hash(again)).toBe(hash(files));
    } finally {
      process.chdir(elsewhere);
    }
  }, 60_000);

  test('does not name the folder that it was built in', () => {
    for (const { content } of files) expect(Buffer.from(content).includes(ROOT)).toBe(false);
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
