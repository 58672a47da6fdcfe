/**
 * Sources: where elements come from, when they happened, and how far the source is known to be complete.
 */
import { optionalFunction, plainFunction } from './author-function.ts';
import { ConfigurationError } from './errors.ts';
import type { Instant } from './instant.ts';
import { checkOptions, type OptionNames } from './options.ts';
import { type Duration, type EpochMillis, type Millis, millis } from './time.ts';

/** Anything with zod's `parse`: returns the value, typed, or throws with a reason. */
export interface Schema<T> {
  parse(input: unknown): T;
}

/**
 * What the watermark does while a source has no messages. `'advance'`: it follows processing time, since an element that
 * is published now has happened now, less the delay. `'wait'`: it stays where the last element has brought it.
 */
export type WhenIdle = 'advance' | 'wait';

/** How the watermark of a source is estimated from the elements that it has delivered. */
export type WatermarkPolicy =
  /** No element comes later than `delay` after the largest event time seen. */
  | {
      readonly kind: 'boundedOutOfOrderness';
      readonly delay: Millis;
      readonly maxLag?: Millis;
      readonly whenIdle?: WhenIdle;
    }
  /** The watermark follows processing time, `lag` behind. */
  | { readonly kind: 'processingTime'; readonly lag: Millis }
  /** Like `boundedOutOfOrderness`, without waiting for a backlog sample: trusts that messages arrive within `slack`. */
  | {
      readonly kind: 'trustArrival';
      readonly delay: Millis;
      readonly slack: Millis;
      readonly whenIdle?: WhenIdle;
    }
  /** Stays at the beginning until a bounded source ends. */
  | { readonly kind: 'atEnd' };

/**
 * Event times are out of order by at most `delay`: the watermark is the largest event time seen, less `delay`.
 * @param options.maxLag the watermark never falls further behind processing time than this, even without a fresh backlog sample
 * @param options.whenIdle default `'advance'`; `'wait'` for a source that names its arrival times, which is a replay
 */
export function boundedOutOfOrderness(
  delay: Duration,
  options: { readonly maxLag?: Duration; readonly whenIdle?: WhenIdle } = {},
): WatermarkPolicy {
  checkOptions('boundedOutOfOrderness(options)', options, { maxLag: true, whenIdle: true });
  const { maxLag, whenIdle } = options;
  return {
    kind: 'boundedOutOfOrderness',
    delay: millis('boundedOutOfOrderness(delay)', delay),
    ...(maxLag === undefined ? {} : { maxLag: millis('boundedOutOfOrderness(maxLag)', maxLag, 1) }),
    ...(whenIdle === undefined ? {} : { whenIdle: checkedWhenIdle('boundedOutOfOrderness(whenIdle)', whenIdle) }),
  };
}

/** Event times never step back. */
export function monotonic(): WatermarkPolicy {
  return boundedOutOfOrderness(0);
}

/** The watermark is processing time less `lag`, whatever comes. */
export function processingTime(lag: Duration): WatermarkPolicy {
  return { kind: 'processingTime', lag: millis('processingTime(lag)', lag) };
}

/** The low-latency choice: like `boundedOutOfOrderness(delay)`, but messages are trusted to arrive within `slack` of their publishing. */
export function trustArrival(
  slack: Duration,
  delay: Duration = 0,
  options: { readonly whenIdle?: WhenIdle } = {},
): WatermarkPolicy {
  checkOptions('trustArrival(options)', options, { whenIdle: true });
  const { whenIdle } = options;
  return {
    kind: 'trustArrival',
    slack: millis('trustArrival(slack)', slack),
    delay: millis('trustArrival(delay)', delay),
    ...(whenIdle === undefined ? {} : { whenIdle: checkedWhenIdle('trustArrival(whenIdle)', whenIdle) }),
  };
}

function checkedWhenIdle(field: string, value: WhenIdle): WhenIdle {
  if (value !== 'advance' && value !== 'wait')
    throw new ConfigurationError(`${field}: expected 'advance' or 'wait', got ${JSON.stringify(value)}`);
  return value;
}

