import { describe, expect, it } from 'vitest';
import {
  boundedOutOfOrderness,
  fileSource,
  monotonic,
  pubSubSource,
  trustArrival,
} from '../../functions/model/source.ts';

const schema = { parse: (input: unknown) => input };

describe('watermark policies', () => {
  it('keep what their author has chosen, in milliseconds', () => {
    expect(boundedOutOfOrderness('30s', { maxLag: '5m', whenIdle: 'wait' })).toEqual({
      kind: 'boundedOutOfOrderness',
      delay: 30_000,
      maxLag: 300_000,
      whenIdle: 'wait',
    });
    expect(trustArrival('5s', '1m', { whenIdle: 'advance' })).toEqual({
      kind: 'trustArrival',
      slack: 5_000,
      delay: 60_000,
      whenIdle: 'advance',
    });
    expect(monotonic()).toEqual({ kind: 'boundedOutOfOrderness', delay: 0 });
  });

  it('refuse a whenIdle that is none, by name and value', () => {
    const wrong = { whenIdle: 'stop' as 'wait' };
    expect(() => boundedOutOfOrderness('1m', wrong)).toThrow(
      `boundedOutOfOrderness(whenIdle): expected 'advance' or 'wait', got "stop"`,
    );
    expect(() => trustArrival('1m', 0, wrong)).toThrow(
      `trustArrival(whenIdle): expected 'advance' or 'wait', got "stop"`,
    );
  });
});

describe('sources', () => {
  it('of messages keep ids for an hour unless told otherwise, a minute at least', () => {
    expect(pubSubSource('orders', { schema }).idHorizon).toBe(3_600_000);
    expect(pubSubSource('orders', { schema, idHorizon: '24h' }).idHorizon).toBe(86_400_000);
    expect(() => pubSubSource('orders', { schema, idHorizon: '59s' })).toThrow(`readPubSub 'orders' idHorizon`);
  });

  it('of messages wait a minute for disorder, and files for their end', () => {
    expect(pubSubSource('orders', { schema }).watermark).toEqual({ kind: 'boundedOutOfOrderness', delay: 60_000 });
    expect(fileSource('orders', { schema }).watermark).toEqual({ kind: 'atEnd' });
  });
});
