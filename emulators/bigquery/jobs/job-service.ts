/** Starts jobs and sees them through. */
import { randomUUID } from 'node:crypto';
import { ApiError, duplicate, invalid, notFound, toApiError } from '../api-error.ts';
import { checkJobId } from '../catalog/names.ts';
import type { TableReference } from '../catalog/table.ts';
import type { Control, Engine } from './engine.ts';
import type { Destination } from './execute-query.ts';
import {
  type CheckedStatement,
  checkStatement,
  describeStatement,
  runStatement,
  type StatementRequest,
} from './execute-statement.ts';
import { Job, type StatementOutcome } from './job.ts';
import type { JobStore } from './job-store.ts';
import { readParameters } from './parameters.ts';

type Json = Record<string, unknown>;

/** A job as it is asked for. */
export interface JobRequest {
  readonly projectId: string;
  readonly jobId: string | undefined;
  readonly location: string | undefined;
  /** `configuration` of the API; only `query` jobs run here. */
  readonly configuration: Json;
}

/** Where a job is found by its id alone. */
const MULTI_REGIONS: ReadonlySet<string> = new Set(['US', 'EU']);
const WRITE = ['WRITE_EMPTY', 'WRITE_APPEND', 'WRITE_TRUNCATE'] as const;
const CREATE = ['CREATE_IF_NEEDED', 'CREATE_NEVER'] as const;

function oneOf<T extends string>(value: unknown, allowed: readonly T[], fallback: T, what: string): T {
  if (value === undefined || value === null) return fallback;
  const found = allowed.find((candidate) => candidate === value);
  if (!found) throw invalid(`Invalid ${what}: ${JSON.stringify(value)}`);
  return found;
}

function destinationOf(query: Json, projectId: string): Destination | undefined {
  const table = query['destinationTable'] as Json | undefined;
  if (!table) return undefined;
  const { datasetId, tableId } = table;
  if (typeof datasetId !== 'string' || typeof tableId !== 'string')
    throw invalid('Invalid destinationTable: datasetId and tableId are required');
  const reference: TableReference = {
    projectId: typeof table['projectId'] === 'string' ? table['projectId'] : projectId,
    datasetId,
    tableId,
  };
  return {
    table: reference,
    write: oneOf(query['writeDisposition'], WRITE, 'WRITE_EMPTY', 'writeDisposition'),
    create: oneOf(query['createDisposition'], CREATE, 'CREATE_IF_NEEDED', 'createDisposition'),
  };
}

function statementRequest(configuration: Json, projectId: string): StatementRequest {
  const query = configuration['query'];
  if (typeof query !== 'object' || query === null) {
    const kind = ['load', 'copy', 'extract'].find((candidate) => configuration[candidate] !== undefined);
    if (kind)
      throw new ApiError('notImplemented', `Jobs of kind ${kind} are not supported by this local BigQuery server`);
    throw new ApiError('required', 'Required parameter is missing: configuration.query');
  }
  const source = query as Json;
  if (typeof source['query'] !== 'string' || source['query'] === '')
    throw new ApiError('required', 'Required parameter is missing: query', 'q');
  if (source['useLegacySql'] === true)
    throw new ApiError(
      'invalid',
      'Legacy SQL is not supported by this local BigQuery server: set useLegacySql to false',
    );
  if (source['createSession'] === true)
    throw new ApiError('notImplemented', 'Sessions are not supported by this local BigQuery server');
  const dataset = source['defaultDataset'] as Json | undefined;
  const destination = destinationOf(source, projectId);
  return {
    sql: source['query'],
    defaults: {
      projectId: typeof dataset?.['projectId'] === 'string' ? dataset['projectId'] : projectId,
      datasetId: typeof dataset?.['datasetId'] === 'string' ? dataset['datasetId'] : undefined,
    },
    parameters: readParameters(source['queryParameters'], source['parameterMode']),
    ...(destination && { destination }),
  };
}

/** The configuration as jobs.get shows it: without the values of parameters, which may be megabytes. */
function shownConfiguration(configuration: Json): object {
  const query = configuration['query'] as Json;
  const { queryParameters, ...rest } = query;
  const shown =
    JSON.stringify(queryParameters ?? null).length > 10_000
      ? {}
      : { ...(queryParameters !== undefined && { queryParameters }) };
  return {
    jobType: 'QUERY',
    ...configuration,
    query: { priority: 'INTERACTIVE', useLegacySql: false, ...rest, ...shown },
  };
}

