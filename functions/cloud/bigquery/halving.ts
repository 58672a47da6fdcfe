/**
 * Writes the rows of a job, statement by statement; where BigQuery refuses some, halves them until the bad ones stand alone.
 *
 * Invariants: each statement has an id that follows from the job's, so that a repeat takes the same way. `failed` is said
 * only where nothing was written, or where writing it again does no harm: of a table without a key, what follows on rows that
 * were appended goes on under this job, as often as it takes.
 */
import type { Millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MergeOutcome, RefusedRow, Row, TableSpec } from '../../ports/warehouse.ts';
import { type BigQueryFailure, kindOf } from './job-failure.ts';

/** What came of a statement. */
export interface Ran {
  /** Absent: it is done. */
  readonly failure?: BigQueryFailure;
  /** Whether the call made the job, found it, or BigQuery made none: then the id is still free. */
  readonly job: 'made' | 'found' | 'none';
}

/** More refused rows than this in one job: then it is not the rows. */
const MAX_REFUSED = 100;
/** How often one call sends anew what failed behind rows that were appended. */
const MOST_TRIES = 3;
/** Before the first of these; milliseconds. */
const TRY_AGAIN_AFTER = 500;

type Written = { readonly state: 'done'; readonly refused: readonly RefusedRow[] };

export class Halving {
  readonly #run: (rows: readonly Row[], id: string) => Promise<Ran>;
  readonly #clock: Clock;
  readonly #appends: boolean;
  #written = 0;

  /** @param run sends a statement, or finds the one of this id, and waits for its end */
  constructor(table: TableSpec, clock: Clock, run: (rows: readonly Row[], id: string) => Promise<Ran>) {
    this.#run = run;
    this.#clock = clock;
    this.#appends = table.key.length === 0;
  }

  /** Writes a portion of the job's rows, behind those that were written before. @param from its place among them */
  async write(rows: readonly Row[], from: number, id: string): Promise<MergeOutcome> {
    const failure = await this.#send(rows, id);
    if (failure === undefined) {
      this.#written += rows.length;
      return { state: 'done', refused: [] };
    }
    const reason = failure.message;
    switch (kindOf(failure)) {
      case 'unknown':
      case 'duplicate':
        return { state: 'unknown', reason };
      case 'again':
        return this.#mustGoOn ? { state: 'unknown', reason } : { state: 'failed', again: true, reason };
      case 'broken':
        return this.#mustGoOn ? { state: 'unknown', reason } : { state: 'failed', again: false, reason };
      case 'rows':
        break;
    }
    if (rows.length === 1) return { state: 'done', refused: [{ index: from, reason }] };
    const middle = rows.length >> 1;
    const left = await this.write(rows.slice(0, middle), from, `${id}-l`);
    if (left.state !== 'done') return left;
    if (left.refused.length > MAX_REFUSED) {
      const why = `more than ${MAX_REFUSED} rows are refused: ${reason}`;
      if (!this.#mustGoOn) return { state: 'failed', again: false, reason: why };
      const others = rows
        .slice(middle)
        .map((_, i) => ({ index: from + middle + i, reason: `not tried, since ${why}` }));
      return { state: 'done', refused: [...left.refused, ...others] };
    }
    const right = await this.write(rows.slice(middle), from + middle, `${id}-r`);
    if (right.state !== 'done') return right;
    return { state: 'done', refused: [...left.refused, ...right.refused] } satisfies Written;
  }

  /** Whether another attempt of the whole job would append rows twice. */
  get #mustGoOn(): boolean {
    return this.#appends && this.#written > 0;
  }

  /** Sends a statement; where the job must go on, again under ids of its own when it has failed for good. */
  async #send(rows: readonly Row[], id: string): Promise<BigQueryFailure | undefined> {
    let tries = 0;
    for (let attempt = 1; ; ) {
      const { failure, job } = await this.#run(rows, attempt === 1 ? id : `${id}-a${attempt}`);
      if (failure === undefined || !this.#mustGoOn) return failure;
      const kind = kindOf(failure);
      if (kind !== 'again' && kind !== 'broken') return failure;
      if (job !== 'none') attempt += 1;
      // Those of calls before this one are only looked at.
      if (job === 'found') continue;
      tries += 1;
      if (tries >= MOST_TRIES) return failure;
      await this.#clock.sleep((TRY_AGAIN_AFTER * tries) as Millis);
    }
  }
}
