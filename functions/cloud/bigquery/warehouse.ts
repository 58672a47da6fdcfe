/**
 * The warehouse port on BigQuery.
 *
 * Invariants: a job's id is the caller's, so repeating a call repeats nothing; a job that exists is read, never sent under
 * another id; rows that BigQuery refuses are found by halving (`halving.ts`). Only what is known to have failed for good is
 * reported as failed.
 */
import { BigQuery, type Job, type Query, type TableMetadata } from '@google-cloud/bigquery';
import { ConfigurationError, RetryableError } from '../../model/errors.ts';
import type { Millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MergeJob, MergeOutcome, RefusedRow, Row, TableSpec, Warehouse } from '../../ports/warehouse.ts';
import { Halving, type Ran } from './halving.ts';
import { type BigQueryFailure, failureOf, kindOf } from './job-failure.ts';
import { insertSql, mergeSql, partitionBounds, quotedTable, rowsText } from './merge-sql.ts';
import { compareTable, describeTable, tableMetadata } from './table-schema.ts';

export interface BigQueryWarehouseOptions {
  readonly projectId: string;
  /** The dataset of tables that name none. */
  readonly dataset: string;
  /** Such as `EU`. Default: where the table is. */
  readonly location?: string;
  /** Another address than Google's, such as the local server's. */
  readonly apiEndpoint?: string;
  readonly clock: Clock;
}

/** How long a call waits for a job before it says that the outcome is not known yet; milliseconds. */
const PATIENCE = 30_000;
/** Between two looks at a job, milliseconds: each time a third more, so that little is waited beyond its end. */
const FIRST_POLL = 10;
const LONGEST_POLL = 2_000;
const POLL_GROWTH = 4 / 3;
/** A statement's parameters may have 10 MB together; UTF-8 takes up to three bytes a character. */
const MAX_ROWS_CHARACTERS = 3_000_000;

const UNNAMED: BigQueryFailure = { code: undefined, reason: 'unnamed', message: 'no reason given' };

export class BigQueryWarehouse implements Warehouse {
  readonly #client: BigQuery;
  readonly #options: BigQueryWarehouseOptions;
  /** Where each table is, and so its jobs: outside of the multi-regions US and EU BigQuery finds no job without it. */
  readonly #locations = new Map<string, string>();

