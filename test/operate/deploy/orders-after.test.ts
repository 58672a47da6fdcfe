import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { writeControl } from '../../../functions/engine/control.ts';
import { PIPELINE_DOCUMENT } from '../../../functions/engine/pipeline-document.ts';
import { boundedOutOfOrderness, count, fixedWindows, pipeline } from '../../../functions/index.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { MemorySubscriptions } from '../../../functions/local/memory-subscriptions.ts';
import { SeededIds, VirtualClock } from '../../../functions/local/virtual-clock.ts';
import type { EpochMillis } from '../../../functions/model/time.ts';
import { describeOrders, holdOrders } from '../../../functions/operate/deploy/orders-after.ts';
import { drain } from '../../../functions/operate/drain.ts';
import { pause } from '../../../functions/operate/pause.ts';
import { admit } from '../../../functions/operate/upgrade.ts';
import { plan } from '../../../functions/plan/plan.ts';
import { storedShape } from '../../../functions/plan/stored-shape.ts';

const counts = plan(
  pipeline('counts', (p) => {
    p.readPubSub('events', {
      schema: z.object({ at: z.number() }),
      eventTime: ({ at }) => at,
      watermark: boundedOutOfOrderness('1m'),
    })
      .keyBy('by-hour', ({ at }) => at % 24)
      .window('hourly', fixedWindows('1h'))
      .combinePerKey('count', count())
      .writePubSub('out', { topic: 'counted', id: ({ key }) => String(key) });
  }),
);
const AT = Date.UTC(2026, 0, 1) as EpochMillis;

let store: MemoryStore;
let bus: MemoryBus;
let subscriptions: MemorySubscriptions;
const clock = new VirtualClock(AT);
beforeEach(async () => {
  store = new MemoryStore({ strict: true });
  bus = new MemoryBus(new SeededIds(1));
  subscriptions = new MemorySubscriptions(bus);
  await admit(store, counts, AT);
});

/** Starts everything, as a deployment does, and lets orders hold again. */
async function applied() {
  bus.paused.clear();
  subscriptions.stopped.clear();
  return holdOrders(store, subscriptions, clock, storedShape(counts));
}

describe('after a deployment', () => {
  it('nothing is stopped where nothing was ordered', async () => {
    const orders = await applied();
    expect(orders).toEqual({ paused: [], drainingSince: null });
    expect(describeOrders('counts', orders)).toEqual([]);
    expect([bus.paused.size, subscriptions.stopped.size]).toEqual([0, 0]);
  });

  it('a stage that was paused before is paused again', async () => {
    await pause(store, subscriptions, clock, 'count');
    expect(await applied()).toEqual({ paused: ['count'], drainingSince: null });
    expect([...bus.paused]).toEqual(['count']);
  });

  it('a stage that was half resumed is resumed', async () => {
    const count = { since: AT, delivery: {}, step: 'resuming' } as const;
    await writeControl(store, 'paused', { stages: { count } }, undefined);
    expect(await applied()).toEqual({ paused: [], drainingSince: null });
    expect((await store.get('control', ['paused']))[0]?.body).toEqual({ stages: {} });
  });

  it('the sources of a drain that was ordered meanwhile are stopped again, and a deployment is refused until it is through', async () => {
    // A sweep has run.
    await store.raise(PIPELINE_DOCUMENT, { 'out:count': AT, 'moved:count': AT });
    await drain(store, subscriptions, clock, ['events']);
    expect(await applied()).toEqual({ paused: [], drainingSince: AT });
    expect([...subscriptions.stopped]).toEqual(['events']);
    await expect(admit(store, counts, AT)).rejects.toThrow(
      "'counts' drains since 2026-01-01T00:00:00.000Z, and until it is through nothing is deployed or started afresh, which would lose what is left: 1 stages are open (count)",
    );
  });
});
