/** All jobs, by project and id. In a data file finished jobs outlive the server, so that their ids stay taken. */
import { identifier, stringLiteral } from '../compile/sql-text.ts';
import { CATALOG_SCHEMA } from '../catalog/catalog.ts';
import type { Database, Session } from '../runtime/database.ts';
import { Job, type StoredJob } from './job.ts';

const JOBS = `${identifier(CATALOG_SCHEMA)}.jobs`;

/** Jobs kept in memory, and rows of results kept for paging; the oldest go first. */
const MAX_JOBS = 20_000;
const MAX_RESULT_ROWS = 5_000_000;
const MAX_RESULTS = 2_000;

function keyOf(projectId: string, jobId: string): string {
  return `${projectId}.${jobId}`;
}

export class JobStore {
  readonly #database: Database;
  readonly #durable: boolean;
  readonly #jobs = new Map<string, Job>();

  private constructor(database: Database, durable: boolean) {
    this.#database = database;
    this.#durable = durable;
  }

  /** `durable` when the database is a file. */
  static async open(database: Database, durable: boolean): Promise<JobStore> {
    if (durable)
      await database.session((session) => session.run(`CREATE TABLE IF NOT EXISTS ${JOBS} (id VARCHAR, job VARCHAR)`));
    return new JobStore(database, durable);
  }

  async find(projectId: string, jobId: string): Promise<Job | undefined> {
    const job = this.#jobs.get(keyOf(projectId, jobId));
    if (job || !this.#durable) return job;
    const stored = await this.#database.session((session) =>
      session.value(`SELECT job FROM ${JOBS} WHERE id = ${stringLiteral(keyOf(projectId, jobId))} LIMIT 1`),
    );
    return stored === null ? undefined : Job.fromStored(JSON.parse(String(stored)) as StoredJob);
  }

  /** Takes the id. Nothing may wait between finding it free and this. */
  add(job: Job): void {
    this.#jobs.set(keyOf(job.reference.projectId, job.reference.jobId), job);
    this.#forget();
  }

  /** True when the id is taken in this run of the server. */
  has(projectId: string, jobId: string): boolean {
    return this.#jobs.has(keyOf(projectId, jobId));
  }

  delete(job: Job): void {
    this.#jobs.delete(keyOf(job.reference.projectId, job.reference.jobId));
  }

  /** Newest first. */
  list(projectId: string): Job[] {
    return [...this.#jobs.values()].filter((job) => job.reference.projectId === projectId).reverse();
  }

  clear(): void {
    this.#jobs.clear();
  }

  #forget(): void {
    let rows = 0;
    let results = 0;
    const newest = [...this.#jobs.values()].reverse();
    for (const job of newest.filter((candidate) => candidate.outcome?.result)) {
      rows += job.outcome?.result?.totalRows ?? 0;
      if (++results > MAX_RESULTS || rows > MAX_RESULT_ROWS) job.forgetRows();
    }
    for (const job of newest.slice(MAX_JOBS)) if (job.state === 'DONE') this.delete(job);
  }

  /** Writes a finished job, in the session's transaction where it has one. */
  async record(session: Session, stored: StoredJob): Promise<void> {
    if (!this.#durable) return;
    const { projectId, jobId } = stored.reference;
    await session.run(
      `INSERT INTO ${JOBS} VALUES (${stringLiteral(keyOf(projectId, jobId))}, ${stringLiteral(JSON.stringify(stored))})`,
    );
  }

  async recordAlone(stored: StoredJob): Promise<void> {
    if (this.#durable) await this.#database.session((session) => this.record(session, stored));
  }
}
