import { describe, expect, it } from 'vitest';
import { encodeMessage } from '../../../functions/cloud/pubsub/message.ts';
import type { PushMessage } from '../../../functions/cloud/push/index.ts';
import { Log } from '../../../functions/cloud/service/log.ts';
import { StageHost } from '../../../functions/cloud/service/stage-host.ts';
import type { AssemblySetting } from '../../../functions/engine/assembly.ts';
import { newRoot } from '../../../functions/engine/protocol/root.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { MemoryWarehouse } from '../../../functions/local/memory-warehouse.ts';
import { SeededIds, VirtualClock } from '../../../functions/local/virtual-clock.ts';
import { OutdatedError } from '../../../functions/model/errors.ts';
import { epochMillis, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import { plan } from '../../../functions/plan/plan.ts';
import type { BusMessage, Envelope, Tick } from '../../../functions/ports/bus.ts';
import { totals } from '../../local/totals-pipeline.ts';

const SENDER = 'ingest~readings~1';

async function rig(slot = 0, epoch = 1) {
  const planned = plan(totals, { shards: 4, slots: 2 });
  const clock = new VirtualClock(epochMillis(1_000_000));
  const ids = new SeededIds(1);
  const store = new MemoryStore();
  const bus = new MemoryBus(ids);
  const lines: { severity: string; message: string }[] = [];
  const engine: AssemblySetting = {
    pipeline: planned.pipeline,
    store,
    bus,
    warehouse: new MemoryWarehouse(),
    clock,
    ids,
    topology: 1,
    epoch,
    inputWatermarkOf: () => MIN_TIMESTAMP,
  };
  await store.commit({
    preconditions: [],
    sets: [{ collection: 'roots', id: SENDER, body: newRoot(SENDER, 1) }],
    deletes: [],
  });
  const log = new Log('totals', 'my-project', (line) => lines.push(JSON.parse(line)));
  const host = new StageHost({ plan: planned, stage: planned.stage('total'), slot, engine, log });
  return { host, store, bus, lines };
}

function tick(target: string): Tick {
  const processingTime = epochMillis(1_000_000);
  return {
    kind: 'tick',
    target,
    inputWatermark: MIN_TIMESTAMP,
    outputWatermark: MIN_TIMESTAMP,
    processingTime,
    settled: {},
    gone: [],
  };
}

const ENVELOPE: Envelope = {
  kind: 'envelope',
  target: 'total~0',
  sender: SENDER,
  number: 1,
  earliest: epochMillis(5),
  count: 1,
  inputWatermark: MIN_TIMESTAMP,
  body: '[[]]',
};

function pushed(message: BusMessage, pipeline = 'totals', epoch = 1): PushMessage {
  const { data, attributes } = encodeMessage(message, pipeline, epoch);
  return {
    messageId: '7',
    publishTime: undefined,
    data: Buffer.from(data),
    attributes,
    orderingKey: undefined,
    deliveryAttempt: 1,
    subscription: undefined,
  };
}

describe('a message for a stage', () => {
  it('is taken by its shard, when that runs in this slot', async () => {
    const { host, store, bus, lines } = await rig();
    const before = store.counts.reads;
    await host.take(pushed(tick('total~2')));
    expect(store.counts.reads - before).toBeGreaterThan(0);
    expect([bus.take(), lines]).toEqual([[], []]);
  });

  it('is sent on when its shard runs in another slot, and touches nothing here', async () => {
    const { host, store, bus } = await rig();
    const before = { ...store.counts };
    await host.take(pushed(tick('total~3')));
    expect(bus.take()).toEqual([tick('total~3')]);
    expect(store.counts).toEqual(before);
  });

  it.each(['total~4', 'unknown~0'])(
    'for %s, which this deployment does not have, is acknowledged and not taken',
    async (target) => {
      const { host, store, bus, lines } = await rig();
      const before = { ...store.counts };
      await host.take(pushed(tick(target)));
      expect([store.counts, bus.take()]).toEqual([before, []]);
      expect(lines).toMatchObject([{ severity: 'WARNING', stage: 'total', shard: target }]);
    },
  );

  it('of another pipeline reaches no shard, and is not asked for again', async () => {
    const { host, store, bus, lines } = await rig();
    const before = { ...store.counts };
    await host.take(pushed(tick('total~0'), 'others'));
    expect([store.counts, bus.take()]).toEqual([before, []]);
    expect(lines).toMatchObject([{ severity: 'ERROR', code: 'DECODE', messageId: '7' }]);
  });

  it('of an epoch before is acknowledged and not taken, and so are its watermarks', async () => {
    const { host, store, bus, lines } = await rig(0, 3);
    const before = { ...store.counts };
    const envelope = { ...ENVELOPE, inputWatermark: MAX_TIMESTAMP };
    for (const epoch of [1, 2]) await host.take(pushed(envelope, 'totals', epoch));
    for (const epoch of [1, 2]) await host.take(pushed(tick('total~0'), 'totals', epoch));
    expect([store.counts, bus.take(), lines]).toEqual([before, [], []]);
    await host.take(pushed(tick('total~0'), 'totals', 3));
    expect(store.counts.reads - before.reads).toBe(1);
  });

  it('of a later epoch is left to an instance of that', async () => {
    const { host, store } = await rig(0, 2);
    const before = { ...store.counts };
    await expect(host.take(pushed(ENVELOPE, 'totals', 3))).rejects.toThrow(OutdatedError);
    expect(store.counts).toEqual(before);
  });
});
