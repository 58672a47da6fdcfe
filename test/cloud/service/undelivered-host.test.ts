import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Log } from '../../../functions/cloud/service/log.ts';
import { UndeliveredHost } from '../../../functions/cloud/service/undelivered-host.ts';
import { readDeadLetter } from '../../../functions/engine/dead-letter-document.ts';
import { boundedOutOfOrderness, count, fixedWindows, pipeline } from '../../../functions/index.ts';
import { Embedded } from '../../../functions/local/embedded.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { MemoryWarehouse } from '../../../functions/local/memory-warehouse.ts';
import { SeededIds, VirtualClock } from '../../../functions/local/virtual-clock.ts';
import { type EpochMillis, MIN_TIMESTAMP, plus } from '../../../functions/model/time.ts';
import { plan } from '../../../functions/plan/plan.ts';

const START = 1_700_000_000_000 as EpochMillis;
const HOUR = 3_600_000;
const Event = z.object({ name: z.string(), at: z.number() });

/** Counts events by name; their ids are their messages', or what the events say. */
function counts(named: boolean) {
  return plan(
    pipeline('counts', (p) => {
      p.readPubSub('events', {
        schema: Event,
        eventTime: ({ at }) => at,
        watermark: boundedOutOfOrderness('1m'),
        ...(named ? { id: ({ name }: z.infer<typeof Event>) => name } : {}),
      })
        .keyBy('by-name', ({ name }) => name)
        .window('hourly', fixedWindows('1h'))
        .combinePerKey('number', count())
        .writeBigQuery('numbers', {
          columns: { name: 'STRING', hour: 'TIMESTAMP', number: 'INT64' },
          key: ['name', 'hour'],
          row: ({ key, value }, { window }) => ({ name: key, hour: window.start, number: value }),
        });
    }),
  );
}

describe.each([
  ['ids are those of messages', false],
  ['events name their ids', true],
])('where %s, what Pub/Sub gave up on', (_, named) => {
  let clock: VirtualClock;
  let store: MemoryStore;
  let embedded: Embedded;
  let host: UndeliveredHost;
  let lines: string[];

  beforeEach(async () => {
    clock = new VirtualClock(START);
    store = new MemoryStore({ strict: true });
    lines = [];
    const [planned, bus, ids] = [counts(named), new MemoryBus(new SeededIds(3)), new SeededIds(5)];
    const warehouse = new MemoryWarehouse();
    embedded = new Embedded({ plan: planned, store, bus, warehouse, clock, ids });
    await embedded.start();
    const engine = { pipeline: 'counts', store, bus, clock, ids, topology: 1, inputWatermarkOf: () => MIN_TIMESTAMP };
    const log = new Log('counts', 'p', (line) => lines.push(line));
    host = new UndeliveredHost({ plan: planned, engine, log });
  });

  const at = (millis: number): EpochMillis => plus(START, millis);
  const event = (name: string) => ({ name, at: START });

  /** A delivery of a message to an ingest instance, whose answer nobody hears. */
  async function offered(data: unknown, publishTime: EpochMillis, attributes = {}): Promise<void> {
    await embedded.offer('events', { id: `message ${publishTime}`, publishTime, data, attributes });
  }

  /** The copy that Pub/Sub makes of it: another id, another publish time. */
  async function givenUp(data: unknown, publishTime: EpochMillis, attributes = {}, messageId = 'copy'): Promise<void> {
    await host.take({
      messageId,
      data: Buffer.from(JSON.stringify(data)),
      publishTime: clock.now(),
      orderingKey: undefined,
      deliveryAttempt: undefined,
      subscription: undefined,
      attributes: {
        ...attributes,
        CloudPubSubDeadLetterSourceSubscription: 'millrace-counts--ingest--events',
        CloudPubSubDeadLetterSourceDeliveryCount: '100',
        CloudPubSubDeadLetterSourceTopicPublishTime: new Date(publishTime).toISOString(),
      },
    });
  }

  async function reasons(): Promise<string[]> {
    const letters = await Promise.all(store.all('deadLetters').map((stored) => readDeadLetter(store, stored)));
    return letters.map(({ message }) => message);
  }

  it('is nothing when its element was taken by the stage that keeps ids', async () => {
    await offered(event('a'), at(0), { trace: '1' });
    await embedded.deliver();
    await givenUp(event('a'), at(0), { trace: '1' });
    expect(await reasons()).toEqual([]);
    expect(lines.join()).toContain('Pub/Sub gave up after 100 attempts on a message that was taken in; it counts once');
  });

  it('is nothing while its element is under way to that stage', async () => {
    await offered(event('a'), at(0));
    await givenUp(event('a'), at(0));
    expect(await reasons()).toEqual([]);
  });

  it('is one dead letter when it was never taken, however often it comes', async () => {
    await offered(event('a'), at(0));
    await embedded.deliver();
    clock.advanceTo(at(1_000));
    await givenUp(event('b'), at(500));
    await givenUp(event('b'), at(500));
    expect(await reasons()).toEqual(['Pub/Sub gave up after 100 attempts']);
  });

  it('is a dead letter that says so, when its ids may have been forgotten', async () => {
    clock.advanceTo(at(2 * HOUR));
    await givenUp(event('a'), at(0));
    expect(await reasons()).toEqual([
      'Pub/Sub gave up after 100 attempts; whether it was taken in before is not known, since its ids are not remembered',
    ]);
  });

  it(`of one content with another that was taken, ${named ? 'is that one' : 'is another one all the same'}`, async () => {
    await offered(event('a'), at(0));
    await embedded.deliver();
    clock.advanceTo(at(1_000));
    await givenUp(event('a'), at(500));
    expect(await reasons()).toHaveLength(named ? 0 : 1);
  });
});