/** What is known of a record beside its value. */
export interface RecordFacts {
  /** A message's id, or a place in a file. */
  readonly id: string;
  /** When it was published, or read. */
  readonly arrival: EpochMillis;
  /** A message's attributes; empty for files. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** What a source's author decides; `T` comes from the schema. */
export interface SourceOptions<T> {
  /** What does not parse becomes a dead letter. */
  readonly schema: Schema<T>;
  /**
   * When the element happened. Default: when it was published, or read. In a replay (a run in which a source names its
   * arrival times) nobody knows when messages were published, so there it is needed; files count as read when it began.
   */
  readonly eventTime?: (value: T, record: RecordFacts) => Instant;
  /** When the element arrived, for replays of files: processing time follows it. Default: the clock. */
  readonly arrivalTime?: (value: T, record: RecordFacts) => Instant;
  /** What identifies an element beyond one message, since a publisher's own retry makes a new message. Default: the message id. */
  readonly id?: (value: T, record: RecordFacts) => string;
  /** Default: `boundedOutOfOrderness('1m')` for Pub/Sub; for files the watermark waits for the end. */
  readonly watermark?: WatermarkPolicy;
  /** An event's time moves the watermark at most to its arrival plus this. Default one minute. */
  readonly maxAhead?: Duration;
}

export interface PubSubSourceOptions<T> extends SourceOptions<T> {
  /** The topic's short name. Default: the source's name. */
  readonly topic?: string;
  /** `'atLeastOnce'` keeps no ids: a message that Pub/Sub repeats counts twice. Default `'exactlyOnce'`. */
  readonly delivery?: 'exactlyOnce' | 'atLeastOnce';
  /**
   * How long ids are remembered: a repetition is known that is delivered within half of it; the other half is what an
   * instance may take over a message. At least a minute. Default one hour.
   */
  readonly idHorizon?: Duration;
}

export interface FileSourceOptions<T> extends SourceOptions<T> {
  /** Where the file is, unless `--input` names another. What kind it is its name says: `.jsonl`, `.csv`, `.json`, `.parquet`. */
  readonly path?: string;
}

const COMMON = { schema: true, eventTime: true, arrivalTime: true, id: true, watermark: true, maxAhead: true } as const;
const PUBSUB_OPTIONS: OptionNames<PubSubSourceOptions<unknown>> = {
  ...COMMON,
  topic: true,
  delivery: true,
  idHorizon: true,
};
const FILE_OPTIONS: OptionNames<FileSourceOptions<unknown>> = { ...COMMON, path: true };

type Read<R> = (value: unknown, record: RecordFacts) => R;

/** A source with its defaults filled in and its durations read. */
export interface Source {
  readonly kind: 'pubSub' | 'file';
  readonly schema: Schema<unknown>;
  readonly eventTime: Read<Instant> | undefined;
  readonly arrivalTime: Read<Instant> | undefined;
  readonly id: Read<string> | undefined;
  readonly watermark: WatermarkPolicy;
  readonly maxAhead: Millis;
  readonly topic: string;
  readonly path: string | undefined;
  readonly exactlyOnce: boolean;
  readonly idHorizon: Millis;
}

export function pubSubSource<T>(name: string, options: PubSubSourceOptions<T>): Source {
  checkOptions<PubSubSourceOptions<T>>(`readPubSub '${name}'`, options, PUBSUB_OPTIONS);
  return {
    ...common(name, options),
    kind: 'pubSub',
    watermark: options.watermark ?? boundedOutOfOrderness('1m'),
    topic: options.topic ?? name,
    path: undefined,
    exactlyOnce: options.delivery !== 'atLeastOnce',
    idHorizon: millis(`readPubSub '${name}' idHorizon`, options.idHorizon ?? '1h', 60_000),
  };
}

export function fileSource<T>(name: string, options: FileSourceOptions<T>): Source {
  checkOptions<FileSourceOptions<T>>(`readFile '${name}'`, options, FILE_OPTIONS);
  return {
    ...common(name, options),
    kind: 'file',
    watermark: options.watermark ?? { kind: 'atEnd' },
    topic: name,
    path: options.path,
    exactlyOnce: true,
    idHorizon: 0 as Millis,
  };
}

function common<T>(name: string, options: SourceOptions<T>) {
  if (typeof options?.schema?.parse !== 'function')
    throw new ConfigurationError(
      `source '${name}': schema: expected something with a parse method, such as a zod schema`,
    );
  const read = <R>(field: string, fn: ((value: T, record: RecordFacts) => R) | undefined): Read<R> | undefined =>
    optionalFunction(`source '${name}' ${field}`, fn) as Read<R> | undefined;
  const { schema } = options;
  return {
    schema: { parse: plainFunction(`source '${name}' schema.parse`, (input: unknown) => schema.parse(input)) },
    eventTime: read('eventTime', options.eventTime),
    arrivalTime: read('arrivalTime', options.arrivalTime),
    id: read('id', options.id),
    maxAhead: millis(`source '${name}' maxAhead`, options.maxAhead ?? '1m'),
  };
}
