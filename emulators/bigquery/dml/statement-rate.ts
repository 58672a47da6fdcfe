/** How many DML statements a table takes in ten seconds: 25 in BigQuery, as many as one likes here unless told otherwise. */
import { ApiError } from '../api-error.ts';

const SPAN = 10_000;

export class StatementRate {
  readonly #begun = new Map<string, number[]>();

  /**
   * Counts a statement.
   * @param most 0 = no limit
   * @throws {ApiError} when the table has had its statements
   */
  count(table: string, most: number, now = Date.now()): void {
    const begun = (this.#begun.get(table) ?? []).filter((at) => at > now - SPAN);
    if (most > 0 && begun.length >= most)
      throw new ApiError(
        'rateLimitExceeded',
        `Exceeded rate limits: too many DML statements for table ${table}, limit is ${most} in 10 seconds.`,
      );
    begun.push(now);
    this.#begun.set(table, begun);
  }
}
