/**
 * What a sink's root keeps: which runs of rows wait, and the flush that is under way. Pure.
 *
 * Invariants: runs are numbered; flush `n` covers a span of runs that is frozen when it is claimed; `n + 1` is claimed only
 * after `n` was settled; a job's id follows from (pipeline, epoch, table, n, part, attempt) and nothing else, so whoever
 * repeats a flush sends the same jobs; `attempt` grows only in a commit that was made after the job was known to have failed,
 * and not for the jobs of the flush that were done before it: plain rows would be appended twice.
 */
import { type EpochMillis, MAX_TIMESTAMP, type Millis, plus } from '../../model/time.ts';

/** A flush that was claimed and not settled. */
export interface Claim {
  readonly firstRun: number;
  readonly lastRun: number;
  readonly attempt: number;
  /** The attempts under which its first jobs were done; the others are sent under `attempt`. Absent: none was. */
  readonly done?: readonly number[];
  /** Until then whoever claimed it is believed to be at work. */
  readonly lease: EpochMillis;
  /** Who claimed it; a stranger's settlement is refused. */
  readonly owner: string;
}

export interface SinkState {
  /** Settled flushes. */
  readonly flushed: number;
  readonly claim: Claim | null;
  /** The first run that waits and is not claimed. */
  readonly firstRun: number;
  /** The last run; below `firstRun` when nothing waits. */
  readonly lastRun: number;
  /** Rows and characters that wait and are not claimed; estimates once a flush had to leave some of them. */
  readonly rows: number;
  readonly characters: number;
  /** When the oldest waiting row came. */
  readonly since: EpochMillis;
}

export interface FlushPolicy {
  readonly rows: number;
  readonly bytes: number;
  readonly every: number;
}

export const LEASE = 60_000 as Millis;
/**
 * Runs of one flush, and characters of about so many: their rows are in memory together, and one commit deletes them, of
 * whose size they count as part. While a table cannot be written more wait.
 */
export const MOST_RUNS = 400;
const MOST_CHARACTERS = 6_000_000;

export const EMPTY_SINK: SinkState = {
  flushed: 0,
  claim: null,
  firstRun: 1,
  lastRun: 0,
  rows: 0,
  characters: 0,
  since: MAX_TIMESTAMP,
};

export function withRun(state: SinkState, rows: number, characters: number, now: EpochMillis): SinkState {
  return {
    ...state,
    lastRun: state.lastRun + 1,
    rows: state.rows + rows,
    characters: state.characters + characters,
    since: state.since < now ? state.since : now,
  };
}

/** When something has to be done without new rows: a flush by age, or a claim whose owner is gone. */
export function dueTime(state: SinkState, policy: FlushPolicy): EpochMillis {
  if (state.claim !== null) return state.claim.lease;
  if (state.rows === 0) return MAX_TIMESTAMP;
  return isFull(state, policy) ? state.since : plus(state.since, policy.every);
}

function isFull(state: SinkState, policy: FlushPolicy): boolean {
  return state.rows >= policy.rows || state.characters >= policy.bytes;
}

/** The state with a new claim, or with the same one taken over; undefined when there is nothing to claim now. */
export function claimed(
  state: SinkState,
  owner: string,
  now: EpochMillis,
  policy: FlushPolicy,
  force = false,
): SinkState | undefined {
  const lease = plus(now, LEASE);
  if (state.claim !== null) {
    const takeOver = state.claim.owner === owner || state.claim.lease <= now;
    return takeOver ? { ...state, claim: { ...state.claim, lease, owner } } : undefined;
  }
  if (state.rows === 0 || (!force && dueTime(state, policy) > now)) return undefined;
  const { firstRun } = state;
  const waiting = state.lastRun - firstRun + 1;
  const most = Math.max(
    1,
    Math.min(MOST_RUNS, Math.floor((MOST_CHARACTERS * waiting) / Math.max(1, state.characters))),
  );
  const lastRun = Math.min(state.lastRun, firstRun + most - 1);
  const left = (state.lastRun - lastRun) / waiting;
  return {
    flushed: state.flushed,
    claim: { firstRun, lastRun, attempt: 1, lease, owner },
    firstRun: lastRun + 1,
    lastRun: state.lastRun,
    rows: Math.ceil(left * state.rows),
    characters: Math.ceil(left * state.characters),
    since: left === 0 ? MAX_TIMESTAMP : state.since,
  };
}

/** The state after the claimed flush was written; undefined when the claim is no longer this owner's. */
export function settled(state: SinkState, owner: string): SinkState | undefined {
  if (state.claim?.owner !== owner) return undefined;
  return { ...state, flushed: state.flushed + 1, claim: null };
}

/**
 * The state for another attempt of the claimed flush; undefined when the claim is no longer this owner's.
 * @param done the attempts under which its jobs before the failed one were done
 */
export function nextAttempt(state: SinkState, owner: string, done: readonly number[]): SinkState | undefined {
  if (state.claim?.owner !== owner) return undefined;
  return { ...state, claim: { ...state.claim, done, attempt: state.claim.attempt + 1 } };
}

/** The id of a job. Letters, digits, dashes and underscores, as BigQuery asks. */
export function jobId(
  pipeline: string,
  epoch: number,
  table: string,
  flush: number,
  part: number,
  attempt: number,
): string {
  return `millrace-${pipeline}-${epoch}-${table.replaceAll('.', '-')}-${flush}-${part}-${attempt}`;
}
