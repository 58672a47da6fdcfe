/** jobs.insert, get, list, cancel, delete, query and getQueryResults. */
import { ApiError } from '../api-error.ts';
import type { Engine } from '../jobs/engine.ts';
import type { Job } from '../jobs/job.ts';
import type { JobRequest, JobService } from '../jobs/job-service.ts';
import type { TimestampFormat } from '../wire/value.ts';
import { formatFromBody, formatFromQuery } from './format-options.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  type Json,
  NO_CONTENT,
  objectOf,
  offsetOf,
  ok,
  optionalString,
  pageOf,
  param,
  tokenOf,
  wholeNumber,
} from './request.ts';
import type { Route } from './router.ts';

const DEFAULT_TIMEOUT_MILLIS = 10_000;
const MAX_TIMEOUT_MILLIS = 200_000;
const MAX_ROWS = 100_000;

/** How long an answer to a requestId is kept for the same id, in milliseconds. */
const REQUEST_ID_MILLIS = 900_000;

/** True when the job ended in time. */
async function waitFor(job: Job, millis: number): Promise<boolean> {
  const isDone = () => job.state === 'DONE';
  if (isDone()) return true;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(millis, MAX_TIMEOUT_MILLIS));
  });
  await Promise.race([job.done, timeout]);
  clearTimeout(timer);
  return isDone();
}

interface Page {
  readonly start: number;
  readonly size: number;
  readonly format: TimestampFormat;
}

/** What jobs.query and getQueryResults answer of a job. @throws the job's own error when it failed. */
function resultsOf(job: Job, kind: string, { start, size, format }: Page): object {
  const base = { kind, etag: `${job.reference.jobId}-${start}`, jobReference: job.reference };
  if (job.state !== 'DONE') return { ...base, jobComplete: false };
  if (job.error) throw job.error;
  const { outcome } = job;
  if (!outcome?.result)
    throw new ApiError(
      'notFound',
      `Not found: the rows of job ${job.reference.jobId} are no longer kept by this local BigQuery server; run the query again`,
    );
  const { result, dml } = outcome;
  const rows = result.page(start, size, format);
  const next = start + rows.length;
  const isQuery = result.columns.length > 0;
  return {
    ...base,
    jobComplete: true,
    cacheHit: false,
    totalBytesProcessed: String(outcome.totalBytesProcessed),
    totalRows: String(dml ? 0 : result.totalRows),
    ...(isQuery && { schema: result.schema() }),
    ...(isQuery && { rows }),
    ...(isQuery && next < result.totalRows && (size > 0 ? rows.length > 0 : true) && { pageToken: tokenOf(next) }),
    ...(dml && {
      numDmlAffectedRows: String(dml.inserted + dml.updated + dml.deleted),
      dmlStats: {
        insertedRowCount: String(dml.inserted),
        updatedRowCount: String(dml.updated),
        deletedRowCount: String(dml.deleted),
      },
    }),
  };
}

function selfLink({ reference }: Job, origin: string): string {
  return `${origin}/bigquery/v2/projects/${reference.projectId}/jobs/${reference.jobId}?location=${reference.location}`;
}

/** The configuration that a jobs.query body stands for. */
function configurationOf(body: Json): Json {
  const keys = [
    'query',
    'defaultDataset',
    'queryParameters',
    'parameterMode',
    'useLegacySql',
    'maximumBytesBilled',
    'createSession',
    'destinationTable',
  ];
  const query = Object.fromEntries(keys.filter((key) => body[key] !== undefined).map((key) => [key, body[key]]));
  return { query, ...(body['labels'] !== undefined && { labels: body['labels'] }) };
}

