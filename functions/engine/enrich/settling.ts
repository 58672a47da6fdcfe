/**
 * From what the model said of a batch to what is committed: outputs, dead letters, halves, or another try later. All of it
 * in the one commit that ends the batch's claim; a batch with more to write than a commit holds is settled in parts.
 */
import { MAIN_OUTPUT, type EnrichNode } from '../../model/graph.ts';
import { type EpochMillis, later, plus } from '../../model/time.ts';
import type { Ids } from '../../ports/clock.ts';
import type { StepFailure } from '../chain/bundle-output.ts';
import type { Chain } from '../chain/chain.ts';
import type { Batch, EnrichState, Piece } from './enrich-state.ts';
import { withCounted } from './enrich-state.ts';
import { enriched } from './enriched.ts';
import type { AnswerCache } from './answer-cache.ts';
import { ModelRefused, ModelUnavailable, PredictionMisfit } from './errors.ts';
import type { CallOutcome } from './model-call.ts';
import type { Pending } from './run-memory.ts';

/** A call that has ended and is not settled yet. */
export interface Ended {
  readonly batch: number;
  readonly claim: string;
  /** The elements of the batch that are not settled yet. */
  readonly elements: readonly Pending[];
  readonly outcome: CallOutcome;
  /** The prediction for each instance, by its hash; of answered calls. */
  readonly predictions: ReadonlyMap<string, unknown>;
}

/** What one commit takes up of an ended call. */
export interface Settled {
  readonly state: EnrichState;
  /** The elements that are left for the next commit. */
  readonly rest: readonly Pending[];
}

/** A batch that answered less than it was asked is tried so often as a whole of one. */
const MOST_PARTIAL = 4;
/** The longest wait of a parked batch; each failure in a row doubles it, from the first. Jitter is full, above a half. */
const FIRST_PARK = 1_000;
const LONGEST_PARK = 30_000;

export class Settling {
  readonly #node: EnrichNode;
  readonly #chain: Chain;
  readonly #cache: AnswerCache;
  readonly #ids: Ids;

  constructor(node: EnrichNode, chain: Chain, cache: AnswerCache, ids: Ids) {
    this.#node = node;
    this.#chain = chain;
    this.#cache = cache;
    this.#ids = ids;
  }

