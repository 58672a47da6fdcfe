/**
 * Shows batches to the model: claim, call, settle. Claims and settlements share commits; calls are made outside any.
 *
 * Invariants
 * - Every request takes a token that was taken in a commit before it, whoever makes it; what was not used goes back with the
 *   settlement; of a claim that nobody settles it is lost.
 * - A batch is claimed only while somebody holds the process awake long enough for its call (`drive`); calls that are under
 *   way when nobody does any more are claimed again after their lease, under the same key.
 */
import type { EnrichNode } from '../../model/graph.ts';
import { type EpochMillis, later, MAX_TIMESTAMP, type Millis, MIN_TIMESTAMP, plus } from '../../model/time.ts';
import type { Clock, Ids } from '../../ports/clock.ts';
import type { Predictor } from '../../ports/predictor.ts';
import type { Chain } from '../chain/chain.ts';
import type { Root } from '../protocol/root.ts';
import type { Shard } from '../shard/shard.ts';
import type { Claimed, ClaimPolicy } from './claiming.ts';
import { dueTime, enrichState } from './enrich-state.ts';
import { EnrichTurns, type Finished, type Turn } from './enrich-turns.ts';
import type { EnrichWork } from './enrich-work.ts';
import { callModel, type CallResult } from './model-call.ts';
import type { Pending } from './run-memory.ts';

export interface CallerSetting {
  readonly pipeline: string;
  readonly epoch: number;
  readonly predictor: Predictor;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Whether to wait, for seconds, inside `drive`: for tokens, for a batch to fill, for another try. Not where time stands still meanwhile. */
  readonly waits: boolean;
}

/** `drive` ends at the latest after this; a request to a function is open for no longer. */
const HOLD = 29_000;
/** Another try of a call begins at most so long after the first. */
const PATIENCE = 4_000 as Millis;
const LEASE = 60_000 as Millis;
/** Below this rate a claim makes one request only, or what claims hold back would show in the rate. */
const RATE_FOR_TRIES = 30;
/** The share of a minute's requests that may be with the model at once, each with a token in reserve. */
const CONCURRENT_SHARE = 0.1;
const NO_PATIENCE = 0 as Millis;
/** All of a batch was answered lately. */
const NO_CALL: CallResult = { outcome: { kind: 'answered', predictions: [] }, requests: 0, throttled: 0, millis: 0 };

export class EnrichCaller {
  readonly #shard: Shard;
  readonly #node: EnrichNode;
  readonly #work: EnrichWork;
  readonly #setting: CallerSetting;
  readonly #policy: ClaimPolicy;
  readonly #turns: EnrichTurns;
  readonly #calls = new Set<Promise<void>>();
  readonly #finished: Finished[] = [];
  #holders: { readonly until: EpochMillis; readonly release: () => void }[] = [];
  #running: Promise<void> | undefined;
  #wake = new AbortController();
  #due: EpochMillis = MAX_TIMESTAMP;
  #force = false;

  /** @param shards of the stage; each has its share of the rate */
  constructor(shard: Shard, node: EnrichNode, shards: number, chain: Chain, work: EnrichWork, setting: CallerSetting) {
    this.#shard = shard;
    this.#node = node;
    this.#work = work;
    this.#setting = setting;
    const rate = node.requestsPerMinute / shards;
    const tries = setting.waits && rate >= RATE_FOR_TRIES ? 2 : 1;
    const concurrency = Math.max(1, Math.floor(rate * CONCURRENT_SHARE));
    this.#policy = { node, rate, tries, lease: LEASE, concurrency };
    this.#turns = new EnrichTurns(shard.id, this.#policy, chain, work, setting.ids);
  }

