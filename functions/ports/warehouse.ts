/**
 * The warehouse: tables that receive rows by MERGE. The sink claims a flush, calls, and settles; so a call may be made
 * again at any time under the same id, and must then have the same effect as made once.
 *
 * Contract, held by one suite over every adapter (`test/ports/warehouse-suite.ts`):
 * - Of a key, the row with the newest (`pane_epoch`, `pane_sequence`) stays, whatever order jobs come in.
 * - `merge` with a job id that was used before changes nothing, and answers with that job's outcome. So an outcome that is
 *   `unknown` (the answer was lost) is found out by sending the same job again; it must never be sent under another id.
 * - A row that the table does not take is refused alone; all others are written, once.
 */
import type { Column } from '../model/table.ts';

export interface TableSpec {
  /** `dataset.table` or `table`. */
  readonly table: string;
  readonly columns: readonly Column[];
  /** The columns that identify a row. Empty = plain rows are appended, each under its own id. */
  readonly key: readonly string[];
  /** A TIMESTAMP or DATE column by whose day the table is partitioned. */
  readonly partitionBy?: string;
  readonly clusterBy: readonly string[];
}

/** A row by column name; values in JSON form: TIMESTAMP as ISO text, NUMERIC and INT64 beyond 2^53 as text. */
export type Row = Readonly<Record<string, unknown>>;

export interface MergeJob {
  readonly id: string;
  readonly table: TableSpec;
  /** At most one row of a key. */
  readonly rows: readonly Row[];
}

export interface RefusedRow {
  /** Its place in the job's rows. */
  readonly index: number;
  /** The warehouse's own words. */
  readonly reason: string;
}

export type MergeOutcome =
  /** Every row was written but those that were refused. */
  | { readonly state: 'done'; readonly refused: readonly RefusedRow[] }
  /** The job failed for good and wrote nothing that a new one would append again; `again` = worth one, under a new id. */
  | { readonly state: 'failed'; readonly again: boolean; readonly reason: string }
  /** Nobody knows; send it again under the same id. */
  | { readonly state: 'unknown'; readonly reason: string };

export interface Warehouse {
  /** Makes the table or adds new nullable columns. @throws {ConfigurationError} naming any other difference */
  prepare(table: TableSpec): Promise<void>;
  merge(job: MergeJob): Promise<MergeOutcome>;
}