  /**
   * @param state with the batch under the claim of this call
   * @param failures gets what becomes a dead letter
   * @param room how much more may be written, in characters; taken from
   */
  async settle(
    state: EnrichState,
    ended: Ended,
    now: EpochMillis,
    failures: StepFailure[],
    room: { left: number },
  ): Promise<Settled> {
    const batch = state.batches.find(({ number, claim }) => number === ended.batch && claim?.id === ended.claim);
    // Somebody else has claimed it meanwhile: this result comes too late.
    if (batch === undefined) return { state, rest: [] };
    const { outcome } = ended;
    if (outcome.kind === 'answered') return this.#answered(state, batch, ended, now, failures, room);
    if (outcome.kind === 'later') {
      if (now >= plus(batch.since, this.#node.giveUpAfter)) {
        const error = new ModelUnavailable(
          `'${this.#node.name}' was given up after ${batch.failures + 1} claims: ${outcome.reason}`,
        );
        return this.#dead(state, batch, ended, () => error, failures, room);
      }
      return { state: replaced(state, batch, [this.#parked(batch, now, outcome.notBefore, outcome.reason)]), rest: [] };
    }
    if (batch.count > 1) return { state: halved(state, batch, now), rest: [] };
    if (outcome.kind === 'refused') {
      const error = new ModelRefused(`the model refused the instance: ${outcome.reason}`, outcome.answer);
      return this.#dead(state, batch, ended, () => error, failures, room);
    }
    if (batch.partial < MOST_PARTIAL) {
      const again = { ...this.#parked(batch, now, now, 'the model gave no prediction'), partial: batch.partial + 1 };
      return { state: replaced(state, batch, [again]), rest: [] };
    }
    const error = new PredictionMisfit(`the model gave no prediction for the instance, ${batch.partial + 1} times`, []);
    return this.#dead(state, batch, ended, () => error, failures, room);
  }

  async #answered(
    state: EnrichState,
    batch: Batch,
    ended: Ended,
    now: EpochMillis,
    failures: StepFailure[],
    room: { left: number },
  ): Promise<Settled> {
    let settled = 0;
    let dead = 0;
    for (const pending of ended.elements) {
      if (settled > 0 && room.left <= 0) break;
      const failure = await this.#emit(pending, ended.predictions.get(pending.instance.hash), now, room);
      if (failure !== undefined) {
        failures.push(failure);
        dead += 1;
      }
      settled += 1;
    }
    return partlySettled(withCounted(state, { dead }), batch, ended, settled);
  }

  /** Hands an enriched element on. @returns why it cannot be */
  async #emit(
    { element, instance }: Pending,
    answer: unknown,
    now: EpochMillis,
    room: { left: number },
  ): Promise<StepFailure | undefined> {
    try {
      const next = enriched(this.#node, element, answer);
      this.#cache.put(instance.hash, answer, now);
      room.left -= weight(next.value);
      await this.#chain.entry(MAIN_OUTPUT)(next);
      return undefined;
    } catch (error) {
      room.left -= weight(element.value);
      return { step: this.#node.name, element, error };
    }
  }

  #dead(
    state: EnrichState,
    batch: Batch,
    ended: Ended,
    error: () => Error,
    failures: StepFailure[],
    room: { left: number },
  ): Settled {
    let settled = 0;
    for (const { element } of ended.elements) {
      if (settled > 0 && room.left <= 0) break;
      failures.push({ step: this.#node.name, element, error: error(), attempts: batch.failures + 1 });
      room.left -= weight(element.value);
      settled += 1;
    }
    return partlySettled(withCounted(state, { dead: settled }), batch, ended, settled);
  }

  #parked({ claim: _, ...batch }: Batch, now: EpochMillis, notBefore: EpochMillis, reason: string): Batch {
    const longest = Math.min(LONGEST_PARK, FIRST_PARK * 2 ** batch.failures);
    const wait = Math.ceil((longest * (1 + this.#ids.random())) / 2);
    return { ...batch, failures: batch.failures + 1, due: later(plus(now, wait), notBefore), reason };
  }
}

/** The first elements of a batch are settled; the rest stays claimed. */
function partlySettled(state: EnrichState, batch: Batch, ended: Ended, settled: number): Settled {
  const rest = ended.elements.slice(settled);
  if (rest.length === 0) return { state: replaced(state, batch, []), rest };
  const pieces = split(batch.pieces, settled)[1];
  return { state: replaced(state, batch, [{ ...batch, pieces, count: rest.length }]), rest };
}

/** Two batches for one, each with a number and so a key of its own. */
function halved(state: EnrichState, batch: Batch, now: EpochMillis): EnrichState {
  const middle = batch.count >> 1;
  const [first, second] = split(batch.pieces, middle);
  const { claim: _, ...rest } = batch;
  const half = (number: number, pieces: readonly Piece[], count: number): Batch => ({
    ...rest,
    number,
    pieces,
    count,
    failures: 0,
    partial: 0,
    due: now,
  });
  const halves = [half(state.batch + 1, first, middle), half(state.batch + 2, second, batch.count - middle)];
  return withCounted({ ...replaced(state, batch, halves), batch: state.batch + 2 }, { halved: 1 });
}

/** Pieces up to an element, and from it on. */
export function split(pieces: readonly Piece[], at: number): [Piece[], Piece[]] {
  const before: Piece[] = [];
  const after: Piece[] = [];
  let left = at;
  for (const [run, from, to] of pieces) {
    const middle = Math.min(to, from + left);
    if (middle > from) before.push([run, from, middle]);
    if (middle < to) after.push([run, middle, to]);
    left -= middle - from;
  }
  return [before, after];
}

function replaced(state: EnrichState, batch: Batch, by: readonly Batch[]): EnrichState {
  return { ...state, batches: state.batches.flatMap((each) => (each.number === batch.number ? by : [each])) };
}

function weight(value: unknown): number {
  return (JSON.stringify(value)?.length ?? 0) + 100;
}