  /** Whether `drive` has something to do, now or within the seconds that it may wait. */
  isDue(root: Root): boolean {
    this.#due = dueTime(enrichState(root), this.#node.batch);
    const now = later(root.processingTime, this.#setting.clock.now());
    return this.#due <= (this.#setting.waits ? plus(now, this.#claimableFor) : now);
  }

  /**
   * Shows what is due to the model, and whatever becomes due meanwhile. Undefined when somebody holds it open already.
   * @returns when nothing is left to do now, or after half a minute
   */
  drive(): Promise<void> | undefined {
    this.#wake.abort();
    if (this.#mayClaim()) return undefined;
    return this.#hold();
  }

  /** Shows everything that waits to the model, full or not. */
  async flush(): Promise<void> {
    this.#force = true;
    this.#due = MIN_TIMESTAMP;
    try {
      await this.#hold();
    } finally {
      this.#force = false;
    }
  }

  #hold(): Promise<void> {
    const { clock } = this.#setting;
    const held = new Promise<void>((resolve) => {
      this.#holders.push({ until: plus(clock.now(), HOLD), release: resolve });
    });
    this.#running ??= this.#run();
    return Promise.race([held, this.#running]);
  }

  async #run(): Promise<void> {
    try {
      while (await this.#step());
    } finally {
      this.#running = undefined;
      for (const { release } of this.#holders.splice(0)) release();
    }
  }

  /** @returns whether there is more to do */
  async #step(): Promise<boolean> {
    this.#releaseHolders();
    const { clock } = this.#setting;
    const canClaim = this.#mayClaim() && this.#calls.size < this.#policy.concurrency;
    if (this.#finished.length > 0 || (canClaim && this.#due <= clock.now())) {
      const claimed = await this.#turn(canClaim);
      for (const each of claimed) this.#start(each);
      if (claimed.length > 0 || this.#finished.length > 0) return true;
    }
    const wait = this.#due - clock.now();
    const worthWaiting = this.#setting.waits && canClaim && wait > 0 && clock.now() + wait <= this.#claimableUntil();
    if (this.#calls.size === 0 && !worthWaiting) return false;
    const { signal } = this.#wake;
    const sleeping = worthWaiting ? [clock.sleep(wait as Millis, signal)] : [];
    const woken = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([...this.#calls, ...sleeping, woken]);
    if (signal.aborted) this.#wake = new AbortController();
    return true;
  }

  /** The latest instant at which a call may begin for which somebody stays. */
  #claimableUntil(): number {
    const longest = HOLD - this.#claimableFor;
    return Math.max(Number.NEGATIVE_INFINITY, ...this.#holders.map(({ until }) => until - longest));
  }

  /** How long after `drive` has begun a call may still begin. */
  get #claimableFor(): number {
    return HOLD - this.#node.timeout - PATIENCE;
  }

  #mayClaim(): boolean {
    return this.#setting.clock.now() <= this.#claimableUntil();
  }

  #releaseHolders(): void {
    const now = this.#setting.clock.now();
    for (const { until, release } of this.#holders) if (until <= now) release();
    this.#holders = this.#holders.filter(({ until }) => until > now);
  }

  /** One commit: settles what has ended, and claims what is due. */
  async #turn(canClaim: boolean): Promise<readonly Claimed[]> {
    let turn: Turn | undefined;
    const finished = [...this.#finished];
    const claims = { atOnce: canClaim ? this.#policy.concurrency - this.#calls.size : 0, force: this.#force };
    await this.#shard.transact(async (draft, place) => {
      turn = await this.#turns.turn(draft, place, finished, claims);
      return turn.result;
    });
    for (const { of, rest } of turn!.settled) {
      const at = this.#finished.indexOf(of);
      if (rest.length === 0) this.#finished.splice(at, 1);
      else this.#finished[at] = { ...of, ended: { ...of.ended, elements: rest }, counted: true };
    }
    this.#due = turn!.due;
    return turn!.claimed;
  }

  #start(claimed: Claimed): void {
    const call = this.#call(claimed).finally(() => this.#calls.delete(call));
    this.#calls.add(call);
  }

  /** Asks only for instances that nobody has answered lately, each once. */
  async #call({ batch, elements, tries }: Claimed): Promise<void> {
    const { clock, ids, predictor, pipeline, epoch, waits } = this.#setting;
    const predictions = new Map<string, unknown>();
    const asked = new Map<string, Pending['instance']>();
    for (const { instance } of elements) {
      const hit = this.#work.cache.get(instance.hash, clock.now());
      if (hit === undefined) asked.set(instance.hash, instance);
      else predictions.set(instance.hash, hit.answer);
    }
    const instances = [...asked.values()];
    const key = `millrace-${pipeline}-${epoch}-${this.#shard.id}-${batch.number}`;
    const setting = { node: this.#node, predictor, clock, ids, patience: waits ? PATIENCE : NO_PATIENCE };
    const result =
      instances.length === 0
        ? NO_CALL
        : await callModel(
            setting,
            instances.map(({ value }) => value),
            key,
            tries,
          );
    const { outcome } = result;
    if (outcome.kind === 'answered')
      for (const [i, { hash }] of instances.entries()) predictions.set(hash, outcome.predictions[i]);
    const ended = { batch: batch.number, claim: batch.claim!.id, elements, outcome, predictions };
    const tokens = instances.reduce((sum, instance) => sum + instance.tokens, 0);
    this.#finished.push({ ended, reserved: tries, result, instances: instances.length, tokens, counted: false });
  }
}
