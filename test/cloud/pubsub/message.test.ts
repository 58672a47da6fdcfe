import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeMessage, encodeMessage, epochOf, type WireMessage } from '../../../functions/cloud/pubsub/message.ts';
import { DecodeError } from '../../../functions/model/errors.ts';
import { epochMillis, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import type { Envelope, Tick } from '../../../functions/ports/bus.ts';

const envelope: Envelope = {
  kind: 'envelope',
  target: 'delays~3',
  sender: 'ingest~flights~0a1b',
  number: 17,
  earliest: epochMillis(978_307_200_000),
  count: 2,
  inputWatermark: MIN_TIMESTAMP,
  body: '[[0,0,978307200000,"é",1,0,0,0],[0,0,978307200001,"k",2,0,0,0]]',
};
const tick: Tick = {
  kind: 'tick',
  target: 'delays~0',
  inputWatermark: epochMillis(-5),
  outputWatermark: MAX_TIMESTAMP,
  processingTime: epochMillis(1_795_997_000_000),
  settled: {
    'departures~0': [
      [1, 4],
      [6, 6],
    ],
  },
  gone: ['ingest~flights~ff'],
};
const text = ({ data }: WireMessage) => Buffer.from(data).toString();

describe('an envelope as a message', () => {
  it('has its elements as data and the rest as attributes', () => {
    const message = encodeMessage(envelope, 'flights');
    expect(text(message)).toBe(envelope.body);
    expect(message.attributes).toEqual({
      pipeline: 'flights',
      stage: 'delays',
      shard: '3',
      kind: 'envelope',
      sender: 'ingest~flights~0a1b',
      number: '17',
      earliest: '978307200000',
      count: '2',
      inputWatermark: '-8640000000000000',
    });
  });

  it('comes back as it was', () => {
    expect(decodeMessage(encodeMessage(envelope, 'flights'), 'flights')).toEqual(envelope);
  });

  it('is compressed when it is long, and says so', () => {
    const long = { ...envelope, body: `[${Array(200).fill('[0,0,978307200000,"k",1,0,0,0]').join(',')}]` };
    const message = encodeMessage(long, 'flights');
    expect(message.attributes['encoding']).toBe('gzip');
    expect(message.data.length).toBeLessThan(200);
    expect(decodeMessage(message, 'flights')).toEqual(long);
  });
});

it('a tick as a message comes back as it was', () => {
  const message = encodeMessage(tick, 'flights');
  expect(text(message)).toBe('{"settled":{"departures~0":[[1,4],[6,6]]},"gone":["ingest~flights~ff"]}');
  expect(decodeMessage(message, 'flights')).toEqual(tick);
});

it('names the epoch that has sent it, but for the first', () => {
  const later = encodeMessage(envelope, 'flights', 3);
  expect(later.attributes['epoch']).toBe('3');
  expect(decodeMessage(later, 'flights')).toEqual(envelope);
  expect([later, encodeMessage(tick, 'flights', 2), encodeMessage(tick, 'flights')].map(epochOf)).toEqual([3, 2, 1]);
  expect(() => epochOf({ attributes: { epoch: '0' } })).toThrow(
    'a message\'s epoch: expected a whole number from 1 up, got "0"',
  );
});

describe('what this pipeline cannot have sent is refused', () => {
  const good = encodeMessage(envelope, 'flights');
  const goodTick = encodeMessage(tick, 'flights');
  const withAttribute = (name: string, value: string | undefined): WireMessage => {
    const attributes: Record<string, string> = { ...good.attributes };
    if (value === undefined) delete attributes[name];
    else attributes[name] = value;
    return { ...good, attributes };
  };
  const tickWith = (body: unknown): WireMessage => ({ ...goodTick, data: Buffer.from(JSON.stringify(body)) });

  it.each([
    ['pipeline', 'orders', "a message's pipeline: expected 'flights', got \"orders\""],
    ['pipeline', undefined, "a message's pipeline: expected 'flights', got nothing"],
    ['stage', 'ingest~flights', "a message's stage: expected the name of a stage"],
    ['stage', '', "a message's stage: expected the name of a stage"],
    ['shard', '-1', 'a message\'s shard: expected a whole number from 0 up, got "-1"'],
    ['shard', '1e3', "a message's shard"],
    ['kind', 'transaction', "a message's kind: expected 'envelope' or 'tick', got \"transaction\""],
    ['sender', '__proto__', "a message's sender: expected the name of a root"],
    ['sender', 'delays', "a message's sender: expected the name of a root"],
    ['number', '0', "a message's number: expected a whole number from 1 up"],
    ['number', '9007199254740993', "a message's number"],
    ['number', '1.5', "a message's number"],
    ['count', '0', "a message's count"],
    ['earliest', 'soon', "a message's earliest: expected an instant"],
    ['earliest', '8640000000000001', "a message's earliest: expected an instant"],
    ['inputWatermark', undefined, "a message's inputWatermark: expected an instant, got nothing"],
    ['encoding', 'br', "a message's encoding: expected 'gzip' or none"],
    ['encoding', 'gzip', "a message's data cannot be unpacked"],
  ])('with the attribute %s = %s', (name, value, message) => {
    const decode = () => decodeMessage(withAttribute(name, value), 'flights');
    expect(decode).toThrow(DecodeError);
    expect(decode).toThrow(message);
  });

  it.each(['', '{}', '[]', '[[1', 'null'])('with the data %s', (data) => {
    expect(() => decodeMessage({ ...good, data: Buffer.from(data) }, 'flights')).toThrow(
      "a message's data: expected a list of elements",
    );
  });

  it.each([
    ['no JSON', { ...goodTick, data: Buffer.from('{') }],
    ['null', tickWith(null)],
    ['no facts', tickWith({ gone: [] })],
    ['facts of what is no root', tickWith({ settled: { constructor: [[1, 2]] }, gone: [] })],
    ['ranges that run backwards', tickWith({ settled: { 'a~0': [[2, 1]] }, gone: [] })],
    ['ranges of no numbers', tickWith({ settled: { 'a~0': [['1', '2']] }, gone: [] })],
    ['an infinite range', { ...goodTick, data: Buffer.from('{"settled":{"a~0":[[1,1e999]]},"gone":[]}') }],
    ['roots that are none', tickWith({ settled: {}, gone: ['a'] })],
    ['a single root', tickWith({ settled: {}, gone: 'a~0' })],
  ])('a tick with %s', (_, message) => {
    expect(() => decodeMessage(message, 'flights')).toThrow(DecodeError);
  });

  it('when it unpacks to more than an envelope can be', () => {
    const data = gzipSync(`[[${' '.repeat(5_000_000)}]]`);
    const bomb = { data, attributes: { ...good.attributes, encoding: 'gzip' } };
    expect(() => decodeMessage(bomb, 'flights')).toThrow("a message's data cannot be unpacked");
  });
});
