/**
 * What failed at ingest, and whose message is delivered again after its step was mended: beside the replay of its dead
 * letter it would count twice, were the two not known to be one.
 */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Log } from '../../functions/cloud/service/log.ts';
import { UndeliveredHost } from '../../functions/cloud/service/undelivered-host.ts';
import { fateOf } from '../../functions/engine/ids/fate.ts';
import type { SourceMessage } from '../../functions/engine/ingest/source-message.ts';
import {
  afterCount,
  boundedOutOfOrderness,
  count,
  fixedWindows,
  PoisonError,
  pipeline,
  repeatedly,
} from '../../functions/index.ts';
import type { Graph } from '../../functions/model/graph.ts';
import type { EpochMillis } from '../../functions/model/time.ts';
import { sourceSubscription } from '../../functions/plan/resource-names.ts';
import { DrivenByMessages } from './driven-by-messages.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** An order has items, `bad-…` ones of which a broken deployment cannot take, and `no` at all is no order to it. */
const Order = z.object({ order: z.string(), items: z.array(z.string()) });
const broken = { schema: true, item: true };
const Strict = {
  parse: (value: unknown) => {
    if (broken.schema && (value as { order?: string }).order === 'no') throw new Error('no order');
    return Order.parse(value);
  },
};

function orders(ids: 'of messages' | 'named'): Graph {
  return pipeline('orders', (p) => {
    p.readPubSub('orders', {
      schema: Strict,
      watermark: boundedOutOfOrderness('1m'),
      ...(ids === 'named' ? { id: ({ order }: z.infer<typeof Order>) => order } : {}),
    })
      .flatMap('items', ({ items }) => items)
      .map('checked', (item) => {
        if (broken.item && item.startsWith('bad')) throw new PoisonError(`cannot take ${item}`);
        return item;
      })
      // One of two is made here, behind the step that fails.
      .flatMap('parts', (item) => (item.endsWith('pair') ? [`${item}-1`, `${item}-2`] : [item]))
      .keyBy('by-item', (item) => item)
      .window('daily', fixedWindows('1d'), { allowedLateness: '7d', accumulation: 'accumulating' })
      .combinePerKey('number', count())
      .writeBigQuery('numbers', {
        columns: { item: 'STRING', number: 'INT64' },
        key: ['item'],
        row: ({ key, value }) => ({ item: key, number: value }),
      });
  });
}

