/** What a deployed pipeline reads and writes, as the adapter counts it, and what that costs. */
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { DEFAULT_TUNING } from '../../functions/cloud/configuration.ts';
import type { Millis } from '../../functions/model/time.ts';
import {
  firestoreDollars,
  functionDollars,
  PRICES,
  pubSubDollars,
  SECONDS_A_MONTH,
} from '../../functions/plan/prices.ts';
import type { StoreCounts } from '../../functions/ports/store.ts';
import { totals } from '../local/totals-pipeline.ts';
import {
  acknowledged,
  counted,
  type Deployed,
  deploy,
  documentsIn,
  publish,
  QUICK,
  underWay,
  until,
  useEmulators,
} from './deployed.ts';
import { readings } from './readings.ts';

const SOURCE = 'millrace-totals--ingest--readings';
const module = fileURLToPath(new URL('./fixtures/totals.ts', import.meta.url));
const NEVER = 3_600_000;

useEmulators();
let cloud: Deployed | undefined;
afterEach(async () => {
  await cloud?.stop();
  cloud = undefined;
});

async function storeCounts(deployed: Deployed, id: string): Promise<StoreCounts> {
  return (await deployed.functions.get(id)![0]!.status()).store;
}

function difference(after: StoreCounts, before: StoreCounts): StoreCounts {
  return {
    reads: after.reads - before.reads,
    writes: after.writes - before.writes,
    deletes: after.deletes - before.deletes,
    commits: after.commits - before.commits,
  };
}

it('an idle pipeline costs less than a dollar a month', async () => {
  cloud = await deploy({
    graph: totals,
    module,
    sweepEveryMillis: NEVER,
    tuning: { ...QUICK, sweepEvery: 0 as Millis },
  });
  const there = cloud;
  const input = readings(1, 200);
  await publish(there, 'readings', input);
  await until(
    'all were taken',
    () => counted(there, 'total'),
    ({ elements }) => elements >= input.length,
  );
  // Until everything that was under way is settled and the ingest root is retired.
  await until(
    'it is idle',
    async () => {
      await there.scheduler.call();
      const roots = (await there.store.roots()).map(({ id }) => id);
      return {
        ...(await underWay(there)),
        instances: roots.filter((id) => /^ingest~readings~(?!folded)/.test(id)).length,
      };
    },
    ({ open, outbox, instances }) => open + outbox + instances === 0,
  );

  const SWEEPS = 20;
  const ids = [...there.functions.keys()];
  const before = await Promise.all(ids.map((id) => storeCounts(there, id)));
  const pushedBefore = there.relay.stats().reduce((sum, { pushed }) => sum + pushed, 0);
  const took: number[] = [];
  for (let i = 0; i < SWEEPS; i++) {
    const started = performance.now();
    expect(await there.scheduler.call()).toBe(200);
    took.push(performance.now() - started);
  }
  const after = await Promise.all(ids.map((id) => storeCounts(there, id)));
  const pushes = there.relay.stats().reduce((sum, { pushed }) => sum + pushed, 0) - pushedBefore;
  const total = after.map((counts, i) => difference(counts, before[i]!)).reduce(added);

  // A sweep a minute; instances are billed by the tenth of a second.
  const sweeps = SECONDS_A_MONTH / 60;
  const seconds = sweeps * (Math.ceil(Math.min(...took) / 100) / 10);
  const months = sweeps / SWEEPS;
  const dollars =
    firestoreDollars({ reads: total.reads * months, writes: total.writes * months, deletes: total.deletes * months }) +
    functionDollars({ requests: sweeps + pushes * months, vcpuSeconds: seconds, gibSeconds: seconds / 2 }) +
    pubSubDollars(2 * pushes * months * PRICES.pubSub.leastBytesARequest) +
    ((2 * sweeps) / 1_000_000) * PRICES.monitoring.millionSeriesRead +
    PRICES.scheduler.jobMonth;
  expect(pushes).toBe(0);
  expect(total.writes / SWEEPS).toBe(1);
  expect(total.deletes).toBe(0);
  expect(dollars).toBeLessThan(1);
});

function added(a: StoreCounts, b: StoreCounts): StoreCounts {
  return {
    reads: a.reads + b.reads,
    writes: a.writes + b.writes,
    deletes: a.deletes + b.deletes,
    commits: a.commits + b.commits,
  };
}

it('a steady bundle reads nothing, and writes its root, its ids and the cells that changed', async () => {
  // One shard, and nobody who sweeps: what is counted is bundles and nothing else.
  const tuning = { ...DEFAULT_TUNING, commitEvery: 100 as Millis, sweepEvery: 0 as Millis };
  cloud = await deploy({ graph: totals, module, shards: 1, sweepEveryMillis: NEVER, tuning });
  const there = cloud;
  // Seven places in one window, so seven cells.
  const wave = (n: number) => readings(2, 70).map((reading) => ({ ...reading, at: 5, heard: 5, amount: n }));
  const WAVES = 5;
  const take = async (n: number): Promise<void> => {
    await publish(there, 'readings', wave(n));
    await until(
      'the wave was taken',
      () => counted(there, 'total'),
      ({ elements }) => elements >= 70 * (n + 1),
    );
    await until(
      'the wave was answered',
      () => acknowledged(there, SOURCE),
      (taken) => taken >= 70 * (n + 1),
    );
  };
  await take(0);
  const cells = await documentsIn(there, 'cells');
  expect(cells).toBe(7);
  const before = await storeCounts(there, 'total--0');
  for (let n = 1; n <= WAVES; n++) await take(n);
  const steady = difference(await storeCounts(there, 'total--0'), before);
  expect(steady.reads).toBe(0);
  expect(steady.commits).toBeGreaterThanOrEqual(WAVES);
  // Nothing fires, so there is no outbox: root and ids once a commit, and at most all cells.
  expect(steady.writes).toBeGreaterThanOrEqual(2 * steady.commits);
  expect(steady.writes).toBeLessThanOrEqual((2 + cells) * steady.commits);
});
