import { describe, expect, it } from 'vitest';
import { newRoot } from '../../../functions/engine/protocol/root.ts';
import type { Cell, CellProgram } from '../../../functions/engine/shard/cell.ts';
import { CellCache } from '../../../functions/engine/shard/cell-cache.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { MAX_TIMESTAMP } from '../../../functions/model/time.ts';

const SHARD = 'totals~0';
const KEY = '"a"';

/** Cells that hold nothing but what they were opened with. */
const program: CellProgram = {
  open: (_, stored): Cell => ({
    process: () => undefined,
    advance: () => undefined,
    hold: () => undefined,
    eventDue: () => MAX_TIMESTAMP,
    processingDue: () => MAX_TIMESTAMP,
    encode: () => stored ?? 'new',
  }),
};

async function writeCell(store: MemoryStore, state: string): Promise<void> {
  const cache = new CellCache(newRoot(SHARD, 1), 'absent', program, store);
  await cache.load([KEY]);
  const { set } = cache.changed(cache.cell(KEY));
  const body = { ...(set!.body as object), state };
  await store.commit({ preconditions: [], sets: [{ ...set!, body }], deletes: [] });
}

describe('the cells of a shard that had never been written', () => {
  it('are made without a read', async () => {
    const store = new MemoryStore();
    const cache = new CellCache(newRoot(SHARD, 1), 'absent', program, store);
    await cache.load([KEY]);
    expect(cache.cell(KEY).cell.encode()).toBe('new');
    expect(store.counts.reads).toBe(0);
  });
  it('are read again from the store once they are there', async () => {
    const store = new MemoryStore();
    const cache = new CellCache(newRoot(SHARD, 1), 'absent', program, store);
    await cache.load([KEY]);
    cache.changed(cache.cell(KEY));
    await writeCell(store, 'committed');
    expect((await cache.reload(KEY)).cell.encode()).toBe('committed');
  });
});
