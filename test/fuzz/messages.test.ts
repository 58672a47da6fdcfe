/** Forged and damaged messages of the bus: they are what was sent, or refused; and never another pipeline's. */
import { describe, expect, it } from 'vitest';
import { decodeMessage, encodeMessage, type WireMessage } from '../../functions/cloud/pubsub/message.ts';
import { isRootId, isShardRoot } from '../../functions/engine/protocol/names.ts';
import { DecodeError } from '../../functions/model/errors.ts';
import type { EpochMillis } from '../../functions/model/time.ts';
import type { BusMessage, Envelope, Tick } from '../../functions/ports/bus.ts';
import { Random } from '../simulation/world/random.ts';
import { AWKWARD_JSON, BROKEN_JSON, damaged, randomBytes, randomJson } from './hostile.ts';

const PIPELINE = 'orders';
const envelope: Envelope = {
  kind: 'envelope',
  target: 'totals~1',
  sender: 'ingest~orders~a1',
  number: 7,
  earliest: 5 as EpochMillis,
  count: 1,
  inputWatermark: 3 as EpochMillis,
  body: '[[0,0,5,"a",1,0,0,0]]',
};
const tick: Tick = {
  kind: 'tick',
  target: 'totals~1',
  inputWatermark: 3 as EpochMillis,
  outputWatermark: 2 as EpochMillis,
  processingTime: 9 as EpochMillis,
  settled: { 'sums~0': [[1, 4]] },
  gone: ['ingest~orders~b2'],
};

/** What decoding gives, or undefined when the message is refused as it should be. */
function decoded(message: WireMessage): BusMessage | undefined {
  try {
    return decodeMessage(message, PIPELINE);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return undefined;
  }
}

function expectWellFormed(message: BusMessage | undefined): void {
  if (message === undefined) return;
  expect(isRootId(message.target) && isShardRoot(message.target)).toBe(true);
  if (message.kind === 'envelope') expect(isRootId(message.sender) && Number.isSafeInteger(message.number)).toBe(true);
  else expect(Object.getPrototypeOf(message.settled)).toBe(Object.prototype);
}

describe('messages that nobody has sent so', () => {
  it('are refused, or well-formed, whatever their attributes are', () => {
    const random = new Random(1, 'attributes');
    let taken = 0;
    for (let i = 0; i < 5_000; i++) {
      const { data, attributes } = encodeMessage(random.pick([envelope, tick]), PIPELINE);
      const names = Object.keys(attributes);
      const changed = Object.fromEntries(
        names.flatMap((name) => {
          if (!random.chance(0.15)) return [[name, attributes[name]!]];
          return random.chance(0.3)
            ? []
            : [[name, random.pick([damaged(random, attributes[name]!), String(randomJson(random))])]];
        }),
      );
      const message = decoded({ data, attributes: changed });
      expectWellFormed(message);
      if (message !== undefined) taken += 1;
    }
    expect(taken).toBeGreaterThan(100);
  });

  it('are refused, or well-formed, whatever their data is', { timeout: 60_000 }, () => {
    const random = new Random(2, 'data');
    for (let i = 0; i < 3_000; i++) {
      const { data, attributes } = encodeMessage(random.pick([envelope, tick]), PIPELINE);
      const text = Buffer.from(data).toString();
      const other = random.pick([
        () => randomBytes(random, 200),
        () => Buffer.from(damaged(random, text)),
        () => Buffer.from(JSON.stringify(randomJson(random)) ?? ''),
        () => Buffer.from(random.pick([...AWKWARD_JSON, ...BROKEN_JSON])),
      ])();
      const encoding: Record<string, string> = random.chance(0.2) ? { encoding: 'gzip' } : {};
      expectWellFormed(decoded({ data: other, attributes: { ...attributes, ...encoding } }));
    }
  });

  it('never reach a shard of one pipeline when they are another’s', () => {
    const random = new Random(3, 'pipelines');
    for (let i = 0; i < 500; i++) {
      const pipeline = random.pick([
        'order',
        'orders2',
        'Orders',
        'orders~',
        '',
        ' orders',
        'orders\u0000',
        '__proto__',
      ]);
      const { data, attributes } = encodeMessage(random.pick([envelope, tick]), pipeline);
      expect(decoded({ data, attributes })).toBeUndefined();
    }
  });

  it('do not spoil prototypes', () => {
    const { attributes } = encodeMessage(tick, PIPELINE);
    const data = Buffer.from('{"settled":{"__proto__":[[1,2]]},"gone":[],"__proto__":{"polluted":1}}');
    expect(decoded({ data, attributes })).toBeUndefined();
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
