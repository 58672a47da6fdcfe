/**
 * Grouping elements into batches. Invariant: what is buffered holds the watermark at its smallest timestamp, whatever order
 * it came in, so no batch comes out behind it; buffer and timers are one key's state, committed together.
 */
import { optionalFunction } from '../author-function.ts';
import { ConfigurationError } from '../errors.ts';
import { valueText } from '../json.ts';
import type { Key, KV } from '../key.ts';
import { checkOptions } from '../options.ts';
import { bagState, type BagState, type ValueState, valueState } from '../state.ts';
import type { StatefulDoFn } from '../stateful.ts';
import { type Duration, MAX_ELEMENT_TIMESTAMP, millis, type Millis } from '../time.ts';
import { eventTimer, processingTimer, type Timer } from '../timers.ts';
import type { WindowingStrategy } from '../windowing.ts';
import type { Window } from '../windows.ts';

export interface BatchOptions<V> {
  /** A batch has at most so many elements. Give this, `bytes`, or both. */
  readonly size?: number;
  /**
   * A batch weighs at most so much; an element that alone weighs more is a batch by itself. At most 200,000, which is the
   * default: a batch has to fit a message.
   */
  readonly bytes?: number;
  /** What an element weighs. Default: the bytes of its JSON text. */
  readonly weigh?: (value: V) => number;
  /** A batch that is not full is emitted so long, in processing time, after its first element. Default: at its window's end. */
  readonly maxBuffering?: Duration;
  /** Spreads each key over so many batches that fill at the same time. Default 1. */
  readonly shards?: number;
}

/** Batch options with their defaults filled in. */
export interface BatchPolicy<V> {
  readonly size: number;
  readonly bytes: number;
  readonly weigh: (value: V) => number;
  readonly maxBuffering: Millis | undefined;
  readonly shards: number;
}

const OPTIONS = { size: true, bytes: true, weigh: true, maxBuffering: true, shards: true } as const;
const MOST_BYTES = 200_000;

/** @throws {ConfigurationError} naming the first option that is out of range */
export function batchPolicy<V>(name: string, options: BatchOptions<V>): BatchPolicy<V> {
  const where = `groupIntoBatches '${name}'`;
  checkOptions<BatchOptions<V>>(where, options, OPTIONS);
  const whole = (field: string, value: number, most: number): number => {
    if (!Number.isSafeInteger(value) || value < 1 || value > most)
      throw new ConfigurationError(`${where} ${field}: expected a whole number from 1 to ${most}, got ${value}`);
    return value;
  };
  if (options.size === undefined && options.bytes === undefined)
    throw new ConfigurationError(`${where}: give size, the most elements of a batch, or bytes, or both`);
  return {
    size: whole('size', options.size ?? 1_000_000, 1_000_000),
    bytes: whole('bytes', options.bytes ?? MOST_BYTES, MOST_BYTES),
    weigh: optionalFunction(`${where} weigh`, options.weigh) ?? bytesOf,
    maxBuffering:
      options.maxBuffering === undefined ? undefined : millis(`${where} maxBuffering`, options.maxBuffering, 1),
    shards: whole('shards', options.shards ?? 1, 1_000),
  };
}

/** What is known of a batch without reading it. */
interface Filling {
  readonly count: number;
  readonly bytes: number;
  /** The smallest timestamp. */
  readonly earliest: number;
}

interface BatchState<V> {
  readonly buffer: BagState<V>;
  readonly filling: ValueState<Filling>;
}

type Emit<K, V> = (batch: KV<K, readonly V[]>, options: { timestamp: number }) => void;
type States = {
  readonly buffer: ReturnType<typeof bagState>;
  readonly filling: ReturnType<typeof valueState<Filling>>;
};

/** @param strategy of the collection, whose allowed lateness says when a window's last batch is emitted */
export function batchesDoFn<K extends Key, V>(
  policy: BatchPolicy<V>,
  strategy: WindowingStrategy,
): StatefulDoFn<
  K,
  V,
  KV<K, readonly V[]>,
  States,
  { full: ReturnType<typeof processingTimer>; end: ReturnType<typeof eventTimer> }
> {
  const lastInstant = ({ end }: Window): number => Math.min(end - 1 + strategy.allowedLateness, MAX_ELEMENT_TIMESTAMP);
  return {
    state: { buffer: bagState(), filling: valueState<Filling>() },
    timers: { full: processingTimer(), end: eventTimer() },
    process({ value }, { key, timestamp, window, state, timers, output }) {
      const batch = new Batch(key, state as BatchState<V>, timers.full, timers.end, output);
      const bytes = policy.weigh(value);
      if (batch.bytes > 0 && batch.bytes + bytes > policy.bytes)
        return batch.emit().then(() => {
          batch.add(value, bytes, timestamp, lastInstant(window), policy.maxBuffering);
          return batch.isFull(policy) ? batch.emit() : undefined;
        });
      batch.add(value, bytes, timestamp, lastInstant(window), policy.maxBuffering);
      return batch.isFull(policy) ? batch.emit() : undefined;
    },
    onTimer: {
      full: ({ key, state, timers, output }) =>
        new Batch(key, state as BatchState<V>, timers.full, timers.end, output).emit(),
      end: ({ key, state, timers, output }) =>
        new Batch(key, state as BatchState<V>, timers.full, timers.end, output).emit(),
    },
  };
}

/** The batch of a key and window that is filling. */
class Batch<K, V> {
  readonly #key: K;
  readonly #state: BatchState<V>;
  readonly #full: Timer;
  readonly #end: Timer;
  readonly #output: Emit<K, V>;

  constructor(key: K, state: BatchState<V>, full: Timer, end: Timer, output: Emit<K, V>) {
    this.#key = key;
    this.#state = state;
    this.#full = full;
    this.#end = end;
    this.#output = output;
  }

  get bytes(): number {
    return this.#state.filling.read()?.bytes ?? 0;
  }

  isFull({ size, bytes }: BatchPolicy<V>): boolean {
    const filling = this.#state.filling.read();
    return filling !== undefined && (filling.count >= size || filling.bytes >= bytes);
  }

  add(value: V, bytes: number, timestamp: number, lastInstant: number, maxBuffering: Millis | undefined): void {
    const before = this.#state.filling.read();
    const earliest = Math.min(timestamp, before?.earliest ?? timestamp);
    this.#state.buffer.add(value);
    this.#state.filling.write({ count: (before?.count ?? 0) + 1, bytes: (before?.bytes ?? 0) + bytes, earliest });
    if (before?.earliest !== earliest) this.#end.withOutputTimestamp(earliest).set(lastInstant);
    if (before === undefined && maxBuffering !== undefined)
      this.#full.withOutputTimestamp(earliest).offset(maxBuffering).setRelative();
  }

  async emit(): Promise<void> {
    const filling = this.#state.filling.read();
    if (filling === undefined) return;
    const value = await this.#state.buffer.read();
    this.#output({ key: this.#key, value }, { timestamp: filling.earliest });
    this.#state.buffer.clear();
    this.#state.filling.clear();
    this.#full.clear();
    this.#end.clear();
  }
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(valueText(value));
}
