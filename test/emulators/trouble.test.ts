/** The same output, whatever happens to functions, messages and sweeps. */
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { chance } from '../../emulators/seeded.ts';
import type { LocalCloudOptions } from '../../emulators/dev/local-cloud.ts';
import { countsOfStage } from '../../functions/engine/protocol/counts.ts';
import type { Root } from '../../functions/engine/protocol/root.ts';
import { expectedTotals, type Reading, totals } from '../local/totals-pipeline.ts';
import {
  acknowledged,
  type Deployed,
  deploy,
  documentsIn,
  letters,
  publish,
  underWay,
  until,
  useEmulators,
} from './deployed.ts';
import { LAST_READING, readings, readingsIn, totalsTable } from './readings.ts';

const SOURCE = 'millrace-totals--ingest--readings';
const INTERNAL = ['millrace-totals--total--0', 'millrace-totals--totals-table--0'];
const graph = totals;
const module = fileURLToPath(new URL('./fixtures/totals.ts', import.meta.url));

useEmulators();
let cloud: Deployed | undefined;
afterEach(async () => {
  await cloud?.stop();
  cloud = undefined;
});

type Options = Partial<Omit<LocalCloudOptions, 'graph' | 'module'>>;

async function deployed(options: Options = {}): Promise<Deployed> {
  cloud = await deploy({ graph, module, ...options });
  return cloud;
}

function tableOf(deployed: Deployed): Map<string, unknown> {
  return totalsTable(deployed.tables.rows('totals'));
}

/** Sends the last reading, waits for the end of everything, and compares. */
async function expectAll(deployed: Deployed, input: readonly Reading[], seconds = 90): Promise<void> {
  await until(
    'every reading was taken in',
    () => acknowledged(deployed, SOURCE),
    (taken) => taken >= input.length,
    seconds,
  );
  await publish(deployed, 'readings', [LAST_READING]);
  await until(
    'every reading is in the table',
    () => readingsIn(tableOf(deployed)),
    (n) => n >= input.length,
    seconds,
  );
  expect(tableOf(deployed)).toEqual(expectedTotals(input));
  expect(await letters(deployed)).toEqual([]);
  await until(
    'nothing is under way',
    () => underWay(deployed),
    ({ open, outbox, runs }) => open + outbox + runs === 0,
    seconds,
  );
  await expectCounters(deployed, input.length + 1);
  // The last reading's own cell.
  expect(await documentsIn(deployed, 'cells')).toBe(1);
}

/** What the roots have counted, whatever processes did it: each reading once, and each pane a row. */
async function expectCounters(deployed: Deployed, readings: number): Promise<void> {
  const roots = (await deployed.store.roots()).map(({ body }) => body as Root);
  const total = countsOfStage('total', roots);
  expect(total.elements - total.duplicates).toBe(readings);
  expect([total.late, total.deadLetters]).toEqual([0, 0]);
  const { EARLY, ON_TIME, LATE } = total.panes;
  expect(countsOfStage('totals-table', roots)).toMatchObject({ elements: EARLY + ON_TIME + LATE, deadLetters: 0 });
}

describe('the table is that of a plain loop, nothing is late and nothing is left', () => {
  it('with each push delivered twice, at once and later', async () => {
    const there = await deployed({ relay: { troubles: { seed: 1, duplicate: { share: 1 } } } });
    const input = readings(1, 2_000);
    await publish(there, 'readings', input);
    await expectAll(there, input);
    expect(there.relay.stats()[0]!.duplicated).toBeGreaterThan(1_500);
  });

  it('with a tenth of the internal messages thrown away', async () => {
    const troubles = { seed: 2, drop: { share: 0.1, subscriptions: INTERNAL } };
    const there = await deployed({ relay: { troubles } });
    const input = readings(2, 2_000);
    for (let from = 0; from < input.length; from += 100)
      await publish(there, 'readings', input.slice(from, from + 100));
    await expectAll(there, input);
    expect(there.relay.stats().reduce((sum, { dropped }) => sum + dropped, 0)).toBeGreaterThan(0);
  });

  it('with two instances of each function and each push to both', async () => {
    const troubles = { seed: 3, duplicate: { share: 0.5 } };
    const there = await deployed({ instances: 2, relay: { troubles } });
    const input = readings(3, 2_000);
    await publish(there, 'readings', input);
    await expectAll(there, input);
  });

  it('with sweeps that stop for a while, come twice and overlap', async () => {
    const there = await deployed();
    const input = readings(4, 2_000);
    there.scheduler.pause();
    await publish(there, 'readings', input);
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    there.scheduler.resume();
    await Promise.all(Array.from({ length: 6 }, () => there.scheduler.call()));
    await expectAll(there, input);
  });

  it('with functions killed at random moments while 20,000 readings flow, pushes doubled, messages lost and sweeps stopped', async () => {
    const troubles = {
      seed: 5,
      duplicate: { share: 0.2 },
      drop: { share: 0.1, subscriptions: INTERNAL },
      delay: { share: 0.05, maxMillis: 3_000 },
      reorder: { share: 0.3, within: 50 },
    };
    const there = await deployed({ relay: { troubles } });
    const input = readings(5, 20_000);
    const publishing = publish(there, 'readings', input);
    const ids = [...there.functions.keys()];
    let kills = 0;
    for (; kills < 12 || (acknowledged(there, SOURCE) < input.length && kills < 60); kills++) {
      if (kills % 4 === 1) there.scheduler.pause();
      if (kills % 4 === 3) there.scheduler.resume();
      await new Promise((resolve) => setTimeout(resolve, 300 + 1_500 * chance(5, 'pause', kills)));
      await there.restart(ids[Math.floor(chance(5, 'victim', kills) * ids.length)]!);
    }
    there.scheduler.resume();
    await publishing;
    await expectAll(there, input, 240);
    expect(kills).toBeGreaterThanOrEqual(12);
  }, 400_000);
});

