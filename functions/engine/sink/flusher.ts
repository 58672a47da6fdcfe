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
import { noCounts } from '../shard/work.ts';
import { keyColumns, newestRows, tableSpec, type WaitingRow, warehouseRow } from './rows.ts';
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

/**
 * Rows of one job, and characters of their values: no more than a warehouse writes by one statement. Which rows are in which
 * job of a flush follows from them, so a version with others begins with none claimed.
 */
const ROWS_A_JOB = 50_000;
const CHARACTERS_A_JOB = 2_900_000;
/** What a row takes beside its values, at most. */
const ROW_OVERHEAD = 40;
const MAX_CALLS = 10;
/** Between two calls of one job, times their number; milliseconds. */
const CALL_DELAY = 500;

interface Placed {
  readonly run: number;
  readonly index: number;
  readonly row: WaitingRow;
}

/** The rows of a claim. */
interface ClaimedRows {
  readonly placed: readonly Placed[];
  /** What they take as they wait, at least as much as their values. */
  readonly characters: number;
}

interface RefusedPlace extends Placed {
  readonly reason: string;
}

interface Written {
  /** The attempts under which the flush's jobs were done, from the first on. */
  readonly done: readonly number[];
  /** The rows that were refused, once all jobs are done; absent: another attempt is needed. */
  readonly refused?: readonly RefusedPlace[];
}

export class Flusher {
  readonly #shard: Shard;
  readonly #node: WriteBigQueryNode;
  readonly #spec: TableSpec;
  readonly #keyColumns: readonly number[];
  readonly #policy: FlushPolicy;
  readonly #setting: FlusherSetting;
  readonly #owner: string;
  #prepared: Promise<void> | undefined;
  #flushing: Promise<void> | undefined;

  constructor(shard: Shard, node: WriteBigQueryNode, policy: FlushPolicy, setting: FlusherSetting) {
    this.#shard = shard;
    this.#node = node;
    this.#spec = tableSpec(node);
    this.#keyColumns = keyColumns(node);
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
    let claim: Claim | undefined = first;
    while (claim !== undefined) {
      const rows = await this.#read(claim);
      const { done, refused } = await this.#call(rows, flush, claim);
      if (refused !== undefined) return this.#settle(claim, rows.placed.length, refused);
      claim = await this.#anotherAttempt(done);
    }
  }

