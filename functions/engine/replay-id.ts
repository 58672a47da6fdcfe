/**
 * What identifies an element that a replay brings: its first dead letter and how often it has failed. It travels as the
 * element's id, so that a later failure is known to be the next generation, and a first keyed stage never takes it for the
 * element that it has noted already.
 */
import type { EpochMillis } from '../model/time.ts';

export interface ReplayId {
  /** The dead letter of its first failure. */
  readonly origin: string;
  /** How often it had failed before this replay, less one: the generation of the dead letter that was replayed. */
  readonly generation: number;
  readonly firstFailedAt: EpochMillis;
}

const REPLAY_ID = /^replay~(\d+)~(-?\d+)~(.+)$/s;

export function replayIdText({ origin, generation, firstFailedAt }: ReplayId): string {
  return `replay~${generation}~${firstFailedAt}~${origin}`;
}

/** The replay that an element's id tells of; undefined for elements that come from a source. */
export function parseReplayId(id: string | undefined): ReplayId | undefined {
  const match = id?.startsWith('replay~') ? REPLAY_ID.exec(id) : null;
  if (!match) return undefined;
  return { generation: Number(match[1]), firstFailedAt: Number(match[2]) as EpochMillis, origin: match[3]! };
}
