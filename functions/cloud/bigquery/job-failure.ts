/**
 * What a failure of BigQuery means. Google's reasons alone do not say: contention is reported as a 400 `invalidQuery`.
 */

/** As BigQuery reports it. */
export interface BigQueryFailure {
  /** HTTP status, where the call itself failed. */
  readonly code: number | undefined;
  /** Such as `invalidQuery`, `backendError`, `notFound`. */
  readonly reason: string;
  readonly message: string;
}

export type FailureKind =
  /** The job exists already. */
  | 'duplicate'
  /** Nobody knows whether the job was made. */
  | 'unknown'
  /** Failed for good, and another job may succeed. */
  | 'again'
  /** Failed for good, and so will every other until somebody acts. */
  | 'broken'
  /** Something in the rows, most likely. */
  | 'rows';

const CONTENTION =
  /could not serialize access|due to concurrent update|too many dml statements outstanding|streaming buffer/i;
const AGAIN = new Set([
  'jobRateLimitExceeded',
  'rateLimitExceeded',
  'quotaExceeded',
  'backendError',
  'internalError',
  'jobBackendError',
  'jobInternalError',
  'tableUnavailable',
  'resourcesExceeded',
  'stopped',
  'timeout',
]);
const BROKEN = new Set(['accessDenied', 'notFound', 'billingNotEnabled', 'billingTierLimitExceeded', 'notImplemented']);
const STATEMENT = /^(syntax error|unrecognized name|type not found|function not found|column .* is not present)/i;

/** @param failure from a job's `errorResult`, or from the call that should have made the job */
export function kindOf({ code, reason, message }: BigQueryFailure): FailureKind {
  if (code === 409 || reason === 'duplicate') return 'duplicate';
  if (CONTENTION.test(message) || AGAIN.has(reason)) return code !== undefined && code >= 500 ? 'unknown' : 'again';
  if (code === undefined ? reason === '' : code >= 500 || code === 408 || code === 429) return 'unknown';
  if (BROKEN.has(reason) || STATEMENT.test(message) || code === 401 || code === 403 || code === 404) return 'broken';
  return 'rows';
}

/** Reads whatever the client throws. */
export function failureOf(error: unknown): BigQueryFailure {
  const { code, errors, message } = error as {
    code?: unknown;
    errors?: { reason?: string; message?: string }[];
    message?: string;
  };
  const first = errors?.[0];
  return {
    code: typeof code === 'number' ? code : undefined,
    reason: first?.reason ?? '',
    message: first?.message ?? message ?? String(error),
  };
}
