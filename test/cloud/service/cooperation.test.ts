import { describe, expect, it } from 'vitest';
import { Cooperation } from '../../../functions/cloud/service/cooperation.ts';
import { Log } from '../../../functions/cloud/service/log.ts';
import type { Sweep, SweepSummary } from '../../../functions/cloud/service/sweep-host.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { VirtualClock } from '../../../functions/local/virtual-clock.ts';
import { epochMillis } from '../../../functions/model/time.ts';

const DONE: SweepSummary = { roots: 0, ticks: 0, republished: 0, retired: 0, watermarks: {} };

function world() {
  return { store: new MemoryStore(), clock: new VirtualClock(epochMillis(1_000_000)) };
}

function instance({ store, clock }: ReturnType<typeof world>, every = 5_000, failure?: Error) {
  const did = { sweeps: 0, learned: 0 };
  const lines: string[] = [];
  const sweep: Sweep = {
    learn: async () => {
      did.learned += 1;
    },
    run: async () => {
      did.sweeps += 1;
      if (failure !== undefined) throw failure;
      return DONE;
    },
  };
  const log = new Log('p', 'my-project', (line) => lines.push(line));
  return { cooperation: new Cooperation({ store, sweep, clock, log, every }), did, lines };
}

describe('busy instances', () => {
  it('sweep once in the time given, however many requests come', async () => {
    const there = world();
    const { cooperation, did } = instance(there);
    for (let i = 0; i < 100; i++) await cooperation.whileBusy();
    expect(did.sweeps).toBe(1);
    there.clock.advanceTo(epochMillis(1_004_999));
    await cooperation.whileBusy();
    expect(did.sweeps).toBe(1);
    there.clock.advanceTo(epochMillis(1_005_000));
    await cooperation.whileBusy();
    expect(did.sweeps).toBe(2);
  });

  it('share the work: of eight that look at once one sweeps', async () => {
    const there = world();
    const all = Array.from({ length: 8 }, () => instance(there));
    await Promise.all(all.map(({ cooperation }) => cooperation.whileBusy()));
    expect(all.reduce((sum, { did }) => sum + did.sweeps, 0)).toBe(1);
    expect(all.flatMap(({ lines }) => lines)).toEqual([]);
  });

  it('take up what another has published when it was its turn', async () => {
    const there = world();
    const first = instance(there);
    const second = instance(there);
    await first.cooperation.whileBusy();
    await second.cooperation.whileBusy();
    expect([first.did.sweeps, second.did.sweeps, second.did.learned]).toEqual([1, 0, 1]);
  });

  it('do not fail a request when a sweep fails, and say so', async () => {
    const { cooperation, did, lines } = instance(world(), 5_000, new Error('no roots today'));
    await cooperation.whileBusy();
    expect(did.sweeps).toBe(1);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { severity: 'WARNING', message: 'a sweep beside other work failed: no roots today' },
    ]);
  });

  it('leave it to the scheduler when told so, and touch nothing', async () => {
    const there = world();
    const { cooperation, did } = instance(there, 0);
    await cooperation.whileBusy();
    expect([did.sweeps, there.store.counts.reads, there.store.counts.writes]).toEqual([0, 0, 0]);
  });
});
