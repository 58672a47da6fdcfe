/**
 * Which batches may be shown to the model now. Pure but for the runs it reads. What was tried before comes first, so that
 * the number of batches that wait stays small whatever happens.
 */
import type { EnrichNode } from '../../model/graph.ts';
import { type EpochMillis, earlier, MAX_TIMESTAMP, type Millis, plus } from '../../model/time.ts';
import { type Batch, type EnrichState, isFull, type Piece, waitingCount, type WaitingRun } from './enrich-state.ts';
import { fitting } from './instance.ts';
import type { Pending, RunMemory } from './run-memory.ts';
import { split } from './settling.ts';
import { taken } from './token-bucket.ts';

/** A batch that was claimed, with what is to be shown. */
export interface Claimed {
  readonly batch: Batch;
  readonly elements: readonly Pending[];
  /** Requests that may be made for it. */
  readonly tries: number;
}

export interface ClaimPolicy {
  readonly node: EnrichNode;
  /** Requests a minute of this shard, at most. */
  readonly rate: number;
  /** Requests that one claim may make. */
  readonly tries: number;
  /** How long whoever claims is believed to be at work. */
  readonly lease: Millis;
  /** Batches that may be with the model at once. */
  readonly concurrency: number;
}

/** Batches of a root, so that it stays small: more are not begun while so many wait. */
const MAX_BATCHES = 200;

/**
 * @param atOnce how many batches may be claimed
 * @param force also what is not full and has not waited long enough
 * @param claimId names a claim
 */
export async function claim(
  state: EnrichState,
  policy: ClaimPolicy,
  runs: RunMemory,
  now: EpochMillis,
  atOnce: number,
  force: boolean,
  claimId: () => string,
): Promise<{ readonly state: EnrichState; readonly claimed: readonly Claimed[] }> {
  const claimed: Claimed[] = [];
  let next = state;
  while (claimed.length < atOnce && (next.bucket?.tokens ?? 0) >= 1) {
    const known = next.batches.find((batch) => isClaimable(batch, now));
    const made =
      known === undefined ? await formed(next, policy.node, runs, now, force) : { state: next, batch: known };
    next = made.state;
    if (made.batch === undefined) break;
    const bucket = made.state.bucket!;
    const tries = Math.min(policy.tries, Math.floor(bucket.tokens));
    const batch: Batch = { ...made.batch, claim: { id: claimId(), lease: plus(now, policy.lease) } };
    const others = made.state.batches.filter(({ number }) => number !== batch.number);
    next = { ...made.state, batches: [...others, batch], bucket: taken(bucket, tries) };
    claimed.push({ batch, elements: await runs.elements(batch.pieces), tries });
  }
  return { state: next, claimed };
}

function isClaimable({ claim: current, due }: Batch, now: EpochMillis): boolean {
  return current === undefined ? due <= now : current.lease <= now;
}

/** A new batch of what waits, when it is full or has waited long enough. */
async function formed(
  state: EnrichState,
  node: EnrichNode,
  runs: RunMemory,
  now: EpochMillis,
  force: boolean,
): Promise<{ state: EnrichState; batch?: Batch }> {
  const [first] = state.waiting;
  if (first === undefined || state.batches.length >= MAX_BATCHES) return { state };
  const isOld = force || plus(first.since, node.batch.wait) <= now;
  if (!isOld && !isFull(state, node.batch)) return { state };
  const pieces = firstPieces(state.waiting, node.batch.instances);
  const elements = await runs.elements(pieces);
  const count = fitting(
    elements.map(({ instance }) => instance),
    node,
  );
  // Fewer than what waits: the next one did not fit, so the batch is as full as it can be.
  const isAsFull = count >= node.batch.instances || count < waitingCount(state);
  if (!isOld && !isAsFull) return { state: { ...state, notFull: state.waiting.at(-1)!.run } };
  const earliest = elements
    .slice(0, count)
    .reduce<EpochMillis>((at, { element }) => earlier(at, element.timestamp), MAX_TIMESTAMP);
  const number = state.batch + 1;
  const [taking] = split(pieces, count);
  const batch: Batch = { number, pieces: taking, count, earliest, since: now, failures: 0, partial: 0, due: now };
  const waiting = withoutFirst(state.waiting, count);
  return { state: { ...state, batch: number, waiting, batches: [...state.batches, batch] }, batch };
}

/** Where the first elements are that wait, up to `most`. */
function firstPieces(waiting: readonly WaitingRun[], most: number): Piece[] {
  const pieces: Piece[] = [];
  let left = most;
  for (const { run, from, count } of waiting) {
    if (left === 0) break;
    const taking = Math.min(left, count);
    pieces.push([run, from, from + taking]);
    left -= taking;
  }
  return pieces;
}

/** What waits when the first elements are gone. Of a run that is left in part, the earliest is still held. */
function withoutFirst(waiting: readonly WaitingRun[], gone: number): WaitingRun[] {
  const left: WaitingRun[] = [];
  let toGo = gone;
  for (const run of waiting) {
    const going = Math.min(toGo, run.count);
    toGo -= going;
    const count = run.count - going;
    if (count === 0) continue;
    const characters = Math.round((run.characters * count) / run.count);
    left.push({ ...run, from: run.from + going, count, characters });
  }
  return left;
}
