import { hash } from 'node:crypto';
import type { EpochMillis } from '../../model/time.ts';
import type { RawRecord } from './source-decoder.ts';

/** A message of a source that delivers at least once. */
export interface SourceMessage {
  /** The same for every delivery of one publish, another when the publisher tried again. */
  readonly id: string;
  /** The same for every delivery. */
  readonly publishTime: EpochMillis;
  /** Parsed JSON; the payload's text where it is no JSON, which a schema of texts takes. */
  readonly data: unknown;
  readonly attributes: Readonly<Record<string, string>>;
  /** Set when nothing can be made of the payload, not even text; then `data` describes it. */
  readonly problem?: string;
}

export function rawRecord({ id, publishTime, data, attributes, problem }: SourceMessage): RawRecord {
  return { id, arrival: publishTime, value: data, attributes, ...(problem === undefined ? {} : { problem }) };
}

/** Pub/Sub adds attributes of this name to what it gives to a dead-letter topic. */
const ADDED_BY_PUBSUB = 'CloudPubSubDeadLetter';
/** 36 bits: among the messages that were published in one millisecond, those of other content are told apart. */
const MARK_LENGTH = 6;

/**
 * A mark of what was published, and when: the same for the message and for the copy of it on a dead-letter topic, which has
 * an id of its own. Two messages of one content that were published in the same millisecond have one mark; what is nested
 * too deep to be printed counts as nothing.
 */
export function markOf({ publishTime, data, attributes }: SourceMessage): string {
  const own = Object.entries(attributes).filter(([name]) => !name.startsWith(ADDED_BY_PUBSUB));
  own.sort(([a], [b]) => (a < b ? -1 : 1));
  const text = printed([publishTime, data, own]) ?? JSON.stringify([publishTime, null, own]);
  return hash('sha256', text, 'base64url').slice(0, MARK_LENGTH);
}

function printed(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
