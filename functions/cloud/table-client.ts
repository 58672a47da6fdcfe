/** The warehouse port on a table server of this machine (`emulators/tables`), for local runs without BigQuery. */
import { messageOf, RetryableError } from '../model/errors.ts';
import type { MergeJob, MergeOutcome, TableSpec, Warehouse } from '../ports/warehouse.ts';

export class TableClient implements Warehouse {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async prepare(table: TableSpec): Promise<void> {
    await this.#post('/prepare', table);
  }

  async merge(job: MergeJob): Promise<MergeOutcome> {
    try {
      return (await this.#post('/merge', job)) as MergeOutcome;
    } catch (error) {
      return { state: 'unknown', reason: messageOf(error) };
    }
  }

  async #post(path: string, body: unknown): Promise<unknown> {
    const response = await fetch(`${this.#url}${path}`, { method: 'POST', body: JSON.stringify(body) }).catch(
      (cause: unknown) => {
        throw new RetryableError(`the table server at ${this.#url} does not answer: ${messageOf(cause)}`, { cause });
      },
    );
    if (!response.ok) throw new RetryableError(`${this.#url}${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
}
