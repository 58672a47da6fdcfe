import { describe, expect, it } from 'vitest';
import { Shard, type ShardSetting } from '../../../functions/engine/shard/shard.ts';
import { noCounts, type Work } from '../../../functions/engine/shard/work.ts';
import { BundleOutput } from '../../../functions/engine/chain/bundle-output.ts';
import { newRoot } from '../../../functions/engine/protocol/root.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { SeededIds, VirtualClock } from '../../../functions/local/virtual-clock.ts';
import { MIN_TIMESTAMP, type EpochMillis } from '../../../functions/model/time.ts';
import type { Envelope } from '../../../functions/ports/bus.ts';

const SHARD = 'totals~0';

function settingOf(store: MemoryStore): ShardSetting {
  const ids = new SeededIds(1);
  const clock = { now: () => 0 as EpochMillis, sleep: async () => undefined };
  const known = { pipeline: 'test', topology: 1, inputWatermarkOf: () => MIN_TIMESTAMP };
  return { ...known, store, bus: new MemoryBus(ids), clock: Object.assign(new VirtualClock(), clock), ids };
}

const envelope: Envelope = {
  kind: 'envelope',
  target: SHARD,
  sender: 'words~0',
  number: 1,
  earliest: 0 as EpochMillis,
  count: 1,
  inputWatermark: MIN_TIMESTAMP,
  body: '[]',
};

describe('a bundle that fails', () => {
  /** Work that fails once, after `meanwhile` has happened. */
  const failingOnce = (meanwhile: () => Promise<unknown>): { work: Work; runs: () => number } => {
    let runs = 0;
    const run = async (draft: { take(sender: string, number: number): void }) => {
      runs += 1;
      if (runs === 1) {
        await meanwhile();
        throw new Error('cells that do not fit the root');
      }
      draft.take('words~0', 1);
      return { sets: [], deletes: [], characters: 0, output: new BundleOutput(), counts: noCounts(), more: false };
    };
    return { work: { open: () => ({ run, committed: () => undefined }) }, runs: () => runs };
  };
  const sender = { collection: 'roots', id: 'words~0', body: newRoot('words~0', 1) } as const;
  const own = { collection: 'roots', id: SHARD, body: newRoot(SHARD, 1) } as const;

  it('is run again when another instance has committed meanwhile: it has read a mixture', async () => {
    const store = new MemoryStore();
    await store.commit({ preconditions: [], sets: [sender], deletes: [] });
    const { work, runs } = failingOnce(() => store.commit({ preconditions: [], sets: [own], deletes: [] }));
    await new Shard(SHARD, settingOf(store), work).offer(envelope);
    expect(runs()).toBe(2);
  });
  it('fails when nobody has', async () => {
    const store = new MemoryStore();
    await store.commit({ preconditions: [], sets: [sender], deletes: [] });
    const { work } = failingOnce(async () => undefined);
    await expect(new Shard(SHARD, settingOf(store), work).offer(envelope)).rejects.toThrow('do not fit the root');
  });
});
