/**
 * Requests a minute as a bucket of tokens, and how many a minute a model bears just now. Pure.
 *
 * Invariants: each request takes a token, whoever makes it and however it ends; no more than `burst` are saved up; the rate
 * is never above what the author allows. It is halved when the model says that too much is asked of it, down to a
 * twentieth, and grows back evenly over ninety seconds in which answers come.
 */
import { type EpochMillis, later, MAX_TIMESTAMP, plus } from '../../model/time.ts';

export interface Bucket {
  readonly tokens: number;
  /** When the tokens were counted. */
  readonly at: EpochMillis;
  /** Requests a minute now. */
  readonly rate: number;
  /** When the rate last changed. */
  readonly changedAt: EpochMillis;
}

const MINUTE = 60_000;
/** The burst, in milliseconds of the full rate. */
const BURST_MILLIS = 5_000;
const LOWEST_SHARE = 1 / 20;
const GROWN_AFTER = 90_000;
/** Refusals within so many milliseconds are one. */
const ONE_REFUSAL = 2_000;
/** Silence is no proof: at most so many milliseconds of growth for one answer. */
const LONGEST_GROWTH = 10_000;

/** @param full requests a minute that the author allows */
export function fullBucket(full: number, now: EpochMillis): Bucket {
  return { tokens: burst(full), at: now, rate: full, changedAt: now };
}

export function burst(full: number): number {
  return Math.max(1, (full * BURST_MILLIS) / MINUTE);
}

/** With the tokens that have come until now. */
export function refilled(bucket: Bucket, full: number, now: EpochMillis): Bucket {
  const passed = Math.max(0, now - bucket.at);
  const tokens = Math.min(burst(full), bucket.tokens + (passed * bucket.rate) / MINUTE);
  return { ...bucket, tokens, at: later(bucket.at, now) };
}

export function taken(bucket: Bucket, tokens: number): Bucket {
  return { ...bucket, tokens: bucket.tokens - tokens };
}

/** Gives back what was not used. */
export function returned(bucket: Bucket, full: number, tokens: number): Bucket {
  return { ...bucket, tokens: Math.min(burst(full), bucket.tokens + tokens) };
}

/** The model has said that too much is asked of it. */
export function lowered(bucket: Bucket, full: number, now: EpochMillis): Bucket {
  if (bucket.rate < full && now < plus(bucket.changedAt, ONE_REFUSAL)) return bucket;
  return { ...bucket, rate: Math.max(full * LOWEST_SHARE, bucket.rate / 2), changedAt: later(bucket.changedAt, now) };
}

/** The model has answered. */
export function raised(bucket: Bucket, full: number, now: EpochMillis): Bucket {
  if (bucket.rate >= full) return bucket;
  const passed = Math.min(LONGEST_GROWTH, Math.max(0, now - bucket.changedAt));
  return {
    ...bucket,
    rate: Math.min(full, bucket.rate + (full * passed) / GROWN_AFTER),
    changedAt: later(bucket.changedAt, now),
  };
}

/** When there will be a token. */
export function nextToken({ tokens, at, rate }: Bucket): EpochMillis {
  if (tokens >= 1) return at;
  return rate <= 0 ? MAX_TIMESTAMP : plus(at, Math.ceil(((1 - tokens) * MINUTE) / rate));
}
