/** A job: what was asked, how it stands, what came of it. */
import { ApiError, type ErrorProto } from '../api-error.ts';
import type { QueryResult } from './query-result.ts';

export interface JobReference {
  readonly projectId: string;
  readonly jobId: string;
  readonly location: string;
}

/** What a finished statement tells of itself: `statistics.query` in the API. */
export interface StatementOutcome {
  readonly statementType: string;
  readonly result?: QueryResult;
  readonly dml?: { readonly inserted: bigint; readonly updated: bigint; readonly deleted: bigint };
  readonly ddl?: { readonly operation: 'CREATE' | 'REPLACE' | 'SKIP' | 'DROP' | 'ALTER'; readonly target: object };
  readonly totalBytesProcessed: bigint;
  readonly referencedTables: readonly object[];
}

export type JobState = 'PENDING' | 'RUNNING' | 'DONE';

/** A finished job as it is kept in the data file. */
export interface StoredJob {
  readonly reference: JobReference;
  readonly configuration: object;
  readonly creationTime: number;
  readonly startTime: number;
  readonly endTime: number;
  readonly error?: ErrorProto;
  readonly query: object;
}

const CANCELLED = 'Job execution was cancelled: User requested cancellation';

export class Job {
  readonly reference: JobReference;
  /** As it was sent, `query` filled in. */
  readonly configuration: object;
  readonly creationTime: number;
  state: JobState = 'PENDING';
  startTime = 0;
  endTime = 0;
  error: ApiError | undefined;
  outcome: StatementOutcome | undefined;
  /** Resolves when the job is done, whatever came of it. */
  done: Promise<void> = Promise.resolve();
  #stored: object | undefined;
  #cancelled = false;
  #interrupt: (() => void) | undefined;

  constructor(reference: JobReference, configuration: object, creationTime = Date.now()) {
    this.reference = reference;
    this.configuration = configuration;
    this.creationTime = creationTime;
  }

  /** A job of an earlier run of the server. Its rows are gone; what became of it is known. */
  static fromStored(stored: StoredJob): Job {
    const job = new Job(stored.reference, stored.configuration, stored.creationTime);
    job.state = 'DONE';
    job.startTime = stored.startTime;
    job.endTime = stored.endTime;
    job.error = stored.error && new ApiError(stored.error.reason, stored.error.message, stored.error.location);
    job.#stored = stored.query;
    return job;
  }

  toStored(): StoredJob {
    return {
      reference: this.reference,
      configuration: this.configuration,
      creationTime: this.creationTime,
      startTime: this.startTime,
      endTime: this.endTime,
      query: this.#queryStatistics(),
      ...(this.error && { error: this.error.toProto() }),
    };
  }

  /** Drops the rows; what became of the job stays known. */
  forgetRows(): void {
    if (!this.outcome?.result) return;
    this.#stored = this.#queryStatistics();
    const { result: _, ...rest } = this.outcome;
    this.outcome = rest;
  }

  cancel(): void {
    if (this.state === 'DONE') return;
    this.#cancelled = true;
    this.#interrupt?.();
  }

  setInterrupt(interrupt: (() => void) | undefined): void {
    this.#interrupt = interrupt;
  }

  /** @throws {ApiError} when the job was cancelled. */
  checkCancelled(): void {
    if (this.#cancelled) throw new ApiError('stopped', CANCELLED);
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  #queryStatistics(): object {
    if (this.#stored) return this.#stored;
    const { outcome } = this;
    if (!outcome) return {};
    const bytes = String(outcome.totalBytesProcessed);
    const { dml } = outcome;
    return {
      statementType: outcome.statementType,
      totalBytesProcessed: bytes,
      totalBytesBilled: '0',
      cacheHit: false,
      billingTier: 0,
      totalSlotMs: String(Math.max(0, this.endTime - this.startTime)),
      referencedTables: outcome.referencedTables,
      ...(outcome.result && { schema: outcome.result.schema() }),
      ...(dml && {
        numDmlAffectedRows: String(dml.inserted + dml.updated + dml.deleted),
        dmlStats: {
          insertedRowCount: String(dml.inserted),
          updatedRowCount: String(dml.updated),
          deletedRowCount: String(dml.deleted),
        },
      }),
      ...(outcome.ddl && { ddlOperationPerformed: outcome.ddl.operation, ddlTargetTable: outcome.ddl.target }),
    };
  }

  /** The job as the API shows it. */
  toResource(selfLink: string): object {
    const { projectId, jobId } = this.reference;
    const error = this.error?.toProto();
    const query = this.#queryStatistics();
    return {
      kind: 'bigquery#job',
      etag: `${jobId}-${this.state}`,
      id: `${projectId}:${this.reference.location}.${jobId}`,
      selfLink,
      user_email: 'local@bigquery.invalid',
      configuration: this.configuration,
      jobReference: this.reference,
      statistics: {
        creationTime: String(this.creationTime),
        ...(this.startTime > 0 && { startTime: String(this.startTime) }),
        ...(this.state === 'DONE' && {
          endTime: String(this.endTime),
          totalBytesProcessed: (query as { totalBytesProcessed?: string }).totalBytesProcessed ?? '0',
          query,
        }),
      },
      status: { state: this.state, ...(error && { errorResult: error, errors: [error] }) },
    };
  }
}