describe.each(['of messages', 'named'] as const)('where ids are %s, a message that failed and its letter', (ids) => {
  let driven: DrivenByMessages;
  let message: SourceMessage;

  beforeEach(async () => {
    Object.assign(broken, { schema: true, item: true });
    driven = await new DrivenByMessages(orders(ids)).start();
    message = driven.message('m1', { order: 'o1', items: ['a', 'bad', 'c', 'bad-pair', 'e-pair'] });
  });

  const once = { a: 1, bad: 1, c: 1, 'bad-pair-1': 1, 'bad-pair-2': 1, 'e-pair-1': 1, 'e-pair-2': 1 };

  async function counted(): Promise<Record<string, unknown>> {
    await driven.end();
    return Object.fromEntries(
      [...driven.warehouse.rows('numbers')].map(({ item, number }) => [item as string, number]),
    );
  }

  it('count once when the message comes again, mended, before its letters are replayed', async () => {
    await driven.deliver(message);
    Object.assign(broken, { item: false });
    await driven.deliver(message);
    expect((await driven.replay()).map(({ outcome }) => outcome)).toEqual(['replayed', 'replayed']);
    expect(await counted()).toEqual(once);
  });

  it('count once when its letters are replayed before the message comes again', async () => {
    await driven.deliver(message);
    Object.assign(broken, { item: false });
    expect((await driven.replay()).map(({ outcome }) => outcome)).toEqual(['replayed', 'replayed']);
    await driven.deliver(message);
    expect(await counted()).toEqual(once);
  });

  it('count once when both are under way at the same time', async () => {
    await driven.deliver(message);
    Object.assign(broken, { item: false });
    await Promise.all([driven.offer(message), driven.replayOnly()]);
    expect(await counted()).toEqual(once);
  });

  it('count once without the message ever coming again, also when the replay fails first', async () => {
    await driven.deliver(message);
    expect((await driven.replay()).map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
    Object.assign(broken, { item: false });
    await driven.replay();
    expect(await counted()).toEqual(once);
  });

  it('count once when a replay that has failed is replayed after the message has come again', async () => {
    await driven.deliver(message);
    await driven.replay();
    Object.assign(broken, { item: false });
    await driven.deliver(message);
    expect(await driven.letters()).toMatchObject([
      { generation: 1, messageId: ids === 'named' ? 'o1' : 'm1' },
      { generation: 1, messageId: ids === 'named' ? 'o1' : 'm1' },
    ]);
    await driven.replay();
    expect(await counted()).toEqual(once);
  });

  it('count once when the message could not be read at all', async () => {
    const unread = driven.message('m2', { order: 'no', items: ['a', 'b'] });
    for (const order of ['replayed first', 'delivered first', 'replayed after it has failed again']) {
      Object.assign(broken, { schema: true });
      const each = { ...unread, id: `m-${order}`, data: { order: 'no', items: [order] } };
      await driven.deliver(each);
      if (order.startsWith('replayed after')) await driven.replay();
      Object.assign(broken, { schema: false });
      const replay = async (): Promise<void> => expect(await driven.replay()).toMatchObject([{ outcome: 'replayed' }]);
      if (order === 'replayed first') await replay();
      await driven.deliver(each);
      if (order !== 'replayed first') await replay();
      // Of named ids, all three are one order.
      if (ids === 'named') break;
    }
    const all = ['replayed first', 'delivered first', 'replayed after it has failed again'];
    expect(await counted()).toEqual(
      Object.fromEntries((ids === 'named' ? all.slice(0, 1) : all).map((order) => [order, 1])),
    );
  });

  it('are known for as long as the source may deliver the message again', async () => {
    await driven.deliver(message);
    driven.keepBack(message);
    Object.assign(broken, { item: false });
    await driven.replay();
    await driven.pass(5 * HOUR);
    await driven.deliver(message);
    expect(await counted()).toEqual(once);
  });

  it('are known for as long as the replay is under way', async () => {
    await driven.deliver(message);
    Object.assign(broken, { item: false });
    await driven.deliver(message);
    await driven.pause('number', true);
    await driven.replayUnpublished();
    // Long enough for the ids of what came again to be forgotten, were they not waited for.
    for (let minutes = 0; minutes < 120; minutes += 10) await driven.pass(10 * MINUTE);
    await driven.pause('number', false);
    // Ticks come before what is sent again.
    await driven.pass(MINUTE);
    expect(await counted()).toEqual(once);
  });

  it('count once when Pub/Sub gave up on messages of which an instance held some, and committed them later', async () => {
    Object.assign(broken, { item: false });
    const log = new Log('orders', 'p', () => {});
    const engine = { ...driven.replaySetting(), pipeline: 'orders' };
    const host = new UndeliveredHost({ plan: driven.plan, engine, log });
    const giveUp = ({ id, data, publishTime }: SourceMessage): Promise<void> =>
      host.take({
        messageId: `copy of ${id}`,
        publishTime: driven.clock.now(),
        data: Buffer.from(JSON.stringify(data)),
        attributes: {
          CloudPubSubDeadLetterSourceSubscription: sourceSubscription('orders', 'orders'),
          CloudPubSubDeadLetterSourceDeliveryCount: '5',
          CloudPubSubDeadLetterSourceTopicPublishTime: new Date(publishTime).toISOString(),
        },
        orderingKey: undefined,
        deliveryAttempt: undefined,
        subscription: undefined,
      });
    const others = [1, 2, 3].map((n) => driven.message(`m${n + 1}`, { order: `o${n + 1}`, items: [`other-${n}`] }));
    for (const each of [message, ...others]) await giveUp(each);
    expect((await driven.letters()).map(({ status }) => status)).toEqual(['dead', 'dead', 'dead', 'dead']);
    await driven.deliver(message);
    await driven.deliver(others[1]!);
    const readings = vi.spyOn(driven.store, 'roots');
    const outcomes = await driven.replayOnly();
    // Of all letters together: before their outboxes, and before the ids.
    expect(readings).toHaveBeenCalledTimes(2);
    const reason = 'its message was taken in after all, and counts already; discard it';
    expect(outcomes).toMatchObject([
      { outcome: 'skipped', id: 'orders~undelivered~copy of m1', reason },
      { outcome: 'replayed', id: 'orders~undelivered~copy of m2' },
      { outcome: 'skipped', id: 'orders~undelivered~copy of m3', reason },
      { outcome: 'replayed', id: 'orders~undelivered~copy of m4' },
    ]);
    expect(await counted()).toEqual({ ...once, 'other-1': 1, 'other-2': 1, 'other-3': 1 });
  });

  it('are what became of the message for whoever asks after its fate', async () => {
    const source = driven.plan.sources[0]!;
    const fate = () => fateOf(driven.plan, { source, message }, driven.store, driven.clock.now());
    message = { ...message, data: { order: 'o1', items: ['bad', 'bad-pair'] } };
    await driven.deliver(message);
    expect(await fate()).toBe('not taken');
    Object.assign(broken, { item: false });
    await driven.replayUnpublished();
    expect(await fate()).toBe('taken');
    await driven.settle();
    expect(await fate()).toBe('taken');
  });
});

describe('the fate of a message', () => {
  it('is looked for among elements, not among the rows that a replay has under way', async () => {
    const graph = pipeline('told', (p) => {
      p.readPubSub('orders', { schema: Order, watermark: boundedOutOfOrderness('1m') })
        .keyBy('by-order', ({ order }) => order)
        .window('daily', fixedWindows('1d'), {
          trigger: repeatedly(afterCount(1)),
          allowedLateness: 0,
          accumulation: 'discarding',
        })
        .combinePerKey('number', count())
        .map('told', (pane) => {
          if (broken.item) throw new PoisonError('cannot tell');
          return pane;
        })
        .writeBigQuery('numbers', {
          columns: { order: 'STRING', number: 'INT64' },
          key: ['order'],
          row: ({ key, value }) => ({ order: key, number: value }),
        });
    });
    Object.assign(broken, { item: true });
    const driven = await new DrivenByMessages(graph).start();
    await driven.deliver(driven.message('m1', { order: 'o1', items: [] }));
    Object.assign(broken, { item: false });
    await driven.replayUnpublished();
    const message = driven.message('m2', { order: 'o2', items: [] });
    const source = driven.plan.sources[0]!;
    expect(await fateOf(driven.plan, { source, message }, driven.store, driven.clock.now())).toBe('not taken');
  });
});

describe('a letter of a message', () => {
  it('keeps its attributes and its name, so that a replay reads the message as it came', async () => {
    const seen: unknown[] = [];
    const graph = pipeline('attributed', (p) => {
      p.readPubSub('texts', {
        schema: Strict,
        eventTime: (_, { id, attributes }) => {
          seen.push([id, attributes['at']]);
          return Number(attributes['at']) as EpochMillis;
        },
        watermark: boundedOutOfOrderness('1m'),
      })
        .keyBy('by-order', ({ order }) => order)
        .window('daily', fixedWindows('1d'))
        .combinePerKey('number', count())
        .writeBigQuery('numbers', {
          columns: { order: 'STRING', number: 'INT64' },
          key: ['order'],
          row: ({ key, value }) => ({ order: key, number: value }),
        });
    });
    Object.assign(broken, { schema: true });
    const driven = await new DrivenByMessages(graph).start();
    const at = String(driven.clock.now());
    await driven.deliver(driven.message('m1', { order: 'no', items: [] }, { at }));
    expect(await driven.letters()).toMatchObject([{ attributes: { at }, messageId: 'm1' }]);
    await driven.replay();
    expect(await driven.letters()).toMatchObject([{ attributes: { at }, messageId: 'm1', generation: 1 }]);
    Object.assign(broken, { schema: false });
    expect(await driven.replay()).toMatchObject([{ outcome: 'replayed', sent: 1, late: 0 }]);
    expect(seen).toEqual([['m1', at]]);
  });
});
