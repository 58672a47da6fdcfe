/**
 * The warehouse: tables that receive rows by MERGE. The sink claims a flush, calls, and settles; so a call may be made
 * again at any time under the same id, and must then have the same effect as made once.
 *
 * Contract, held by one suite over every adapter:
 * - A merge job is all or nothing. Of a key, the row with the newest (`pane_epoch`, `pane_sequence`) stays.
 * - `merge` with a job id that was used before does nothing and answers with that job's outcome.
 * - An answer may be lost: `unknown`. Then `lookUp` by the same id tells, and `absent` means: send it again.
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

export type MergeOutcome =
  | { readonly state: 'done' }
  /** Some rows were refused; nothing was written. */
  | { readonly state: 'refused'; readonly rows: readonly { readonly index: number; readonly reason: string }[] }
  /** The job failed for good and wrote nothing; `again` = worth another attempt under a new id. */
  | { readonly state: 'failed'; readonly again: boolean; readonly reason: string }
  /** Nobody knows; look it up by its id. */
  | { readonly state: 'unknown'; readonly reason: string }
  /** No job of this id exists. Only from `lookUp`. */
  | { readonly state: 'absent' };

export interface Warehouse {
  /** Makes the table or adds new nullable columns. @throws {ConfigurationError} naming any other difference */
  prepare(table: TableSpec): Promise<void>;
  merge(job: MergeJob): Promise<MergeOutcome>;
  lookUp(jobId: string, table: TableSpec): Promise<MergeOutcome>;
}
