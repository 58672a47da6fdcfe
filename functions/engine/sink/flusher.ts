/**
 * Flushes a table: claim, call, settle, one flush at a time. The call is made outside any commit; the shard goes on with
 * bundles meanwhile.
 */
import { ConfigurationError, RetryableError } from '../../model/errors.ts';
import type { WriteBigQueryNode } from '../../model/graph.ts';
import type { Millis } from '../../model/time.ts';
import type { Clock, Ids } from '../../ports/clock.ts';
import type { Document, DocumentName, Store } from '../../ports/store.ts';
import type { MergeJob, MergeOutcome, TableSpec, Warehouse } from '../../ports/warehouse.ts';
import { type DeadLetter, rowDeadLetter } from '../dead-letter.ts';
import { deadLetterDocuments } from '../dead-letter-document.ts';
import type { RootDraft } from '../protocol/root.ts';
import { type Shard, versionOf } from '../shard/shard.ts';
import { newestRows, tableSpec, type WaitingRow, warehouseRow } from './rows.ts';
import { type Claim, claimed, dueTime, type FlushPolicy, jobId, nextAttempt, settled } from './sink-state.ts';
import { type RunBody, runId, sinkState } from './sink-work.ts';

export interface FlusherSetting {
  readonly pipeline: string;
  /** Grows with every fresh start or drain, so that a new pipeline's panes are not refused as old. */
  readonly epoch: number;
  readonly store: Store;
  readonly warehouse: Warehouse;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly flushed?: (table: string, rows: number) => void;
  /** As in `ShardSetting`. */
  readonly version?: string;
  readonly topology: number;
  readonly deadLettered?: (letters: readonly DeadLetter[]) => void;
}

/** Rows of one job. */
const ROWS_A_JOB = 50_000;
const MAX_LOOKUPS = 10;
const LOOKUP_DELAY = 500;

interface Placed {
  readonly run: number;
  readonly index: number;
  readonly row: WaitingRow;
}

export class Flusher {
  readonly #shard: Shard;
  readonly #node: WriteBigQueryNode;
  readonly #spec: TableSpec;
  readonly #policy: FlushPolicy;
  readonly #setting: FlusherSetting;
  readonly #owner: string;
  #prepared: Promise<void> | undefined;
  #flushing: Promise<void> | undefined;

  constructor(shard: Shard, node: WriteBigQueryNode, policy: FlushPolicy, setting: FlusherSetting) {
    this.#shard = shard;
    this.#node = node;
    this.#spec = tableSpec(node);
    this.#policy = policy;
    this.#setting = setting;
    this.#owner = setting.ids.unique();
  }

  /** Flushes for as long as something is due; joins a flush that is under way. */
  flushDue(): Promise<void> {
    return this.#flush(false);
  }

  /** Flushes everything that waits. */
  flushAll(): Promise<void> {
    return this.#flush(true);
  }

