/**
 * What the root of an enriching shard keeps: which elements wait in which runs, which batches are with the model or wait
 * for another try, and how many requests may be made. Pure.
 *
 * Invariants
 * - An element that was taken stands in exactly one place: in a waiting run or in one batch. It leaves with its output or
 *   its dead letter, in the commit that settles its batch.
 * - A batch keeps its number and so its idempotency key until it is settled; its halves are new batches.
 * - A batch is settled only under the claim that is current; a result of an older claim is dropped.
 * - Runs hold the watermark at their earliest element, batches at theirs.
 */
import type { EnrichBatch } from '../../model/graph.ts';
import { type EpochMillis, earlier, later, MAX_TIMESTAMP, plus } from '../../model/time.ts';
import { type Bucket, nextToken } from './token-bucket.ts';

/** Elements `from` up to, not including, `to` of a run's document. */
export type Piece = readonly [run: number, from: number, to: number];

/** A run's document with elements that are in no batch yet: those from `from` on. */
export interface WaitingRun {
  readonly run: number;
  readonly from: number;
  readonly count: number;
  readonly characters: number;
  readonly earliest: EpochMillis;
  /** When it came. */
  readonly since: EpochMillis;
}

export interface Claim {
  /** Set anew by each claim; a result must name it. */
  readonly id: string;
  /** Until then whoever claimed it is believed to be at work. */
  readonly lease: EpochMillis;
}

export interface Batch {
  readonly number: number;
  readonly pieces: readonly Piece[];
  readonly count: number;
  readonly earliest: EpochMillis;
  /** When it was first shown to the model. */
  readonly since: EpochMillis;
  /** How often in a row the model could not answer. */
  readonly failures: number;
  /** How often in a row it answered less than it was asked. */
  readonly partial: number;
  /** Absent: it waits, until `due`. */
  readonly claim?: Claim;
  readonly due: EpochMillis;
  /** Why it waits. */
  readonly reason?: string;
}

/** What has happened since the pipeline began. */
export interface EnrichCounters {
  readonly calls: number;
  readonly instances: number;
  /** Elements that needed no call: an equal instance was answered lately, or is in the same batch. */
  readonly cached: number;
  readonly throttled: number;
  /** Tries again, of whole batches. */
  readonly retries: number;
  readonly halved: number;
  readonly dead: number;
  /** Time spent in calls. */
  readonly millis: number;
  readonly tokens: number;
  /** By the author's prices. */
  readonly cost: number;
}

export interface EnrichState {
  /** The last run's number. */
  readonly run: number;
  /** The last batch's number. */
  readonly batch: number;
  readonly waiting: readonly WaitingRun[];
  readonly batches: readonly Batch[];
  /** What waits up to this run was looked at, and does not fill a batch. */
  readonly notFull: number;
  /** Absent until something was claimed. */
  readonly bucket?: Bucket;
  readonly counters: EnrichCounters;
  /** When ids of the shard are next to be forgotten. */
  readonly idsDue: EpochMillis;
}

export const NO_ENRICHMENTS: EnrichCounters = {
  calls: 0,
  instances: 0,
  cached: 0,
  throttled: 0,
  retries: 0,
  halved: 0,
  dead: 0,
  millis: 0,
  tokens: 0,
  cost: 0,
};

const EMPTY: EnrichState = {
  run: 0,
  batch: 0,
  waiting: [],
  batches: [],
  notFull: 0,
  counters: NO_ENRICHMENTS,
  idsDue: MAX_TIMESTAMP,
};

export function enrichState(of: { readonly extra?: unknown }): EnrichState {
  return (of.extra as EnrichState | undefined) ?? EMPTY;
}

export function withCounted(state: EnrichState, counted: Partial<EnrichCounters>): EnrichState {
  const counters: Record<string, number> = { ...state.counters };
  for (const [name, count] of Object.entries(counted)) counters[name] = (counters[name] ?? 0) + count;
  return { ...state, counters: counters as unknown as EnrichCounters };
}

/** How many elements wait in runs. */
export function waitingCount({ waiting }: EnrichState): number {
  return waiting.reduce((sum, { count }) => sum + count, 0);
}

/** Where the shard's holds stand: one for each waiting run and batch. */
export function holdsOf({ waiting, batches }: EnrichState): EpochMillis[] {
  return [...waiting, ...batches].map(({ earliest }) => earliest);
}

/** Whether any batch or waiting run still needs a run's document. */
export function isNeeded({ waiting, batches }: EnrichState, run: number): boolean {
  return (
    waiting.some((each) => each.run === run) || batches.some(({ pieces }) => pieces.some((piece) => piece[0] === run))
  );
}

/** When something can be done without new elements; `MAX_TIMESTAMP` = never. */
export function dueTime(state: EnrichState, urgency: EnrichBatch): EpochMillis {
  let claimable: EpochMillis = MAX_TIMESTAMP;
  let lease: EpochMillis = MAX_TIMESTAMP;
  for (const { claim, due } of state.batches)
    if (claim === undefined) claimable = earlier(claimable, due);
    else lease = earlier(lease, claim.lease);
  const [first] = state.waiting;
  if (first !== undefined)
    claimable = earlier(claimable, isFull(state, urgency) ? first.since : plus(first.since, urgency.wait));
  const withToken = state.bucket === undefined ? claimable : later(claimable, nextToken(state.bucket));
  return earlier(lease, withToken);
}

/**
 * Whether as much may wait as one request holds, as far as can be told without reading it: by the elements' bytes, which
 * are more than the instances' as a rule.
 */
export function isFull(state: EnrichState, { instances, bytes }: EnrichBatch): boolean {
  if ((state.waiting.at(-1)?.run ?? 0) <= state.notFull) return false;
  let count = 0;
  let characters = 0;
  for (const run of state.waiting) {
    count += run.count;
    characters += run.characters;
  }
  return count >= instances || characters >= bytes;
}
