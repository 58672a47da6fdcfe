/** How many UPDATE, DELETE and MERGE statements run on a table at once, and how many may wait: BigQuery's 2 and 20. */
import { ApiError } from '../api-error.ts';

export const MAX_RUNNING = 2;
export const MAX_WAITING = 20;

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

export class StatementQueue {
  readonly #lines = new Map<string, Line>();

  /**
   * Runs the work when its turn on the table comes.
   * @throws {ApiError} at once, when too many statements wait already.
   */
  async run<T>(table: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(table) ?? { running: 0, waiting: [] };
    this.#lines.set(table, line);
    if (line.running < MAX_RUNNING) {
      line.running++;
    } else {
      if (line.waiting.length >= MAX_WAITING) {
        throw new ApiError(
          'resourcesExceeded',
          `Resources exceeded during query execution: Too many DML statements outstanding against table ${table}, limit is ${MAX_WAITING}.`,
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
