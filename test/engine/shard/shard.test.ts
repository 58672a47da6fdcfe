import { describe, expect, it } from 'vitest';
import { Shard, type ShardSetting } from '../../../functions/engine/shard/shard.ts';
import { noCounts, type Work } from '../../../functions/engine/shard/work.ts';
import { BundleOutput } from '../../../functions/engine/chain/bundle-output.ts';
import { newRoot } from '../../../functions/engine/protocol/root.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { SeededIds, VirtualClock } from '../../../functions/local/virtual-clock.ts';
import { MIN_TIMESTAMP, type EpochMillis } from '../../../functions/model/time.ts';
import type { Envelope, Tick } from '../../../functions/ports/bus.ts';

const SHARD = 'totals~0';

function settingOf(store: MemoryStore, now = { at: 0 }): ShardSetting {
  const ids = new SeededIds(1);
  const clock = { now: () => now.at as EpochMillis, sleep: async () => undefined };
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

describe('a tick that brings nothing', () => {
  const tick: Tick = {
    kind: 'tick',
    target: SHARD,
    inputWatermark: MIN_TIMESTAMP,
    outputWatermark: MIN_TIMESTAMP,
    processingTime: 0 as EpochMillis,
    settled: {},
    gone: [],
  };
  /** Work that has nothing to do. */
  const idle: Work = {
    open: () => ({
      run: async () => ({
        sets: [],
        deletes: [],
        characters: 0,
        output: new BundleOutput(),
        counts: noCounts(),
        more: false,
      }),
      committed: () => undefined,
    }),
  };
  const due = { ...newRoot(SHARD, 1), processingDue: 5_000 as EpochMillis };

  it('is believed for a while, and then makes the shard look at what another instance has committed', async () => {
    const store = new MemoryStore();
    const now = { at: 0 };
    const shard = new Shard(SHARD, settingOf(store, now), idle);
    await shard.offer(tick);
    await store.commit({ preconditions: [], sets: [{ collection: 'roots', id: SHARD, body: due }], deletes: [] });
    const commits: number[] = [];
    for (now.at of [9_999, 10_000]) {
      await shard.offer(tick);
      commits.push(store.counts.commits);
    }
    expect(commits).toEqual([1, 2]);
  });
  it('costs one read for each such look', async () => {
    const store = new MemoryStore();
    const now = { at: 0 };
    const shard = new Shard(SHARD, settingOf(store, now), idle);
    for (now.at of [0, 1_000, 10_000, 11_000, 20_000]) await shard.offer(tick);
    expect(store.counts.reads).toBe(3);
  });
});

describe('a shard of an older deployment', () => {
  it('takes nothing from the moment when a newer one has committed', async () => {
    const store = new MemoryStore();
    const newer = { ...newRoot(SHARD, 2), topology: 2 };
    await store.commit({ preconditions: [], sets: [{ collection: 'roots', id: SHARD, body: newer }], deletes: [] });
    const work: Work = { open: () => expect.unreachable('nothing is opened') };
    const offered = new Shard(SHARD, settingOf(store), work).offer(envelope);
    await expect(offered).rejects.toMatchObject({ code: 'OUTDATED' });
    expect(store.counts).toMatchObject({ reads: 1, commits: 1 });
  });
});