  /** The rows of a claim: of each place the newest. */
  async #read(claim: Claim): Promise<ClaimedRows> {
    const runs = span(claim.firstRun, claim.lastRun);
    const documents = await this.#setting.store.get(
      'runs',
      runs.map((run) => runId(this.#shard.id, run)),
    );
    const placed: Placed[] = [];
    let characters = 0;
    for (const [i, run] of runs.entries()) {
      const body = documents[i]?.body as RunBody | undefined;
      let index = 0;
      for (const text of body?.rows ?? []) {
        characters += text.length;
        for (const row of JSON.parse(text) as WaitingRow[]) {
          placed.push({ run, index, row });
          index += 1;
        }
      }
    }
    return { placed: this.#node.key.length === 0 ? placed : newestRows(placed, this.#keyColumns), characters };
  }

  /** Writes the rows, job by job, as far as they can be written now. */
  async #call(claimed: ClaimedRows, flush: number, claim: Claim): Promise<Written> {
    const { pipeline, epoch } = this.#setting;
    const refused: RefusedPlace[] = [];
    const done: number[] = [];
    for (const [part, chunk] of jobsOf(claimed).entries()) {
      const attempt = claim.done?.[part] ?? claim.attempt;
      const rows = chunk.map(({ row }) => warehouseRow(this.#node, row, epoch));
      const id = jobId(pipeline, epoch, this.#node.table, flush, part, attempt);
      const outcome = await this.#known({ id, table: this.#spec, rows });
      if (outcome.state === 'done') {
        for (const { index, reason } of outcome.refused) refused.push({ ...chunk[index]!, reason });
        done.push(attempt);
      } else if (outcome.again) return { done };
      else {
        // Whoever tries again after somebody has acted needs another job.
        await this.#anotherAttempt(done);
        throw new ConfigurationError(`table '${this.#node.table}' cannot be written: ${outcome.reason}`);
      }
    }
    return { done, refused };
  }

  /** Calls, again under the same id for as long as the outcome is not known. */
  async #known(job: MergeJob): Promise<Exclude<MergeOutcome, { state: 'unknown' }>> {
    for (let tries = 1; ; tries++) {
      const outcome = await this.#setting.warehouse.merge(job);
      if (outcome.state !== 'unknown') return outcome;
      if (tries >= MAX_CALLS) throw new RetryableError(`the outcome of job ${job.id} stays unknown: ${outcome.reason}`);
      await this.#setting.clock.sleep((CALL_DELAY * tries) as Millis);
    }
  }

  /** Ends the flush: one commit drops its runs and writes a dead letter for each row that was refused. */
  async #settle(claim: Claim, rows: number, refused: readonly RefusedPlace[]): Promise<void> {
    let letters: readonly DeadLetter[] | undefined;
    await this.#shard.transact((draft) => {
      const state = settled(sinkState(draft), this.#owner);
      if (state === undefined) return undefined;
      letters = refused.map((place) => this.#refusedRow(place, claim.attempt, draft));
      const deletes = span(claim.firstRun, claim.lastRun).map(
        (run): DocumentName => ({ collection: 'runs', id: runId(this.#shard.id, run) }),
      );
      this.#keep(draft, state);
      const sets = letters.flatMap((letter) => deadLetterDocuments(letter).documents);
      return { sets, deletes, counts: { ...noCounts(), deadLetters: letters.length } };
    });
    if (letters === undefined) return;
    if (letters.length > 0) this.#setting.deadLettered?.(letters);
    this.#setting.flushed?.(this.#node.table, rows - letters.length);
  }

  /** The job failed for good and is worth another: under a new id, in a commit made after that was known. */
  async #anotherAttempt(done: readonly number[]): Promise<Claim | undefined> {
    let claim: Claim | undefined;
    await this.#shard.transact((draft) => {
      const state = nextAttempt(sinkState(draft), this.#owner, done);
      claim = state?.claim ?? undefined;
      return state === undefined ? undefined : this.#keep(draft, state);
    });
    if (claim !== undefined)
      await this.#setting.clock.sleep((this.#setting.ids.random() * CALL_DELAY * 2 * claim.attempt) as Millis);
    return claim;
  }

  #refusedRow({ run, index, row, reason }: RefusedPlace, attempt: number, { processingTime }: RootDraft): DeadLetter {
    const { epoch } = this.#setting;
    const id = `${this.#shard.id}~row~${epoch}~${run}~${index}`;
    const place = { id, stage: this.#node.name, failedAt: processingTime, version: versionOf(this.#setting) };
    return rowDeadLetter(place, warehouseRow(this.#node, row, epoch), row[2]?.id, attempt, new RowRefused(reason));
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

/** Rows in portions of one job each. */
function jobsOf({ placed, characters: atMost }: ClaimedRows): (readonly Placed[])[] {
  if (placed.length === 0) return [];
  if (placed.length <= ROWS_A_JOB && atMost + placed.length * ROW_OVERHEAD <= CHARACTERS_A_JOB) return [placed];
  const jobs: Placed[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const each of placed) {
    const size = JSON.stringify(each.row[1]).length + ROW_OVERHEAD;
    if (characters + size > CHARACTERS_A_JOB || jobs.at(-1)!.length >= ROWS_A_JOB) {
      jobs.push([]);
      characters = 0;
    }
    jobs.at(-1)!.push(each);
    characters += size;
  }
  return jobs;
}

function span(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
