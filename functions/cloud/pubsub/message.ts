/**
 * Envelopes and ticks as Pub/Sub messages. The elements travel as they are encoded, as the message's data; everything else
 * is an attribute, so that subscriptions can filter and people can see what goes by. Invariant: decoding gives back what
 * was encoded, and refuses what this pipeline cannot have sent.
 *
 * Each names the epoch that sent it: all that an epoch has sent was taken before the next one began, and its watermarks hold
 * for nobody else. The first epoch is not named.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import { isRootId, isShardRoot, parseShardId, shardId } from '../../engine/protocol/names.ts';
import type { Range } from '../../engine/protocol/ranges.ts';
import { DecodeError, messageOf } from '../../model/errors.ts';
import { type EpochMillis, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../model/time.ts';
import type { BusMessage, Envelope, Tick, ViewFact } from '../../ports/bus.ts';

/** A message's payload, as it is published and as it is pushed. */
export interface WireMessage {
  readonly data: Uint8Array;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Data longer than this is compressed. */
const COMPRESS_ABOVE = 4 * 1024;
/** An envelope has at most 256 KiB, a tick far less; what unpacks to more is a bomb. */
const MAX_UNPACKED = 4 * 1024 * 1024;
const GZIP = 'gzip';

type TickBody = Pick<Tick, 'settled' | 'gone' | 'views'>;

/** @param epoch of who sends it */
export function encodeMessage(message: BusMessage, pipeline: string, epoch = 1): WireMessage {
  const { stage, shard } = parseShardId(message.target);
  const of = epoch === 1 ? {} : { epoch: String(epoch) };
  const place = { pipeline, ...of, stage, shard: String(shard), kind: message.kind };
  const inputWatermark = String(message.inputWatermark);
  if (message.kind === 'tick') {
    const { outputWatermark, processingTime, settled, gone, views } = message;
    const times = { inputWatermark, outputWatermark: String(outputWatermark), processingTime: String(processingTime) };
    const body: TickBody = { settled, gone, ...(views === undefined ? {} : { views }) };
    return packed(JSON.stringify(body), { ...place, ...times });
  }
  const { sender, number, earliest, count, body } = message;
  const numbers = { number: String(number), earliest: String(earliest), count: String(count) };
  return packed(body, { ...place, sender, ...numbers, inputWatermark });
}

/**
 * @throws {DecodeError} naming the attribute, when it is no message of this pipeline. Never worth a retry: what was really
 * sent stays open at its sender, and a sweep sends it again
 */
export function decodeMessage(message: WireMessage, pipeline: string): BusMessage {
  const { attributes } = message;
  if (attributes['pipeline'] !== pipeline) throw refused('pipeline', attributes['pipeline'], `'${pipeline}'`);
  const target = shardId(attributes['stage'] ?? '', wholeNumber(attributes, 'shard', 0));
  if (!isRootId(target) || !isShardRoot(target)) throw refused('stage', attributes['stage'], 'the name of a stage');
  const inputWatermark = instant(attributes, 'inputWatermark');
  switch (attributes['kind']) {
    case 'envelope':
      return decodeEnvelope(message, target, inputWatermark);
    case 'tick':
      return decodeTick(message, target, inputWatermark);
    default:
      throw refused('kind', attributes['kind'], "'envelope' or 'tick'");
  }
}

/** The epoch that sent a message. @throws {DecodeError} when it names none that can be */
export function epochOf({ attributes }: Pick<WireMessage, 'attributes'>): number {
  return attributes['epoch'] === undefined ? 1 : wholeNumber(attributes, 'epoch', 1);
}

function decodeEnvelope(message: WireMessage, target: string, inputWatermark: EpochMillis): Envelope {
  const { attributes } = message;
  const { sender } = attributes;
  if (!isRootId(sender)) throw refused('sender', sender, 'the name of a root');
  const number = wholeNumber(attributes, 'number', 1);
  const count = wholeNumber(attributes, 'count', 1);
  const earliest = instant(attributes, 'earliest');
  const body = unpacked(message);
  if (!body.startsWith('[[') || !body.endsWith(']]')) throw refused('data', body, 'a list of elements');
  return { kind: 'envelope', target, sender, number, earliest, count, inputWatermark, body };
}

function decodeTick(message: WireMessage, target: string, inputWatermark: EpochMillis): Tick {
  const facts = tickBody(unpacked(message));
  const outputWatermark = instant(message.attributes, 'outputWatermark');
  const processingTime = instant(message.attributes, 'processingTime');
  return { kind: 'tick', target, inputWatermark, outputWatermark, processingTime, ...facts };
}

function tickBody(text: string): TickBody {
  let body: Partial<TickBody> | null;
  try {
    body = JSON.parse(text);
  } catch {
    throw refused('data', text, 'JSON');
  }
  const { settled, gone, views } = body ?? {};
  const facts = entries(settled);
  if (!facts?.every(([root, ranges]) => isRootId(root) && Array.isArray(ranges) && ranges.every(isRange)))
    throw refused('data.settled', text, 'ranges of numbers by root');
  if (!Array.isArray(gone) || !gone.every(isRootId)) throw refused('data.gone', text, 'names of roots');
  if (views === undefined) return { settled: Object.fromEntries(facts), gone };
  const seen = entries(views);
  if (!seen?.every(([, fact]) => isViewFact(fact))) throw refused('data.views', text, 'facts of views');
  return { settled: Object.fromEntries(facts), gone, views: Object.fromEntries(seen) };
}

function entries<T>(value: Readonly<Record<string, T>> | undefined): [string, T][] | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined;
}

function isViewFact(value: unknown): value is ViewFact {
  const { revision, watermark, passed } = (value ?? {}) as Partial<ViewFact>;
  return Number.isSafeInteger(revision) && isInstant(watermark) && isInstant(passed);
}

function isRange(value: unknown): value is Range {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [from, to] = value;
  return Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 1 && from <= to;
}

function packed(text: string, attributes: Record<string, string>): WireMessage {
  const data = Buffer.from(text);
  if (data.length <= COMPRESS_ABOVE) return { data, attributes };
  return { data: gzipSync(data, { level: 1 }), attributes: { ...attributes, encoding: GZIP } };
}

function unpacked({ data, attributes }: WireMessage): string {
  const { encoding } = attributes;
  if (encoding === undefined) return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString();
  if (encoding !== GZIP) throw refused('encoding', encoding, `'${GZIP}' or none`);
  try {
    return gunzipSync(data, { maxOutputLength: MAX_UNPACKED }).toString();
  } catch (cause) {
    throw new DecodeError(`a message's data cannot be unpacked: ${messageOf(cause)}`, { cause });
  }
}

function wholeNumber(attributes: WireMessage['attributes'], name: string, least: number): number {
  const text = attributes[name] ?? '';
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least)
    throw refused(name, attributes[name], `a whole number from ${least} up`);
  return value;
}

function instant(attributes: WireMessage['attributes'], name: string): EpochMillis {
  const text = attributes[name] ?? '';
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !isInstant(value)) throw refused(name, attributes[name], 'an instant');
  return value;
}

function isInstant(value: unknown): value is EpochMillis {
  return Number.isInteger(value) && (value as number) >= MIN_TIMESTAMP && (value as number) <= MAX_TIMESTAMP;
}

function refused(attribute: string, value: string | undefined, expected: string): DecodeError {
  return new DecodeError(
    `a message's ${attribute}: expected ${expected}, got ${JSON.stringify(value?.slice(0, 100)) ?? 'nothing'}`,
  );
}
