/**
 * The bus: carries messages to shards and to topics outside the pipeline. It is transport only: it may lose, repeat,
 * delay and reorder anything; nothing depends on it but speed.
 */
import type { EpochMillis } from '../model/time.ts';

/** What travels between roots; see `engine/protocol/envelope.ts` for the invariants. */
export type BusMessage = Envelope | Tick;

export interface Envelope {
  readonly kind: 'envelope';
  /** The root of the shard that it is for: `{stage}~{shard}`. */
  readonly target: string;
  /** The root that gave it its number. */
  readonly sender: string;
  readonly number: number;
  /** No element in it has an earlier timestamp. */
  readonly earliest: EpochMillis;
  /** How many elements it carries; for queues and metrics. */
  readonly count: number;
  /** The target's input watermark as the sender knew it. Published, so safe to adopt. */
  readonly inputWatermark: EpochMillis;
  /** The elements, encoded. */
  readonly body: string;
}

/**
 * Brings a shard what a sweep found; carries no elements. It is acknowledged without a commit when it brings nothing.
 * Every part of it is a fact that never becomes false, so ticks may be lost, repeated, reordered and old.
 */
export interface Tick {
  readonly kind: 'tick';
  readonly target: string;
  readonly inputWatermark: EpochMillis;
  readonly outputWatermark: EpochMillis;
  /** The sweep's processing time. */
  readonly processingTime: EpochMillis;
  /** Per target of this shard, ranges of its numbers that were taken. */
  readonly settled: Readonly<Record<string, readonly (readonly [from: number, to: number])[]>>;
  /** Senders whose roots are gone. */
  readonly gone: readonly string[];
  /** What is new of views that this shard reads or keeps, by view. */
  readonly views?: Readonly<Record<string, ViewFact>>;
}

/** How far a view is known to be. Each number only rises. */
export interface ViewFact {
  /** Rises whenever what readers see changes. */
  readonly revision: number;
  /** The output watermark of the view's stage: what fired before it is shown. */
  readonly watermark: EpochMillis;
  /** Nobody reads windows any more whose last instant is before this. */
  readonly passed: EpochMillis;
}

/** A message for a topic outside the pipeline. */
export interface OutsideMessage {
  readonly topic: string;
  /** The payload as text; JSON unless the author encoded it otherwise. */
  readonly data: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Bus {
  /** Sends envelopes and ticks to their shards. @throws {RetryableError} when the bus is down */
  send(messages: readonly BusMessage[]): Promise<void>;
  /** Publishes to outside topics; resolves when all were accepted. @throws {RetryableError} when the bus is down */
  publish(messages: readonly OutsideMessage[]): Promise<void>;
}
