import { describe, expect, it } from 'vitest';
import { chainOf } from '../../../functions/engine/chain/stage-chain.ts';
import { type ReadRecord, SplitReader } from '../../../functions/engine/ingest/split-reader.ts';
import type { ShardSetting } from '../../../functions/engine/shard/shard.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { SeededIds } from '../../../functions/local/virtual-clock.ts';
import { count } from '../../../functions/model/combine.ts';
import { pipeline } from '../../../functions/model/pipeline.ts';
import { type EpochMillis, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import { plan } from '../../../functions/plan/plan.ts';

const NOW = 1_000_000_000 as EpochMillis;

/** Readers of one split, each as its process would have it. */
function readers(number: number): SplitReader[] {
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
