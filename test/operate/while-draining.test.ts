import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { boundedOutOfOrderness, count, fixedWindows, pipeline } from '../../functions/index.ts';
import { Embedded } from '../../functions/local/embedded.ts';
import { MemorySubscriptions } from '../../functions/local/memory-subscriptions.ts';
import { ReadingEndedError } from '../../functions/model/errors.ts';
import { describeProgress, drain, drainProgress } from '../../functions/operate/drain.ts';
import { NotDrained } from '../../functions/operate/fresh-start.ts';
import { survey } from '../../functions/operate/status/survey.ts';
import { admit, UpgradeRefused } from '../../functions/operate/upgrade.ts';
import { plan } from '../../functions/plan/plan.ts';
import { DrivenByMessages } from './driven-by-messages.ts';

const Event = z.object({ card: z.string(), at: z.number() });
const MINUTE = 60_000;

const counts = (size: '1h' | '2h' = '1h') =>
  pipeline('counts', (p) => {
    p.readPubSub('events', { schema: Event, eventTime: ({ at }) => at, watermark: boundedOutOfOrderness('1m') })
      .keyBy('by-card', ({ card }) => card)
      .window('hourly', fixedWindows(size))
      .combinePerKey('count', count())
      .writeBigQuery('counts-table', {
        columns: { card: 'STRING', n: 'INT64' },
        key: ['card'],
        row: ({ key, value }) => ({ card: key, n: value }),
      });
  });

let driven: DrivenByMessages;
const admitted = (size: '1h' | '2h', slots: number, draining: boolean) =>
  admit(driven.store, plan(counts(size), { shards: 2, slots }), driven.clock.now(), { draining });
const progress = async () => drainProgress(await survey(driven.store, 'counts', driven.clock.now()));

beforeEach(async () => {
  driven = new DrivenByMessages(counts());
  await driven.start();
  await admitted('1h', 1, false);
  await driven.deliver(driven.message('1', { card: 'a', at: driven.clock.now() }));
  await drain(driven.store, new MemorySubscriptions(driven.bus), driven.clock, ['events']);
});

/** Time goes by for the version that was admitted last, and for no other. */
async function pass(topology: number, epoch: number, millis: number): Promise<Embedded> {
  const { store, bus, warehouse, clock, ids, backlog, plan: planned } = driven;
  const embedded = new Embedded({ plan: planned, store, bus, warehouse, clock, ids, backlog, topology, epoch });
  await embedded.start();
  for (let gone = 0; gone < millis; gone += MINUTE / 2) {
    clock.advanceTo((clock.now() + MINUTE / 2) as never);
    await embedded.sweep();
    await embedded.deliver();
  }
  await embedded.flush();
  await embedded.deliver();
  await embedded.sweep();
  return embedded;
}

describe('while a pipeline drains', () => {
  it('a version is deployed only where that is said, and fits; the drain goes on under it to its end', async () => {
    await expect(admitted('1h', 2, false)).rejects.toThrow(NotDrained);
    await expect(admitted('1h', 2, false)).rejects.toThrow('is deployed with --draining');
    await expect(admitted('2h', 2, true)).rejects.toThrow(UpgradeRefused);
    expect(await admitted('1h', 1, true)).toMatchObject({ topology: 1, epoch: 1 });
    expect(await admitted('1h', 2, true)).toMatchObject({ topology: 2, epoch: 1 });
    expect(await progress()).toMatchObject({ drained: false, cells: 1 });
    const embedded = await pass(2, 1, 10 * MINUTE);
    const late = driven.message('2', { card: 'a', at: driven.clock.now() });
    await expect(embedded.offer('events', late)).rejects.toThrow(ReadingEndedError);
    expect(await progress()).toMatchObject({ drained: true, envelopes: 0 });
    expect([...driven.warehouse.rows('counts_table')]).toMatchObject([{ card: 'a', n: 1 }]);
    expect(await admitted('2h', 2, true)).toMatchObject({ topology: 3, epoch: 2 });
  });

  it('what is on its way counts as left, and what was taken does not', async () => {
    expect(await progress()).toMatchObject({ drained: false, envelopes: 0 });
    await driven.offer(driven.message('2', { card: 'b', at: driven.clock.now() }));
    expect(describeProgress(await progress())).toContain('1 cells, 1 envelopes, 0 rows are left');
    await driven.settle();
    expect(describeProgress(await progress())).toContain('2 cells, 0 envelopes, 0 rows are left');
  });
});
