/** The commits by which batches are claimed and settled. Each may be made again from the beginning: nothing is changed here. */
import type { EnrichNode } from '../../model/graph.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Ids } from '../../ports/clock.ts';
import type { DocumentName } from '../../ports/store.ts';
import type { StepFailure } from '../chain/bundle-output.ts';
import type { Chain } from '../chain/chain.ts';
import { type DeadLetterPlace, elementDeadLetter } from '../dead-letter.ts';
import type { ShardId } from '../protocol/names.ts';
import type { RootDraft } from '../protocol/root.ts';
import type { TransactionResult } from '../shard/shard.ts';
import { noCounts } from '../shard/work.ts';
import { claim, type Claimed, type ClaimPolicy } from './claiming.ts';
import { dueTime, type EnrichState, enrichState, isNeeded, withCounted } from './enrich-state.ts';
import type { EnrichWork } from './enrich-work.ts';
import { keepState } from './keep-state.ts';
import type { CallResult } from './model-call.ts';
import { enrichRunId, type Pending } from './run-memory.ts';
import { type Ended, Settling } from './settling.ts';
import { fullBucket, lowered, raised, refilled, returned } from './token-bucket.ts';

/** A call that has ended, with what it used. */
export interface Finished {
  readonly ended: Ended;
  /** Tokens that its claim has taken. */
  readonly reserved: number;
  readonly result: CallResult;
  /** Instances that were shown, and about how many tokens they have. */
  readonly instances: number;
  readonly tokens: number;
  /** Whether an earlier commit has counted it already. */
  readonly counted: boolean;
}

export interface Turn {
  readonly result: TransactionResult;
  readonly claimed: readonly Claimed[];
  /** When there is something to do again. */
  readonly due: EpochMillis;
  /** What was taken up, and which elements of each are left for the next commit. */
  readonly settled: readonly { readonly of: Finished; readonly rest: readonly Pending[] }[];
}

/** What settlements of one commit may write, in characters. */
const ROOM = 600_000;

export class EnrichTurns {
  readonly #shard: ShardId;
  readonly #policy: ClaimPolicy;
  readonly #node: EnrichNode;
  readonly #chain: Chain;
  readonly #work: EnrichWork;
  readonly #ids: Ids;
  readonly #settling: Settling;

  constructor(shard: ShardId, policy: ClaimPolicy, chain: Chain, work: EnrichWork, ids: Ids) {
    this.#shard = shard;
    this.#policy = policy;
    this.#node = policy.node;
    this.#chain = chain;
    this.#work = work;
    this.#ids = ids;
    this.#settling = new Settling(policy.node, chain, work.cache, ids);
  }

  async turn(
    draft: RootDraft,
    place: (i: number) => DeadLetterPlace,
    finished: readonly Finished[],
    { atOnce, force }: { readonly atOnce: number; readonly force: boolean },
  ): Promise<Turn> {
    const now = draft.processingTime;
    const { rate } = this.#policy;
    const before = enrichState(draft);
    let state: EnrichState = { ...before, bucket: refilled(before.bucket ?? fullBucket(rate, now), rate, now) };
    await this.#chain.begin(now);
    const failures: StepFailure[] = [];
    const room = { left: ROOM };
    const settled: { of: Finished; rest: readonly Pending[] }[] = [];
    for (const of of finished) {
      if (room.left <= 0) break;
      const counted = of.counted ? state : this.#counted(state, of, now);
      const result = await this.#settling.settle(counted, of.ended, now, failures, room);
      state = result.state;
      settled.push({ of, rest: result.rest });
    }
    const output = await this.#chain.finish();
    failures.push(...output.failures);
    const letters = failures.map((failure, i) => elementDeadLetter(place(i), failure));
    const claimed = await claim(state, this.#policy, this.#work.runs, now, atOnce, force, () => this.#ids.unique());
    state = claimed.state;
    keepState(draft, state, this.#node);
    const counts = { ...noCounts(), deadLetters: letters.reduce((sum, { count }) => sum + count, 0) };
    const result = { sets: [], deletes: this.#goneRuns(before, state), output, letters, counts };
    return { result, claimed: claimed.claimed, settled, due: dueTime(state, this.#node.batch) };
  }

  /** The documents that nothing needs any more. */
  #goneRuns(before: EnrichState, after: EnrichState): DocumentName[] {
    const runs = new Set(before.batches.flatMap(({ pieces }) => pieces.map(([run]) => run)));
    return [...runs]
      .filter((run) => !isNeeded(after, run))
      .map((run) => ({ collection: 'runs', id: enrichRunId(this.#shard, run) }));
  }

  /** Takes note of what a call has used and met. */
  #counted(
    state: EnrichState,
    { reserved, result, instances, tokens, ended }: Finished,
    now: EpochMillis,
  ): EnrichState {
    const { rate } = this.#policy;
    const { price } = this.#node;
    let bucket = returned(state.bucket!, rate, reserved - result.requests);
    if (result.throttled > 0) bucket = lowered(bucket, rate, now);
    else if (result.requests > 0 && result.outcome.kind !== 'later') bucket = raised(bucket, rate, now);
    const { requests: calls, throttled, millis } = result;
    const shown = calls * instances;
    return withCounted(
      { ...state, bucket },
      {
        calls,
        instances: shown,
        cached: calls === 0 || result.outcome.kind === 'answered' ? ended.elements.length - instances : 0,
        throttled,
        retries: Math.max(0, calls - 1) + (result.outcome.kind === 'later' ? 1 : 0),
        millis,
        tokens: calls * tokens,
        cost: calls * price.request + shown * price.instance + (calls * tokens * price.thousandTokens) / 1_000,
      },
    );
  }
}
