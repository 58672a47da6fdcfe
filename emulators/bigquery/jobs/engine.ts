/** What running a statement needs: the database and what guards it. One a server. */
import type { Catalog } from '../catalog/catalog.ts';
import type { CommitLog } from '../dml/commit-log.ts';
import type { InsertQueue } from '../dml/insert-queue.ts';
import type { StatementQueue } from '../dml/statement-queue.ts';
import type { StatementRate } from '../dml/statement-rate.ts';
import type { Database } from '../runtime/database.ts';
import type { TroubleMaker } from '../troubles.ts';

export interface Engine {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly troubles: TroubleMaker;
  /** Statements that change rows. */
  readonly queue: StatementQueue;
  readonly inserts: InsertQueue;
  readonly rate: StatementRate;
  readonly commits: CommitLog;
}

/** Where in its work a statement can be told to stop. */
export interface Control {
  /** Called with the way to stop what is running, and with `undefined` when nothing is. */
  readonly running: (interrupt: (() => void) | undefined) => void;
  /** @throws {ApiError} when the job was cancelled. */
  readonly check: () => void;
}

export function sleep(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}
