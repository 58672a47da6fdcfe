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