export function jobRoutes(engine: Engine, jobs: JobService): Route[] {
  const requests = new Map<string, { readonly job: Promise<Job>; readonly at: number }>();

  /** The job of a request id that came before, or a new one. */
  function startOnce(request: JobRequest, requestId: string | undefined): Promise<Job> {
    if (requestId === undefined) return jobs.start(request);
    const key = `${request.projectId} ${requestId}`;
    const now = Date.now();
    for (const [id, { at }] of requests) {
      if (now - at < REQUEST_ID_MILLIS && requests.size < 10_000) break;
      requests.delete(id);
    }
    const known = requests.get(key);
    if (known) return known.job;
    const job = jobs.start(request);
    requests.set(key, { job, at: now });
    job.catch(() => requests.delete(key));
    return job;
  }

  /** Drops the connection once the job is done, when that trouble is on. */
  async function answered(job: Job, answer: () => ApiAnswer): Promise<ApiAnswer> {
    if (!engine.troubles.strikes('lostAnswers')) return answer();
    await job.done;
    return { status: 200, body: {}, lost: true };
  }

  const insert = async (request: ApiRequest): Promise<ApiAnswer> => {
    const configuration = objectOf(request.body['configuration'], 'configuration');
    const reference = (request.body['jobReference'] ?? {}) as Json;
    const jobRequest: JobRequest = {
      projectId: param(request, 'project'),
      jobId: optionalString(reference['jobId'], 'jobReference.jobId'),
      location: optionalString(reference['location'], 'jobReference.location'),
      configuration,
    };
    if (configuration['dryRun'] === true) return ok((await jobs.dryRun(jobRequest)).toResource(request.origin));
    const job = await jobs.start(jobRequest);
    return answered(job, () => ok(job.toResource(selfLink(job, request.origin))));
  };

  const query = async (request: ApiRequest): Promise<ApiAnswer> => {
    const { body } = request;
    const jobRequest: JobRequest = {
      projectId: param(request, 'project'),
      jobId: undefined,
      location: optionalString(body['location'], 'location'),
      configuration: configurationOf(body),
    };
    const page = {
      start: 0,
      size: Math.min(wholeNumber(body['maxResults'], 'maxResults', MAX_ROWS), MAX_ROWS),
      format: formatFromBody(body),
    };
    if (body['dryRun'] === true) return ok(resultsOf(await jobs.dryRun(jobRequest), 'bigquery#queryResponse', page));
    const job = await startOnce(jobRequest, optionalString(body['requestId'], 'requestId'));
    await waitFor(job, wholeNumber(body['timeoutMs'], 'timeoutMs', DEFAULT_TIMEOUT_MILLIS));
    return answered(job, () => ok(resultsOf(job, 'bigquery#queryResponse', page)));
  };

  const find = (request: ApiRequest) =>
    jobs.get(param(request, 'project'), param(request, 'job'), request.query.get('location') ?? undefined);

  const results = async (request: ApiRequest): Promise<ApiAnswer> => {
    const job = await find(request);
    await waitFor(job, wholeNumber(request.query.get('timeoutMs'), 'timeoutMs', DEFAULT_TIMEOUT_MILLIS));
    const start = request.query.get('pageToken')
      ? offsetOf(request.query.get('pageToken'))
      : wholeNumber(request.query.get('startIndex'), 'startIndex', 0);
    const size = Math.min(wholeNumber(request.query.get('maxResults'), 'maxResults', MAX_ROWS), MAX_ROWS);
    return ok(
      resultsOf(job, 'bigquery#getQueryResultsResponse', { start, size, format: formatFromQuery(request.query) }),
    );
  };

  const list = (request: ApiRequest): ApiAnswer => {
    const states = request.query.getAll('stateFilter').map((state) => state.toUpperCase());
    const all = jobs.store
      .list(param(request, 'project'))
      .filter((job) => states.length === 0 || states.includes(job.state));
    const { items, nextPageToken } = pageOf(all, request);
    const entries = items.map((job) => ({ ...job.toResource(selfLink(job, request.origin)), state: job.state }));
    return ok({
      kind: 'bigquery#jobList',
      etag: 'list',
      jobs: entries,
      ...(nextPageToken !== undefined && { nextPageToken }),
    });
  };

  return [
    { method: 'POST', path: '/projects/:project/jobs', handler: insert },
    { method: 'GET', path: '/projects/:project/jobs', handler: list },
    {
      method: 'GET',
      path: '/projects/:project/jobs/:job',
      handler: async (request) => {
        const job = await find(request);
        return ok(job.toResource(selfLink(job, request.origin)));
      },
    },
    {
      method: 'POST',
      path: '/projects/:project/jobs/:job/cancel',
      handler: async (request) => {
        const job = await find(request);
        job.cancel();
        return ok({ kind: 'bigquery#jobCancelResponse', job: job.toResource(selfLink(job, request.origin)) });
      },
    },
    {
      method: 'DELETE',
      path: '/projects/:project/jobs/:job/delete',
      handler: async (request) => {
        jobs.store.delete(await find(request));
        return NO_CONTENT;
      },
    },
    { method: 'POST', path: '/projects/:project/queries', handler: query },
    { method: 'GET', path: '/projects/:project/queries/:job', handler: results },
  ];
}
