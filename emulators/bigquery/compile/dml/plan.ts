/**
 * Data manipulation, compiled to steps for `dml/` to run. A statement first works out what it changes, from the table as it
 * stood at the start; only then are rows touched. So a MERGE sees no row it has itself inserted, and a row that two source
 * rows would change is found before any is.
 */
import type { TableResource } from '../../catalog/table.ts';
import { identifier } from '../sql-text.ts';

/** Rows to insert: names of columns in DuckDB, and a SELECT of their values. */
export interface InsertStep {
  readonly columns: readonly string[];
  readonly select: string;
}

/** INSERT. */
export interface InsertPlan {
  readonly kind: 'insert';
  readonly table: TableResource;
  readonly insert: InsertStep;
}

/**
 * UPDATE, DELETE and MERGE. `source` is materialised as `~source` where there is one; `changes`, over the target and it, has
 * the columns `rid` (row of the target), `sid` (row of the source), `action` (`update`, `delete` or NULL), `part`, `streamed`
 * and a column for each of `updated`.
 */
export interface ChangePlan {
  readonly kind: 'change';
  readonly table: TableResource;
  readonly statement: 'UPDATE' | 'DELETE' | 'MERGE';
  readonly source: string | undefined;
  readonly changes: string;
  /** Like `changes`, for rows of the target that no source row matched; reads the finished `~changes`. */
  readonly unmatchedTarget: string | undefined;
  /** Rows of the source that matched nothing; reads the finished `~changes`. */
  readonly inserts: readonly InsertStep[];
  /** Columns that an update may set, quoted; their new values are `v0`, `v1` … of the changes. */
  readonly updated: readonly string[];
}

export interface TruncatePlan {
  readonly kind: 'truncate';
  readonly table: TableResource;
}

export type DmlPlan = InsertPlan | ChangePlan | TruncatePlan;

/** Names of the tables that a change is worked out in. */
export const SOURCE = identifier('~source');
export const CHANGES = identifier('~changes');
