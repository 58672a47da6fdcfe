/** What a test sends. */
import type { ReadRecord } from '../../engine/ingest/split-reader.ts';
import type { SourceDecoder } from '../../engine/ingest/source-decoder.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { type Instant, instant } from '../../model/instant.ts';
import type { EpochMillis } from '../../model/time.ts';

/** A value with its event time. */
export class Timestamped {
  readonly value: unknown;
  readonly timestamp: EpochMillis;

  constructor(value: unknown, timestamp: EpochMillis) {
    this.value = value;
    this.timestamp = timestamp;
  }
}

/**
 * A value that happened at an instant, whatever its source would read from it.
 * @example await test.send('scores', timestamped(7, 1_000))
 */
export function timestamped(value: unknown, at: Instant): Timestamped {
  return new Timestamped(value, instantOf('timestamped(at)', at));
}

/** Reads values as their source does. What it cannot read goes the way of what cannot be read. */
export function readRecords(
  decoder: SourceDecoder,
  values: readonly unknown[],
  firstId: number,
  arrival: EpochMillis,
): ReadRecord[] {
  return values.map((given, i) => {
    const value = given instanceof Timestamped ? given.value : given;
    const raw = { value, id: String(firstId + i), arrival };
    try {
      const decoded = decoder.decode(raw);
      if (!(given instanceof Timestamped)) return { raw, decoded };
      return { raw, decoded: { ...decoded, element: { ...decoded.element, timestamp: given.timestamp } } };
    } catch (error) {
      return { raw, error };
    }
  });
}

/** @throws {ConfigurationError} naming the field when it is no instant */
export function instantOf(field: string, at: Instant): EpochMillis {
  const read = instant(at);
  if (read === undefined)
    throw new ConfigurationError(
      `${field}: expected an instant, such as 1000 or '2026-01-01T00:00Z'; got ${String(at)}`,
    );
  return read;
}