describe('a backlog does not make data late', () => {
  it('when nothing was taken in while hours of readings were published', async () => {
    const there = await deployed();
    const input = readings(6, 3_000);
    await publish(there, 'readings', input.slice(0, 200));
    await until(
      'a watermark is known',
      () => there.complaints,
      () => acknowledged(there, SOURCE) >= 200,
    );
    there.relay.pause(SOURCE);
    for (let from = 200; from < input.length; from += 400) {
      await publish(there, 'readings', input.slice(from, from + 400));
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
    there.relay.resume(SOURCE);
    await expectAll(there, input);
  });

  it('when a stage stood still meanwhile', async () => {
    const there = await deployed();
    const input = readings(7, 3_000);
    there.relay.pause(INTERNAL[0]!);
    for (let from = 0; from < input.length; from += 400) {
      await publish(there, 'readings', input.slice(from, from + 400));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    there.relay.resume(INTERNAL[0]!);
    await expectAll(there, input);
  });

  it('and an idle source, whose instance was retired meanwhile, goes on without loss', async () => {
    const there = await deployed();
    const first = readings(8, 500);
    await publish(there, 'readings', first);
    await until(
      'the ingest instance is retired',
      async () => (await there.store.roots()).map(({ id }) => id).filter((id) => id.startsWith('ingest~')),
      (ids) => acknowledged(there, SOURCE) === 500 && ids.every((id) => id === 'ingest~readings~folded'),
    );
    const second = readings(9, 500, 250);
    await publish(there, 'readings', second);
    await expectAll(there, [...first, ...second]);
  });
});

describe('what Pub/Sub gave up on', () => {
  it('is nothing when it was an envelope that was taken long ago, or will be sent again', async () => {
    const there = await deployed();
    const input = readings(10, 300);
    await publish(there, 'readings', input);
    const attributes = {
      CloudPubSubDeadLetterSourceSubscription: INTERNAL[0]!,
      CloudPubSubDeadLetterSourceDeliveryCount: '100',
      stage: 'total',
    };
    const topic = `projects/${there.projectId}/topics/millrace-totals--undelivered`;
    await there.clients.publisher.publish({ topic, messages: [{ data: Buffer.from('[[]]'), attributes }] });
    await expectAll(there, input);
    expect(there.complaints.filter((line) => line.includes('Pub/Sub gave up after 100 attempts'))).toHaveLength(1);
  });

  it('is nothing when it was a message that was taken in, and only its answers were lost', async () => {
    const unheard = { share: 0.05, attempts: 3, subscriptions: [SOURCE] };
    const there = await deployed({ relay: { troubles: { seed: 12, unheard } } });
    const input = readings(12, 1_000);
    await publish(there, 'readings', input);
    const source = () => there.relay.stats().find(({ subscription }) => subscription === SOURCE)!;
    await until(
      'every reading was taken in or given up on',
      () => source().acknowledged + source().deadLettered,
      (ended) => ended >= input.length,
    );
    expect(source().deadLettered).toBeGreaterThan(20);
    await until(
      'all that was given up on was looked at',
      () => acknowledged(there, 'millrace-totals--undelivered'),
      (looked) => looked >= source().deadLettered,
    );
    await publish(there, 'readings', [LAST_READING]);
    await until(
      'every reading is in the table',
      () => readingsIn(tableOf(there)),
      (n) => n >= input.length,
    );
    expect(tableOf(there)).toEqual(expectedTotals(input));
    expect(await letters(there)).toEqual([]);
  });

  it('is one dead letter when it was a message of a source, however often it comes', async () => {
    const there = await deployed({ relay: { troubles: { seed: 11, duplicate: { share: 1 } } } });
    const attributes = {
      CloudPubSubDeadLetterSourceSubscription: SOURCE,
      CloudPubSubDeadLetterSourceDeliveryCount: '100',
    };
    const topic = `projects/${there.projectId}/topics/millrace-totals--undelivered`;
    const data = Buffer.from('{"at":1,"place":"Bonn","amount":2,"heard":3}');
    await there.clients.publisher.publish({ topic, messages: [{ data, attributes }] });
    const found = await until(
      'a dead letter is there',
      () => letters(there),
      (some) => some.length > 0,
    );
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await letters(there)).toEqual(found);
    expect(found).toMatchObject([
      { kind: 'source', stage: 'readings', message: 'Pub/Sub gave up after 100 attempts', status: 'dead' },
    ]);
  });
});