export class JobService {
  readonly #engine: Engine;
  readonly store: JobStore;
  readonly #running = new Set<Job>();

  constructor(engine: Engine, store: JobStore) {
    this.#engine = engine;
    this.store = store;
  }

  /**
   * @param location where it runs; may be left out of jobs in the multi-regions US and EU alone, as BigQuery has it
   * @throws {ApiError} 404 when there is no such job there.
   */
  async get(projectId: string, jobId: string, location: string | undefined): Promise<Job> {
    const job = await this.store.find(projectId, jobId);
    const isAt = job?.reference.location.toUpperCase() ?? '';
    if (!job || (location === undefined ? !MULTI_REGIONS.has(isAt) : location.toUpperCase() !== isAt))
      throw notFound(`Job ${projectId}:${location ?? 'US'}.${jobId}`);
    return job;
  }

  /** Resolves when no job is running any more; those that do are told to stop. */
  async idle(): Promise<void> {
    for (const job of this.#running) job.cancel();
    await Promise.all([...this.#running].map((job) => job.done));
  }

  /** What a statement would do, as a job without an id. */
  async dryRun({ projectId, configuration, location }: JobRequest): Promise<Job> {
    const request = statementRequest(configuration, projectId);
    const job = new Job({ projectId, jobId: '', location: location ?? 'US' }, shownConfiguration(configuration));
    try {
      job.outcome = await describeStatement(this.#engine, checkStatement(this.#engine, request));
    } catch (error) {
      throw toApiError(error, request.sql);
    }
    job.state = 'DONE';
    return job;
  }

  /**
   * Begins a job and answers at once. A statement that cannot be compiled makes a job that has failed, and throws.
   * @throws {ApiError} 409 when the id is taken; 400 when the statement is wrong.
   */
  async start(request: JobRequest): Promise<Job> {
    const { projectId } = request;
    const jobId = request.jobId === undefined ? `job_${randomUUID()}` : checkJobId(request.jobId);
    if (request.jobId !== undefined && (await this.store.find(projectId, jobId)))
      throw duplicate(`Job ${projectId}:US.${jobId}`);
    const statement = statementRequest(request.configuration, projectId);
    const checked = this.#checked(statement);
    const location = request.location ?? (checked instanceof ApiError ? undefined : checked.location) ?? 'US';
    const job = new Job({ projectId, jobId, location }, shownConfiguration(request.configuration));
    if (this.store.has(projectId, jobId)) throw duplicate(`Job ${projectId}:US.${jobId}`);
    this.store.add(job);
    job.startTime = Date.now();
    if (checked instanceof ApiError) {
      await this.#finish(job, checked);
      throw checked;
    }
    job.state = 'RUNNING';
    this.#running.add(job);
    job.done = this.#see(job, checked)
      .catch(() => undefined)
      .finally(() => this.#running.delete(job));
    return job;
  }

  /** The statement, or what is wrong with it. */
  #checked(statement: StatementRequest): CheckedStatement | ApiError {
    try {
      return checkStatement(this.#engine, statement);
    } catch (error) {
      return toApiError(error, statement.sql);
    }
  }

  async #see(job: Job, checked: CheckedStatement): Promise<void> {
    const control: Control = { running: (interrupt) => job.setInterrupt(interrupt), check: () => job.checkCancelled() };
    let recorded = false;
    const record = async (session: Parameters<JobStore['record']>[0], outcome: StatementOutcome) => {
      job.outcome = outcome;
      job.endTime = Date.now();
      await this.store.record(session, job.toStored());
      recorded = true;
    };
    try {
      if (this.#engine.troubles.strikes('rateLimited'))
        throw new ApiError(
          'jobRateLimitExceeded',
          'Job exceeded rate limits: Your project exceeded quota for jobs. For more information, see https://cloud.google.com/bigquery/docs/troubleshoot-quotas',
        );
      job.outcome = await runStatement(this.#engine, checked, control, record);
      await this.#finish(job, undefined, recorded);
    } catch (error) {
      job.outcome = undefined;
      await this.#finish(
        job,
        job.cancelled
          ? new ApiError('stopped', 'Job execution was cancelled: User requested cancellation')
          : toApiError(error, checked.request.sql),
      );
    }
  }

  async #finish(job: Job, error: ApiError | undefined, recorded = false): Promise<void> {
    job.error = error;
    job.endTime = Date.now();
    job.setInterrupt(undefined);
    try {
      if (!recorded) await this.store.recordAlone(job.toStored());
    } finally {
      job.state = 'DONE';
    }
  }
}
