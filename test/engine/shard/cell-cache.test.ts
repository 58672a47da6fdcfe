import { describe, expect, it } from 'vitest';
import { newRoot } from '../../../functions/engine/protocol/root.ts';
import type { Cell, CellProgram } from '../../../functions/engine/shard/cell.ts';
import { type CellBody, CellCache } from '../../../functions/engine/shard/cell-cache.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { type EpochMillis, MAX_TIMESTAMP } from '../../../functions/model/time.ts';
import { CELLS_BY_EVENT_DUE } from '../../../functions/ports/queries.ts';

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

describe('what is kept in memory', () => {
  /** Cells that hold a text. */
  class Text implements Cell {
    text: string | undefined;

    constructor(text: string | undefined) {
      this.text = text;
    }

    process(): void {}

    advance(): void {}

    hold(): undefined {}

    eventDue = () => MAX_TIMESTAMP;
    processingDue = () => MAX_TIMESTAMP;
    encode = () => this.text;
  }

  /** Writes a text for each key, and gives how to read them again. */
  async function written(texts: ReadonlyMap<string, string | undefined>) {
    const store = new MemoryStore();
    const texted: CellProgram = { open: (_, stored) => new Text(stored) };
    const cache = new CellCache(newRoot(SHARD, 1), 'absent', texted, store);
    await cache.load(texts.keys());
    for (const [key, text] of texts) {
      const cached = cache.cell(key);
      (cached.cell as Text).text = text;
      const { set } = cache.changed(cached);
      if (set !== undefined) await store.commit({ preconditions: [], sets: [set], deletes: [] });
    }
    return { cache, store };
  }

  const texts = (count: number, characters: number) =>
    new Map(
      Array.from({ length: count }, (_, i) => [JSON.stringify(String(i).padStart(8, '0')), 'x'.repeat(characters)]),
    );

  it('is all there is while that is little', async () => {
    const { cache } = await written(texts(100, 1_000));
    cache.trim();
    expect(cache.kept).toEqual({ cells: 100, characters: 101_000 });
  });

  it('is half of the bound once the texts are longer than it, those left out that came first', async () => {
    const { cache, store } = await written(texts(90, 190_000));
    cache.trim();
    expect(cache.kept).toEqual({ cells: 42, characters: 42 * 190_010 });
    const before = store.counts.reads;
    await cache.load(['"00000089"']);
    expect(store.counts.reads).toBe(before);
    await cache.load(['"00000000"']);
    expect(store.counts.reads).toBe(before + 1);
    expect(cache.cell('"00000000"').cell.encode()).toHaveLength(190_000);
  });

  it('counts a cell as it was written last, and one that is gone no more', async () => {
    const { cache } = await written(texts(3, 1_000));
    const [first, second] = ['"00000000"', '"00000001"'].map((key) => cache.cell(key));
    (first!.cell as Text).text = 'short';
    cache.changed(first!);
    (second!.cell as Text).text = undefined;
    cache.changed(second!);
    expect(cache.kept).toEqual({ cells: 2, characters: 5 + 10 + 1_010 });
    await cache.reload('"00000002"');
    expect(cache.kept).toEqual({ cells: 2, characters: 5 + 10 + 1_010 });
  });
});

describe('what is due in a shard that has more of it than one page of the index', () => {
  /** A cell that is due at the instant that is its state. */
  class Due implements Cell {
    due: number;

    constructor(due: number) {
      this.due = due;
    }

    process(): void {}
    advance(): void {}
    hold(): undefined {}
    eventDue = () => this.due as EpochMillis;
    processingDue = () => MAX_TIMESTAMP;
    encode = () => String(this.due);
  }

  it.each([2, MAX_TIMESTAMP])(
    'is all found by who reads it first, though this bundle has moved a cell to %i',
    async (to) => {
      const store = new MemoryStore();
      const program: CellProgram = { open: (_, stored) => new Due(Number(stored ?? 1)) };
      const keys = Array.from({ length: 600 }, (_, i) => JSON.stringify(`key ${i}`));
      const writer = new CellCache(newRoot(SHARD, 1), 'absent', program, store);
      await writer.load(keys);
      const sets = keys.map((key) => writer.changed(writer.cell(key)).set!);
      await store.commit({ preconditions: [], sets, deletes: [] });
      const root = { ...newRoot(SHARD, 1), eventDue: 1 as EpochMillis };
      const cache = new CellCache(root, 1, program, store);
      const [moved] = (await store.query(CELLS_BY_EVENT_DUE, { shard: SHARD }, { limit: 1 })).documents;
      const { key } = moved!.body as CellBody;
      await cache.load([key]);
      const cell = cache.cell(key);
      (cell.cell as Due).due = to;
      await cache.findDue('event', 1 as EpochMillis);
      const { set } = cache.changed(cell);
      await store.commit({ preconditions: [], sets: [set!], deletes: [] });
      const fired = new Set<string>();
      // As long as the root would say that something is due.
      while (cache.eventDue.next() <= 1) {
        await cache.findDue('event', 1 as EpochMillis);
        for (const due of cache.eventDue.take(1 as EpochMillis, 400)) {
          fired.add(due);
          (cache.cell(due).cell as Due).due = MAX_TIMESTAMP;
          const change = cache.changed(cache.cell(due));
          await store.commit({ preconditions: [], sets: [change.set!], deletes: [] });
        }
      }
      expect(fired.size).toBe(599);
    },
  );
});
