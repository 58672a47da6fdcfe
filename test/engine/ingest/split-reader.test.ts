import { describe, expect, it } from 'vitest';
import { chainOf } from '../../../functions/engine/chain/stage-chain.ts';
import type { DeadLetter } from '../../../functions/engine/dead-letter.ts';
import { UNGROUPED } from '../../../functions/engine/element.ts';
import { type ReadRecord, SplitReader } from '../../../functions/engine/ingest/split-reader.ts';
import type { ShardSetting } from '../../../functions/engine/shard/shard.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { SeededIds } from '../../../functions/local/virtual-clock.ts';
import { RetryableError } from '../../../functions/model/errors.ts';
import { count } from '../../../functions/model/combine.ts';
import { pipeline } from '../../../functions/model/pipeline.ts';
import { type EpochMillis, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import { GLOBAL_WINDOW } from '../../../functions/model/windows.ts';
import { plan } from '../../../functions/plan/plan.ts';
import type { Batch, CommitResult } from '../../../functions/ports/store.ts';

const NOW = 1_000_000_000 as EpochMillis;

/** A store that applies the next commit and does not say so, then lets the next reads fail. */
class SilentStore extends MemoryStore {
  failsToRead = 0;
  isSilent = false;

  override async get(...[collection, ids]: Parameters<MemoryStore['get']>): ReturnType<MemoryStore['get']> {
    if (this.failsToRead > 0) {
      this.failsToRead -= 1;
      throw new RetryableError('the read failed');
    }
    return super.get(collection, ids);
  }

  override async commit(batch: Batch): Promise<CommitResult> {
    const result = await super.commit(batch);
    if (!this.isSilent) return result;
    this.isSilent = false;
    this.failsToRead = 2;
    throw new RetryableError('the answer was lost');
  }
}

/** Readers of one split, each as its process would have it. */
function readers(number: number, also: Partial<ShardSetting> = {}): SplitReader[] {
  const graph = pipeline('lines', (p) => {
    p.readFile('lines', { schema: { parse: String } })
      .keyBy('by-line', (line) => line)
      .combinePerKey('counts', count<string>());
  });
  const planned = plan(graph, { shards: 1 });
  const ids = new SeededIds(1);
  const setting: ShardSetting = {
    pipeline: 'lines',
    store: new MemoryStore({ strict: true }),
    bus: new MemoryBus(ids),
    clock: { now: () => NOW, sleep: async () => {} },
    ids,
    topology: 1,
    inputWatermarkOf: () => MIN_TIMESTAMP,
    ...also,
  };
  const source = planned.sources[0]!;
  return Array.from(
    { length: number },
    () => new SplitReader(source, '0', setting, chainOf(planned, source, setting.inputWatermarkOf)),
  );
}

const RECORD: ReadRecord = { raw: { id: '0', value: 'x', arrival: NOW }, error: new Error('unreadable') };

describe('a split that two read at once', () => {
  it('is over once one of them has found its end, whatever the other writes', async () => {
    const [a, b] = readers(2);
    await a!.open();
    await b!.open();
    await a!.commit([RECORD], false);
    await a!.commit([], true);
    await expect(b!.commit([], false)).rejects.toThrow('split ingest~lines~0 stands at 1, not 0');
    await b!.commit([], false);
    expect(b!.state).toMatchObject({ position: 1, ended: true, watermark: MAX_TIMESTAMP });
  });

  it('is read on by one only', async () => {
    const [a, b] = readers(2);
    await a!.open();
    await b!.open();
    await a!.commit([RECORD], false);
    await expect(b!.commit([RECORD], false)).rejects.toMatchObject({ code: 'SPLIT_MOVED_ON' });
    expect(a!.state).toMatchObject({ position: 1, ended: false });
  });
});

describe('a split whose reader does not learn that its commit was stored', () => {
  const read = (line: string): ReadRecord => ({
    raw: { id: line, value: line, arrival: NOW },
    decoded: {
      element: { value: line, timestamp: NOW, windows: [GLOBAL_WINDOW], pane: UNGROUPED, id: undefined },
      advances: NOW,
      arrival: NOW,
    },
  });

  it('is read on by that reader, which knows its own commit, and sends what it has made', async () => {
    const store = new SilentStore({ strict: true });
    const bus = new MemoryBus(new SeededIds(1));
    const letters: string[] = [];
    const deadLettered = (found: readonly DeadLetter[]) => letters.push(...found.map(({ id }) => id));
    const [reader, other] = readers(2, { store, bus, deadLettered });
    await reader!.open();
    await other!.open();
    store.isSilent = true;
    await expect(reader!.commit([RECORD, read('a'), read('b')], false)).resolves.toBe(3);
    expect(letters).toEqual(['lines~0']);
    expect(bus.take()).toMatchObject([{ kind: 'envelope', sender: 'ingest~lines~0', number: 1, count: 2 }]);
    await reader!.commit([read('c')], true);
    expect(reader!.state).toMatchObject({ position: 4, ended: true });
    await expect(other!.commit([RECORD], false)).rejects.toMatchObject({ code: 'SPLIT_MOVED_ON' });
  });

  it('takes what somebody else has committed meanwhile for that', async () => {
    const store = new SilentStore({ strict: true });
    const [reader, other] = readers(2, { store });
    await reader!.open();
    await other!.open();
    await other!.commit([RECORD], false);
    store.failsToRead = 2;
    await expect(reader!.commit([RECORD], false)).rejects.toMatchObject({ code: 'SPLIT_MOVED_ON' });
  });
});
