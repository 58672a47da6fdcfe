/** How many statements of a kind run on a table at once, and how many may wait. */
import { ApiError } from '../api-error.ts';

/** BigQuery's, for UPDATE, DELETE, TRUNCATE and MERGE. */
export const CHANGES = { running: 2, waiting: 20 };
/** BigQuery's, for INSERT, once a table has had its share of a day (`insert-queue.ts`). */
export const INSERTS = { running: 10, waiting: 100 };

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

export class StatementQueue {
  readonly #lines = new Map<string, Line>();
  readonly #most: typeof CHANGES;

  constructor(most = CHANGES) {
    this.#most = most;
  }

  /**
   * Runs the work when its turn on the table comes.
   * @throws {ApiError} at once, when too many statements wait already.
   */
  async run<T>(table: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(table) ?? { running: 0, waiting: [] };
    this.#lines.set(table, line);
    if (line.running < this.#most.running) {
      line.running++;
    } else {
      if (line.waiting.length >= this.#most.waiting) {
        throw new ApiError(
          'resourcesExceeded',
          `Resources exceeded during query execution: Too many DML statements outstanding against table ${table}, limit is ${this.#most.waiting}.`,
        );
      }
      // The place is handed over by the statement that ends: `running` stays as it is.
      await new Promise<void>((resume) => line.waiting.push(resume));
    }
    try {
      return await work();
    } finally {
      const next = line.waiting.shift();
      if (next) next();
      else if (--line.running === 0) this.#lines.delete(table);
    }
  }
}
