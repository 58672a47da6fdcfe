/**
 * Look-ups: each element with what a store outside has under its key, asked for in batches within a bundle.
 *
 * Invariants: an element goes on, or becomes a dead letter, in the bundle in which it came; an answer that is kept is used
 * for no longer than its author allowed; a store that is down delays elements and loses none.
 */
import { plainFunction } from '../author-function.ts';
import { PCollection, main } from '../collection.ts';
import type { ElementContext } from '../dofn.ts';
import { ConfigurationError } from '../errors.ts';
import type { Key } from '../key.ts';
import { checkOptions } from '../options.ts';
import type { Schema } from '../source.ts';
import { type Duration, type Millis, millis } from '../time.ts';

/** Asks a store. Made in `setup`, once for each instance of the step. */
export interface LookUpClient<K extends Key, R> {
  /**
   * The answers, one for each key and in their order; `undefined` where the store has nothing, an `Error` where this key's
   * answer is bad: what asked for it becomes a dead letter. A `RetryableError` where it was not to be had now: the bundle
   * runs again and asks for it, and not for the others, whose answers are kept.
   * @param keys no two alike, and at most as many as the step's `batch`
   * @throws {RetryableError} when the store is down or throttles; the bundle runs again, with growing waits. Any other error
   * is tried again for each key by itself, and then ends what asked for it as dead letters
   */
  get(keys: readonly K[]): Promise<readonly (R | Error | undefined)[]>;
  /** In `teardown`. */
  close?(): void | Promise<void>;
}

export interface LookUpCacheOptions {
  /** Answers kept, those used last. 0 keeps none. Default 10,000. */
  readonly entries?: number;
  /** How long an answer is good, in processing time. Default 10 minutes. */
  readonly ttl?: Duration;
  /** How long it is believed that there is none. Default 1 minute. */
  readonly negativeTtl?: Duration;
}

export interface LookUpOptions<T, K extends Key, R> {
  /** What to ask for. */
  readonly key: (value: T, context: ElementContext) => K;
  /** Makes the client; `millrace/lookup` has some for HTTP and Firestore. */
  readonly client: () => LookUpClient<K, R> | Promise<LookUpClient<K, R>>;
  /** Anything with zod's `parse`: what does not parse is a bad answer. Default: answers are taken as they are. */
  readonly schema?: Schema<R>;
  /** Keys asked for at once; from 1 to 1,000. Default 100. */
  readonly batch?: number;
  readonly cache?: LookUpCacheOptions;
}

/** How answers are kept; all filled in. */
export interface LookUpCache {
  readonly entries: number;
  readonly ttl: Millis;
  readonly negativeTtl: Millis;
}

/** An element and what the store has for it. */
export interface LookedUp<T, R> {
  readonly value: T;
  /** `null` where the store has nothing. */
  readonly found: R | null;
}

/**
 * Each element with what a store has under its key.
 *
 * Answers change with time, so an element that a source delivers twice must not be looked up twice: behind a Pub/Sub source
 * the plan puts a reshuffle by id before it.
 * @throws {ConfigurationError} naming the option that is out of range
 * @example lookUp('with-merchant', payments, { key: (payment) => payment.merchant, client: firestoreLookUp({ collection: 'merchants' }) })
 */
export function lookUp<T, K extends Key, R>(
  name: string,
  collection: PCollection<T>,
  options: LookUpOptions<T, K, R>,
): PCollection<LookedUp<T, R>> {
  const where = `lookUp '${name}'`;
  checkOptions(where, options, { key: true, client: true, schema: true, batch: true, cache: true });
  checkOptions<LookUpCacheOptions>(`${where} cache`, options.cache ?? {}, {
    entries: true,
    ttl: true,
    negativeTtl: true,
  });
  if (typeof options.client !== 'function')
    throw new ConfigurationError(
      `${where} client: expected a function that makes a client, got ${typeof options.client}`,
    );
  const { entries, ttl, negativeTtl } = options.cache ?? {};
  const node = collection.builder.add({
    kind: 'lookUp',
    name,
    inputs: [collection.ref],
    key: plainFunction(`${where} key`, options.key) as never,
    makeClient: options.client as never,
    schema: options.schema as Schema<unknown> | undefined,
    batch: wholeNumber(`${where} batch`, options.batch ?? 100, 1, 1_000),
    cache: {
      entries: wholeNumber(`${where} cache.entries`, entries ?? 10_000, 0, 10_000_000),
      ttl: millis(`${where} cache.ttl`, ttl ?? '10m'),
      negativeTtl: millis(`${where} cache.negativeTtl`, negativeTtl ?? '1m'),
    },
  });
  return new PCollection<LookedUp<T, R>>(collection.builder, main(node), collection.strategy, collection.bounded);
}

function wholeNumber(field: string, value: number, least: number, most: number): number {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new ConfigurationError(`${field}: expected a whole number from ${least} to ${most}, got ${value}`);
  return value;
}
