/**
 * The warehouse as BigQuery behaves: a job sees the table as it was when it began. Two jobs that overlap and insert the
 * same key both insert it; when one updates what the other has updated, it cannot be serialized. Answers may be lost.
 */
import { RetryableError } from '../../../functions/model/errors.ts';
import type { MergeJob, MergeOutcome, Row, TableSpec, Warehouse } from '../../../functions/ports/warehouse.ts';
import type { Instance } from './instance.ts';
import { Random } from './random.ts';
import type { Surroundings } from './surroundings.ts';

interface Stored {
  row: Row;
  /** When it was last written. */
  written: number;
}

export interface PlacedRow {
  readonly table: string;
  readonly place: string;
  readonly row: Row;
}

/** Rows by place; more than one row in a place is a duplicate. */
type Table = Map<string, Stored[]>;

const RUNNING: MergeOutcome = { state: 'unknown', reason: 'the job is running' };
const CALL_TIME = 200;

export class SimulatedWarehouse {
  readonly #around: Surroundings;
  readonly #random: Random;
  readonly #tables = new Map<string, Table>();
  readonly #jobs = new Map<string, MergeOutcome>();

  constructor(around: Surroundings) {
    this.#around = around;
    this.#random = new Random(around.seed, 'warehouse');
  }

  /** The port of one instance. */
  portOf(instance: Instance): Warehouse {
    const call = <T>(what: string, apply: () => Promise<T>): Promise<T> => instance.call(what, CALL_TIME, apply);
    return {
      prepare: (spec) => call(`prepare ${spec.table}`, async () => void this.#table(spec.table)),
      merge: (job) => call(`merge ${job.id}`, () => this.#merge(job)),
    };
  }

  /** Everything that there is. */
  placed(): PlacedRow[] {
    return [...this.#tables].flatMap(([table, places]) =>
      [...places].flatMap(([place, stored]) => stored.map(({ row }) => ({ table, place, row }))),
    );
  }

  /** Every row of a table, duplicates too. */
  rows(table: string): Row[] {
    return [...this.#table(table).values()].flat().map(({ row }) => row);
  }

  /** The rows of one place of a table. */
  rowsAt(table: string, place: string): Row[] {
    return (
      this.#table(table)
        .get(place)
        ?.map(({ row }) => row) ?? []
    );
  }

  /** Whether jobs are running. */
  get isBusy(): boolean {
    return [...this.#jobs.values()].includes(RUNNING);
  }

  async #merge(job: MergeJob): Promise<MergeOutcome> {
    const { faults, scheduler, tell } = this.#around;
    if (faults.happens('mergeUnreachable')) throw new RetryableError('the warehouse cannot be reached');
    if (faults.happens('mergeNeverArrives')) return { state: 'unknown', reason: 'the connection was reset' };
    const known = this.#jobs.get(job.id);
    if (known !== undefined) return known;
    if (faults.happens('mergeContention')) return this.#finish(job, couldNotSerialize());
    const began = scheduler.now;
    const existing = this.#existing(job);
    if (faults.happens('mergeSlow')) {
      const length = this.#random.spread(1_000, 300_000);
      tell(() => `job ${job.id} runs for ${Math.round(length / 1_000)} s`);
      this.#jobs.set(job.id, RUNNING);
      scheduler.after(length, () => {
        this.#finish(job, this.#apply(job, existing, began));
        return false;
      });
      return RUNNING;
    }
    const outcome = this.#finish(job, this.#apply(job, existing, began));
    return faults.happens('mergeAnswerLost') ? { state: 'unknown', reason: 'the connection was reset' } : outcome;
  }

  #finish(job: MergeJob, outcome: MergeOutcome): MergeOutcome {
    this.#jobs.set(job.id, outcome);
    this.#around.tell(() => `job ${job.id} of ${job.rows.length} rows: ${outcome.state}`);
    return outcome;
  }

  /** The places of a job's rows that have a row when it begins. */
  #existing({ table, rows }: MergeJob): ReadonlySet<string> {
    const stored = this.#table(table.table);
    return new Set(
      rows.map((row) => placeOf(table, row)).filter((place) => place !== undefined && stored.has(place)) as string[],
    );
  }

  #apply(job: MergeJob, existing: ReadonlySet<string>, began: number): MergeOutcome {
    const stored = this.#table(job.table.table);
    const refused = job.rows.flatMap((row, index) => (isRefused(row) ? [{ index, reason: 'no such value' }] : []));
    const written = this.#around.scheduler.now;
    const updates: [Stored, Row][] = [];
    const inserts: [string, Row][] = [];
    for (const row of job.rows.filter((each) => !isRefused(each))) {
      const place = placeOf(job.table, row);
      if (place === undefined) inserts.push([`row ${this.#random.next()} ${stored.size}`, row]);
      else if (!existing.has(place)) inserts.push([place, row]);
      else for (const kept of stored.get(place)!) if (isNewer(row, kept.row)) updates.push([kept, row]);
    }
    if (updates.some(([kept]) => kept.written > began)) return couldNotSerialize();
    for (const [kept, row] of updates) Object.assign(kept, { row, written });
    for (const [place, row] of inserts) stored.set(place, [...(stored.get(place) ?? []), { row, written }]);
    return { state: 'done', refused };
  }

  #table(name: string): Table {
    let table = this.#tables.get(name);
    if (table === undefined) {
      table = new Map();
      this.#tables.set(name, table);
    }
    return table;
  }
}

/** The note that makes the warehouse refuse a row. */
export const REFUSED = 'refused';

function isRefused(row: Row): boolean {
  return row['note'] === REFUSED;
}

function placeOf({ key }: TableSpec, row: Row): string | undefined {
  return key.length === 0 ? undefined : JSON.stringify(key.map((column) => row[column]));
}

function isNewer(row: Row, stored: Row): boolean {
  const [epoch, sequence] = [Number(row['pane_epoch']), Number(row['pane_sequence'])];
  const [storedEpoch, storedSequence] = [Number(stored['pane_epoch']), Number(stored['pane_sequence'])];
  return epoch > storedEpoch || (epoch === storedEpoch && sequence > storedSequence);
}

function couldNotSerialize(): MergeOutcome {
  return { state: 'failed', again: true, reason: 'Could not serialize access to table due to concurrent update' };
}
