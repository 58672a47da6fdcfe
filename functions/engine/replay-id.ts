/**
 * What identifies an element that a replay brings: its first dead letter and how often it has failed. It travels as the
 * element's id, so that a later failure is known to be the next generation, and a first keyed stage never takes it for the
 * element that it has noted already.
 *
 * What failed at ingest was noted nowhere: its message may come again, and be taken once its step is mended. So a replay of
 * it keeps the id that the message's element has, and of the two the first keyed stage takes the one that comes first.
 */
import type { EpochMillis } from '../model/time.ts';
import { replayIn, withReplay } from './ids/element-id.ts';

export interface ReplayId {
  /** The dead letter of its first failure. */
  readonly origin: string;
  /** How often it had failed before this replay, less one: the generation of the dead letter that was replayed. */
  readonly generation: number;
  readonly firstFailedAt: EpochMillis;
}

const REPLAY_ID = /^replay~(\d+)~(-?\d+)~(.+)$/s;

/** @param element the id that the element of a message has, of what failed at ingest */
export function replayIdText({ origin, generation, firstFailedAt }: ReplayId, element?: string): string {
  const text = `replay~${generation}~${firstFailedAt}~${origin}`;
  return element === undefined ? text : withReplay(element, text);
}

/** The replay that an element's id tells of; undefined for elements that come from a source. */
export function parseReplayId(id: string | undefined): ReplayId | undefined {
  const text = id?.startsWith('@') ? replayIn(id) : id;
  const match = text?.startsWith('replay~') ? REPLAY_ID.exec(text) : null;
  if (!match) return undefined;
  return { generation: Number(match[1]), firstFailedAt: Number(match[2]) as EpochMillis, origin: match[3]! };
}

/** The source of an element that a replay brings under its message's id; letters of ingest are named `{source}~…`. */
export function sourceOfReplayed(id: string): string | undefined {
  const origin = id.startsWith('@') ? parseReplayId(id)?.origin : undefined;
  return origin?.slice(0, origin.indexOf('~'));
}
