/**
 * Every query that the engine and the operators make. The composite indexes, the index exemptions and the in-memory
 * indexes all come from this list, and a test holds `infra/` against it.
 */
import type { Collection } from './store.ts';

export interface Query {
  readonly name: string;
  readonly collection: Collection;
  /** Fields that must equal a given value. */
  readonly equal: readonly string[];
  /** The field that orders the result, ascending; documents without it are not found. */
  readonly orderBy: string;
}

/** Cells of a shard by the time at which their next event-time timer is due. */
export const CELLS_BY_EVENT_DUE: Query = {
  name: 'cells-by-event-due',
  collection: 'cells',
  equal: ['shard'],
  orderBy: 'eventDue',
};

/** Cells of a shard by the time at which their next processing-time timer is due. */
export const CELLS_BY_PROCESSING_DUE: Query = {
  name: 'cells-by-processing-due',
  collection: 'cells',
  equal: ['shard'],
  orderBy: 'processingDue',
};

/** Runs of rows that wait in a sink's shard, oldest first. */
export const RUNS_BY_SHARD: Query = { name: 'runs-by-shard', collection: 'runs', equal: ['shard'], orderBy: 'number' };

/** Dead letters by the time at which they failed, oldest first. */
export const DEAD_LETTERS_BY_TIME: Query = {
  name: 'dead-letters-by-time',
  collection: 'deadLetters',
  equal: ['status'],
  orderBy: 'failedAt',
};

export const QUERIES: readonly Query[] = [
  CELLS_BY_EVENT_DUE,
  CELLS_BY_PROCESSING_DUE,
  RUNS_BY_SHARD,
  DEAD_LETTERS_BY_TIME,
];
