import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { boundedOutOfOrderness, count, fixedWindows, pipeline } from '../../functions/index.ts';
import { MemorySubscriptions } from '../../functions/local/memory-subscriptions.ts';
import type { Millis } from '../../functions/model/time.ts';
import { drain } from '../../functions/operate/drain.ts';
import { refuseLate } from '../../functions/operate/replay/refuse-late.ts';
import { DrivenByMessages } from './driven-by-messages.ts';

const HOUR = 3_600_000;
const Visit = z.object({ page: z.string(), at: z.number() });

const visits = pipeline('visits', (p) => {
  p.readPubSub('visits', { schema: Visit, eventTime: ({ at }) => at, watermark: boundedOutOfOrderness('1m') })
    .keyBy('by-page', ({ page }) => page)
    .window('hourly', fixedWindows('1h'))
    .combinePerKey('count', count())
    .writeBigQuery('counts', {
      columns: { page: 'STRING', n: 'INT64' },
      key: ['page'],
      row: ({ key, value }) => ({ page: key, n: value }),
    });
});

const mend = (value: unknown): unknown => ({ ...(value as object), page: 'mended' });
let driven: DrivenByMessages;

beforeEach(async () => {
  driven = new DrivenByMessages(visits);
  await driven.start();
  await driven.deliver(driven.message('bad', { page: 7, at: driven.clock.now() }));
});

const refused = () => refuseLate(driven.replaySetting(driven.plan, mend), { filter: {} });
const order = (untilClosed: number) =>
  drain(driven.store, new MemorySubscriptions(driven.bus), driven.clock, ['visits'], {
    reading: 0 as Millis,
    untilClosed: untilClosed as Millis,
  });

it('what would come too late in a drain is not replayed, and stays for what is deployed after it', async () => {
  await expect(refused()).resolves.toBeUndefined();
  const since = new Date(driven.clock.now()).toISOString();
  await order(0);
  await driven.pass(60_000);
  await expect(refused()).rejects.toThrow(
    `'visits' drains since ${since}, and 1 of the elements would come too late; replay them when it is deployed again`,
  );
  expect(await driven.letters()).toMatchObject([{ generation: 0, status: 'dead' }]);
});

it('what is in time is, as long as the drain lets windows close by the clock', async () => {
  await driven.deliver(driven.message('good', { page: 'home', at: driven.clock.now() }));
  await order(3 * HOUR);
  await driven.pass(60_000);
  await expect(refused()).resolves.toBeUndefined();
  expect(await driven.replay({}, mend)).toMatchObject([{ outcome: 'replayed', sent: 1, late: 0 }]);
});
