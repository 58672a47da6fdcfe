import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MemoryStore } from '../../functions/local/memory-store.ts';
import { MemoryWarehouse } from '../../functions/local/memory-warehouse.ts';
import { isSnapshot, loadSnapshot, saveSnapshot } from '../../functions/local/snapshot.ts';
import { ConfigurationError } from '../../functions/model/errors.ts';
import type { EpochMillis } from '../../functions/model/time.ts';
import type { TableSpec } from '../../functions/ports/warehouse.ts';

const disk = vi.hoisted(() => ({
  /** How many changes of the disk are made until the process is killed. */
  left: Number.POSITIVE_INFINITY,
}));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const counted =
    <A extends unknown[], R>(change: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      disk.left-- > 0 ? change(...args) : Promise.reject(new Error('killed'));
  return { ...real, rename: counted(real.rename), writeFile: counted(real.writeFile) };
});

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'millrace-snapshot-'));
});
afterEach(() => rm(directory, { recursive: true }));

const SPEC: TableSpec = {
  table: 'sales',
  columns: [{ name: 'n', type: 'INT64', nullable: false }],
  key: ['n'],
  clusterBy: [],
};

/** A save of that number, all of whose parts bear it. */
async function save(number: number): Promise<void> {
  const store = new MemoryStore();
  await store.commit({ preconditions: [], sets: [{ collection: 'pipeline', id: 'd', body: number }], deletes: [] });
  const warehouse = new MemoryWarehouse();
  warehouse.restore(SPEC, [{ n: number }]);
  await saveSnapshot(directory, { note: { form: 1, pipeline: 'sales', at: number as EpochMillis }, store, warehouse });
}

async function loaded(): Promise<unknown[]> {
  const { note, store, warehouse } = await loadSnapshot(directory);
  return [note.at, (await store.get('pipeline', ['d']))[0]?.body, ...[...warehouse.rows('sales')].map(({ n }) => n)];
}

it.each([0, 1, 2, 3, 4])(
  'a save that is killed after %i changes of the disk is there as a whole, or not at all',
  async (left) => {
    await save(1);
    disk.left = left;
    await expect(save(2)).rejects.toThrow('killed');
    disk.left = Number.POSITIVE_INFINITY;
    const now = left < 2 ? 1 : 2;
    expect(await loaded()).toEqual([now, now, now]);
    await save(3);
    expect(await loaded()).toEqual([3, 3, 3]);
  },
);

it('a first save that is killed before it is whole is none', async () => {
  disk.left = 1;
  await expect(save(1)).rejects.toThrow('killed');
  disk.left = Number.POSITIVE_INFINITY;
  expect(isSnapshot(directory)).toBe(false);
  disk.left = 3;
  await expect(save(2)).rejects.toThrow('killed');
  disk.left = Number.POSITIVE_INFINITY;
  expect(isSnapshot(directory)).toBe(true);
  expect(await loaded()).toEqual([2, 2, 2]);
});

it.each([
  ['documents.jsonl', '{"collection":', /cannot be read \(.*JSON.*\); name a copy of it, or run the pipeline again/],
  ['snapshot.json', '{', /cannot be read \(.*JSON.*\)/],
  ['tables.jsonl', undefined, /cannot be read \(ENOENT.*tables\.jsonl.*\)/],
])('one whose %s is damaged is refused in a sentence', async (file, text, message) => {
  await save(1);
  if (text === undefined) await rm(join(directory, file));
  else await writeFile(join(directory, file), text);
  await expect(loadSnapshot(directory)).rejects.toThrow(ConfigurationError);
  await expect(loadSnapshot(directory)).rejects.toThrow(message);
});