  async #flush(force: boolean): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
    this.#flushing = this.#flushWhileDue(force).finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
  }

  async #flushWhileDue(force: boolean): Promise<void> {
    this.#prepared ??= this.#setting.warehouse.prepare(this.#spec);
    await this.#prepared;
    for (;;) {
      const claim = await this.#claim(force);
      if (claim === undefined) return;
      await this.#write(claim.claim, claim.flush);
    }
  }

  async #claim(force: boolean): Promise<{ claim: Claim; flush: number } | undefined> {
    let result: { claim: Claim; flush: number } | undefined;
    await this.#shard.transact((draft) => {
      const state = claimed(sinkState(draft), this.#owner, draft.processingTime, this.#policy, force);
      result = state === undefined ? undefined : { claim: state.claim!, flush: state.flushed + 1 };
      return state === undefined ? undefined : this.#keep(draft, state);
    });
    return result;
  }

  async #write(first: Claim, flush: number): Promise<void> {
    let claim = first;
    for (;;) {
      const placed = await this.#read(claim);
      const { refused, again } = await this.#call(placed, flush, claim.attempt);
      const dead = refused.map(({ placed, reason }) => this.#refusedRow(placed, reason, claim.attempt));
      if (!again && refused.length === 0) return this.#settle(claim, placed.length);
      const next = await this.#anotherAttempt(
        refused.map(({ placed }) => placed),
        dead,
      );
      if (next === undefined) return;
      claim = next;
    }
  }

  /** The rows of a claim: of each place the newest, without those refused before. */
  async #read(claim: Claim): Promise<Placed[]> {
    const runs = span(claim.firstRun, claim.lastRun);
    const documents = await this.#setting.store.get(
      'runs',
      runs.map((run) => runId(this.#shard.id, run)),
    );
    const refused = new Set(claim.refused.map(([run, index]) => `${run} ${index}`));
    const placed: Placed[] = [];
    for (const [i, run] of runs.entries()) {
      const body = documents[i]?.body as RunBody | undefined;
      let index = 0;
      for (const text of body?.rows ?? [])
        for (const row of JSON.parse(text) as WaitingRow[]) {
          if (refused.size === 0 || !refused.has(`${run} ${index}`)) placed.push({ run, index, row });
          index += 1;
        }
    }
    return this.#node.key.length === 0 ? placed : newestRows(placed);
  }

  async #call(
    placed: readonly Placed[],
    flush: number,
    attempt: number,
  ): Promise<{ refused: { placed: Placed; reason: string }[]; again: boolean }> {
    const refused: { placed: Placed; reason: string }[] = [];
    let again = false;
    for (let part = 0; part * ROWS_A_JOB < placed.length; part++) {
      const chunk = placed.slice(part * ROWS_A_JOB, (part + 1) * ROWS_A_JOB);
      const { pipeline, epoch } = this.#setting;
      const id = jobId(pipeline, epoch, this.#node.table, flush, part, attempt);
      const rows = chunk.map(({ row }) => warehouseRow(this.#node, row, epoch));
      const outcome = await this.#known({ id, table: this.#spec, rows });
      if (outcome.state === 'refused')
        for (const { index, reason } of outcome.rows) refused.push({ placed: chunk[index]!, reason });
      else if (outcome.state === 'failed') {
        if (!outcome.again)
          throw new ConfigurationError(`table '${this.#node.table}' cannot be written: ${outcome.reason}`);
        again = true;
      }
    }
    return { refused, again };
  }

  /** Calls, and asks by the same id for as long as the outcome is not known. */
  async #known(job: MergeJob): Promise<MergeOutcome> {
    let outcome = await this.#setting.warehouse.merge(job);
    for (let tries = 1; outcome.state === 'unknown' || outcome.state === 'absent'; tries++) {
      if (tries > MAX_LOOKUPS)
        throw new RetryableError(
          `the outcome of job ${job.id} stays unknown: ${outcome.state === 'unknown' ? outcome.reason : 'absent'}`,
        );
      await this.#setting.clock.sleep((LOOKUP_DELAY * tries) as Millis);
      outcome = await this.#setting.warehouse.lookUp(job.id, job.table);
      if (outcome.state === 'absent') outcome = await this.#setting.warehouse.merge(job);
    }
    return outcome;
  }

  async #settle(claim: Claim, rows: number): Promise<void> {
    await this.#shard.transact((draft) => {
      const state = settled(sinkState(draft), this.#owner);
      if (state === undefined) return undefined;
      const deletes = span(claim.firstRun, claim.lastRun).map(
        (run): DocumentName => ({ collection: 'runs', id: runId(this.#shard.id, run) }),
      );
      return { ...this.#keep(draft, state), deletes };
    });
    this.#setting.flushed?.(this.#node.table, rows);
  }

  async #anotherAttempt(
    refused: readonly Placed[],
    dead: readonly ((draft: RootDraft) => DeadLetter)[],
  ): Promise<Claim | undefined> {
    let claim: Claim | undefined;
    let letters: readonly DeadLetter[] = [];
    await this.#shard.transact((draft) => {
      const state = nextAttempt(
        sinkState(draft),
        this.#owner,
        refused.map(({ run, index }) => [run, index] as const),
      );
      claim = state?.claim ?? undefined;
      if (state === undefined) return undefined;
      letters = dead.map((letter) => letter(draft));
      return { ...this.#keep(draft, state), sets: letters.flatMap((letter) => deadLetterDocuments(letter).documents) };
    });
    if (claim !== undefined && letters.length > 0) this.#setting.deadLettered?.(letters);
    return claim;
  }

  #refusedRow({ run, index, row }: Placed, reason: string, attempt: number): (draft: RootDraft) => DeadLetter {
    const { epoch } = this.#setting;
    const id = `${this.#shard.id}~row~${epoch}~${run}~${index}`;
    const version = versionOf(this.#setting);
    const error = new RowRefused(reason);
    return ({ processingTime }) =>
      rowDeadLetter(
        { id, stage: this.#node.name, failedAt: processingTime, version },
        warehouseRow(this.#node, row, epoch),
        row[3]?.id,
        attempt,
        error,
      );
  }

  #keep(
    draft: RootDraft,
    state: ReturnType<typeof sinkState>,
  ): { sets: readonly Document[]; deletes: readonly DocumentName[] } {
    draft.extra = state;
    draft.processingDue = dueTime(state, this.#policy);
    return { sets: [], deletes: [] };
  }
}

/** The warehouse does not take a row. */
class RowRefused extends ConfigurationError {
  override readonly code = 'ROW_REFUSED';
}

function span(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
