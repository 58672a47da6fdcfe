/** Instances beyond the one that each slot should have, as the platform may start for a while. */
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { expectedTotals, totals } from '../local/totals-pipeline.ts';
import { type Deployed, deploy, letters, publish, until, useEmulators } from './deployed.ts';
import { LAST_READING, readings, readingsIn, totalsTable } from './readings.ts';

const SOURCE = 'millrace-totals--ingest--readings';
const STAGE = 'millrace-totals--total--0';
const module = fileURLToPath(new URL('./fixtures/totals.ts', import.meta.url));
const READINGS = 3_000;
/** Instances that take each other's shards spend their time on lost commits and cold caches, but not all of it. */
const SLOWER_AT_MOST = 5;

useEmulators();
let cloud: Deployed | undefined;
afterEach(async () => {
  await cloud?.stop();
  cloud = undefined;
});

/** Runs the readings through, compares the table, and returns how long it took until the keyed stage had them all. */
async function millisWith(instances: number): Promise<number> {
  cloud = await deploy({ graph: totals, module, instances });
  const there = cloud;
  const input = readings(1, READINGS);
  const routes = () => new Map(there.relay.stats().map((route) => [route.subscription, route]));
  const started = performance.now();
  await publish(there, 'readings', input);
  await until(
    'all readings were taken by the keyed stage',
    () => ({ taken: routes().get(SOURCE)!.acknowledged, waiting: routes().get(STAGE)!.held }),
    ({ taken, waiting }) => taken === READINGS && waiting === 0,
  );
  const took = performance.now() - started;
  await publish(there, 'readings', [LAST_READING]);
  const table = () => totalsTable(there.tables.rows('totals'));
  await until(
    'every reading is in the table',
    () => readingsIn(table()),
    (n) => n >= READINGS,
  );
  expect(table()).toEqual(expectedTotals(input));
  expect(await letters(there)).toEqual([]);
  await there.stop();
  cloud = undefined;
  return took;
}

it(`four instances without affinity break nothing, and are at most ${SLOWER_AT_MOST} times as slow as one`, async () => {
  const one = await millisWith(1);
  const four = await millisWith(4);
  expect(four / one).toBeLessThan(SLOWER_AT_MOST);
}, 300_000);