  constructor(options: BigQueryWarehouseOptions) {
    const { projectId, apiEndpoint, location } = options;
    this.#options = options;
    this.#client = new BigQuery({
      projectId,
      ...(apiEndpoint === undefined ? {} : { apiEndpoint }),
      ...(location === undefined ? {} : { location }),
      // Who repeats what is decided here, by job id, and nowhere else.
      autoRetry: false,
      maxRetries: 0,
    });
  }

  async prepare(spec: TableSpec): Promise<void> {
    const { dataset, name } = this.#place(spec);
    const table = this.#client.dataset(dataset).table(name);
    try {
      const metadata = await this.#metadataOf(spec);
      const { add, differences } = compareTable(spec, describeTable(metadata));
      if (differences.length > 0)
        throw new ConfigurationError(
          `table '${dataset}.${name}' does not fit the pipeline: ${differences.join('; ')}; change one of them, or write another table`,
        );
      if (add.length > 0) await table.setMetadata({ schema: { fields: [...(metadata.schema?.fields ?? []), ...add] } });
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      const { code, message } = failureOf(error);
      if (code !== 404)
        throw new RetryableError(`table '${dataset}.${name}' cannot be read: ${message}`, { cause: error });
      await this.#create(spec);
    }
  }

  async merge(job: MergeJob): Promise<MergeOutcome> {
    const { table } = job;
    const halving = new Halving(table, this.#options.clock, (rows, id) => this.#run(table, rows, id));
    const refused: RefusedRow[] = [];
    let from = 0;
    for (const [part, rows] of chunks(job).entries()) {
      const outcome = await halving.write(rows, from, part === 0 ? job.id : `${job.id}-p${part}`);
      if (outcome.state !== 'done') return outcome;
      refused.push(...outcome.refused);
      from += rows.length;
    }
    return { state: 'done', refused };
  }

  /** Makes the job, or finds the one of this id, and waits for its end. */
  async #run(spec: TableSpec, rows: readonly Row[], id: string): Promise<Ran> {
    let job: Job;
    let how: Ran['job'] = 'made';
    try {
      [job] = await this.#client.createQueryJob({ ...this.#query(spec, rows), jobId: id });
    } catch (error) {
      const failure = failureOf(error);
      if (kindOf(failure) !== 'duplicate') return { failure, job: 'none' };
      how = 'found';
      try {
        job = this.#client.job(id, { location: await this.#locationOf(spec) });
      } catch (cause) {
        return { failure: { ...failureOf(cause), code: 500 }, job: how };
      }
    }
    const { clock } = this.#options;
    let waited = 0;
    for (let wait = FIRST_POLL; ; wait = Math.min(POLL_GROWTH * wait, LONGEST_POLL)) {
      try {
        const [{ status }] = await job.getMetadata();
        if (status?.state === 'DONE')
          return status.errorResult === undefined
            ? { job: how }
            : { failure: { ...UNNAMED, ...status.errorResult }, job: how };
      } catch (error) {
        return { failure: { ...failureOf(error), code: 500 }, job: how };
      }
      if (waited >= PATIENCE)
        return { failure: { code: 500, reason: '', message: `job ${id} is still running` }, job: how };
      await clock.sleep(wait as Millis);
      waited += wait;
    }
  }

  async #locationOf(spec: TableSpec): Promise<string> {
    const { location } = this.#options;
    if (location !== undefined) return location;
    if (!this.#locations.has(spec.table)) await this.#metadataOf(spec);
    return this.#locations.get(spec.table)!;
  }

  /** The table as BigQuery describes it; takes note of where it is. */
  async #metadataOf(spec: TableSpec): Promise<TableMetadata> {
    const { dataset, name } = this.#place(spec);
    const [metadata] = await this.#client.dataset(dataset).table(name).getMetadata();
    this.#locations.set(spec.table, metadata.location);
    return metadata;
  }

  #query(spec: TableSpec, rows: readonly Row[]): Query {
    const { dataset, name } = this.#place(spec);
    const target = quotedTable(this.#options.projectId, dataset, name);
    const params: Record<string, unknown> = { rows: rowsText(spec, rows) };
    if (spec.key.length === 0) return { query: insertSql(target, spec), params };
    const bounds = partitionBounds(spec, rows);
    if (bounds !== undefined) {
      const isDate = spec.columns.some((column) => column.name === spec.partitionBy && column.type === 'DATE');
      const typed = (text: string): unknown => (isDate ? this.#client.date(text) : this.#client.timestamp(text));
      params['low'] = typed(bounds.low);
      params['high'] = typed(bounds.high);
    }
    return { query: mergeSql(target, spec), params };
  }

  async #create(spec: TableSpec): Promise<void> {
    const { dataset, name } = this.#place(spec);
    const { location } = this.#options;
    const make = async (): Promise<unknown> => this.#client.dataset(dataset).createTable(name, tableMetadata(spec));
    try {
      await make().catch(async (error: unknown) => {
        if (failureOf(error).code !== 404) throw error;
        await this.#client.createDataset(dataset, location === undefined ? {} : { location });
        await make();
      });
    } catch (error) {
      const { code, message } = failureOf(error);
      // Somebody else has made it at the same moment; whether it fits is seen when it is read again.
      if (code === 409) return this.prepare(spec);
      throw new RetryableError(`table '${dataset}.${name}' cannot be made: ${message}`, { cause: error });
    }
  }

  #place({ table }: TableSpec): { dataset: string; name: string } {
    const at = table.indexOf('.');
    return at < 0
      ? { dataset: this.#options.dataset, name: table }
      : { dataset: table.slice(0, at), name: table.slice(at + 1) };
  }
}

/** Rows in portions that fit a statement's parameters. Which row is in which follows from the rows alone. */
function chunks({ table, rows }: MergeJob): Row[][] {
  const portions: Row[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const size = rowsText(table, [row]).length;
    if (characters + size > MAX_ROWS_CHARACTERS) {
      portions.push([]);
      characters = 0;
    }
    portions.at(-1)!.push(row);
    characters += size;
  }
  return portions;
}
