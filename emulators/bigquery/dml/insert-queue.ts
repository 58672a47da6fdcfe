/**
 * INSERT statements on a table: the first 1,500 of 24 hours run at once, whatever their number; those beyond queue up, as
 * BigQuery has them.
 */
import { INSERTS, StatementQueue } from './statement-queue.ts';

export const FREE_INSERTS = 1_500;
const DAY = 86_400_000;

export class InsertQueue {
  readonly #beyond = new StatementQueue(INSERTS);
  /** Of each table, when its last statements began: at most as many as are free. */
  readonly #begun = new Map<string, number[]>();

  /** @throws {ApiError} at once, when too many statements wait already */
  async run<T>(table: string, work: () => Promise<T>, now = Date.now()): Promise<T> {
    const begun = this.#begun.get(table) ?? [];
    this.#begun.set(table, begun);
    const isFree = begun.length < FREE_INSERTS || begun[0]! <= now - DAY;
    begun.push(now);
    if (begun.length > FREE_INSERTS) begun.shift();
    return isFree ? work() : this.#beyond.run(table, work);
  }
}
