import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { boundedOutOfOrderness, count, fixedWindows, pipeline } from '../../functions/index.ts';
import { Embedded } from '../../functions/local/embedded.ts';
import { MemoryBacklog } from '../../functions/local/memory-backlog.ts';
import { MemoryBus } from '../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../functions/local/memory-store.ts';
import { MemorySubscriptions } from '../../functions/local/memory-subscriptions.ts';
import { MemoryWarehouse } from '../../functions/local/memory-warehouse.ts';
import { SeededIds, VirtualClock } from '../../functions/local/virtual-clock.ts';
import { OutdatedError } from '../../functions/model/errors.ts';
import { type EpochMillis, type Millis, plus } from '../../functions/model/time.ts';
import { drain } from '../../functions/operate/drain.ts';
import { startAfresh } from '../../functions/operate/fresh-start.ts';
import { drainOf } from '../../functions/operate/status/standing-orders.ts';
import { survey } from '../../functions/operate/status/survey.ts';
import { admit, UpgradeRefused } from '../../functions/operate/upgrade.ts';
import { type Plan, plan } from '../../functions/plan/plan.ts';

const counts = (size: '1h' | '2h', shards = 2) =>
  plan(
    pipeline('counts', (p) => {
      p.readPubSub('events', {
        schema: z.object({ card: z.string(), at: z.number() }),
        eventTime: ({ at }) => at,
        watermark: boundedOutOfOrderness('1m'),
      })
        .keyBy('by-card', ({ card }) => card)
        .window('hourly', fixedWindows(size))
        .combinePerKey('count', count());
    }),
    { shards },
  );

let store: MemoryStore;
let clock: VirtualClock;
beforeEach(() => {
  store = new MemoryStore({ strict: true });
  clock = new VirtualClock(1_700_100_000_000 as EpochMillis);
});

async function process(planned: Plan, topology: number, epoch: number): Promise<Embedded> {
  const [bus, ids] = [new MemoryBus(new SeededIds(1)), new SeededIds(2)];
  const warehouse = new MemoryWarehouse();
  const backlog = new MemoryBacklog(clock);
  const embedded = new Embedded({ plan: planned, store, bus, warehouse, clock, ids, backlog, topology, epoch });
  await embedded.start();
  return embedded;
}

async function offer(embedded: Embedded, id: string): Promise<void> {
  await embedded.offer('events', {
    id,
    publishTime: clock.now(),
    data: { card: 'a', at: clock.now() },
    attributes: {},
  });
  await embedded.deliver();
}

async function pass(embedded: Embedded): Promise<void> {
  for (let i = 0; i < 40; i++) {
    clock.advanceTo(plus(clock.now(), 15_000));
    await embedded.sweep();
    await embedded.deliver();
  }
}

const order = () => {
  const subscriptions = new MemorySubscriptions(new MemoryBus(new SeededIds(1)));
  return drain(store, subscriptions, clock, ['events'], { reading: 0 as Millis });
};
const admitted = (size: '1h' | '2h', shards?: number) => admit(store, counts(size, shards), clock.now());
/** Drained, and started afresh by hand, by the code that ran before. */
async function restarted(): Promise<Embedded> {
  await admitted('1h');
  const before = await process(counts('1h'), 1, 1);
  await offer(before, '1');
  await order();
  await pass(before);
  expect(await startAfresh(store, counts('1h'), clock.now())).toMatchObject({ topology: 2, epoch: 2 });
  return before;
}

describe('a version of which nothing has run', () => {
  it('gives way to one of any shape, as a first deployment that failed does', async () => {
    await admitted('1h');
    expect(await admitted('2h', 8)).toMatchObject({ epoch: 2, shape: { stages: [{ id: 'count', shards: 8 }] } });
    await offer(await process(counts('2h', 8), 2, 2), '1');
    await expect(admitted('1h')).rejects.toThrow(UpgradeRefused);
  });

  it('is fenced, should it run after all', async () => {
    await admitted('1h');
    const late = await process(counts('1h'), 1, 1);
    await admitted('2h');
    await expect(offer(late, '1')).rejects.toThrow(OutdatedError);
  });

  it('after a restart with the code that ran before gives way too, and may be restarted again', async () => {
    await restarted();
    expect(await startAfresh(store, counts('1h'), clock.now())).toMatchObject({ topology: 3, epoch: 3 });
    expect(await admitted('2h')).toMatchObject({ topology: 4, epoch: 4 });
  });

  it('is deployed though it was told to drain, which nobody would carry out', async () => {
    await restarted();
    await order();
    const surveyed = await survey(store, 'counts', clock.now());
    expect(drainOf(surveyed).map(({ sentence, remedies }) => [sentence, ...remedies])).toEqual([
      [
        `'counts' is to drain since ${new Date(clock.now()).toISOString()}, and nothing of it has run since it was admitted: there is nothing to drain`,
        'deploy it again, which starts it afresh',
      ],
    ]);
    expect(await admitted('1h')).toMatchObject({ topology: 3, epoch: 3 });
    const now = await process(counts('1h'), 3, 3);
    await offer(now, '2');
    expect(now.counts.get('count')).toMatchObject({ elements: 1, late: 0 });
  });
});

it('a version that a sweep has run of, or that has taken something, does not give way', async () => {
  await admitted('1h');
  await (await process(counts('1h'), 1, 1)).sweep();
  await expect(admitted('2h')).rejects.toThrow(UpgradeRefused);
});
