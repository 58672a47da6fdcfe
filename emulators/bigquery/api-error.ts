/** Errors as BigQuery's API answers them: an HTTP status, a reason that clients switch on, a message. */
import { describePosition, SqlError } from './googlesql/sql-error.ts';
import { ValueError } from './values/value-error.ts';

/** HTTP status of each reason (BigQuery, "Error messages"). */
const STATUS_OF: Readonly<Record<string, number>> = {
  invalid: 400,
  invalidQuery: 400,
  required: 400,
  notImplemented: 501,
  notFound: 404,
  duplicate: 409,
  resourceInUse: 400,
  resourcesExceeded: 400,
  responseTooLarge: 403,
  rateLimitExceeded: 403,
  jobRateLimitExceeded: 400,
  quotaExceeded: 403,
  stopped: 400,
  conditionNotMet: 412,
  uploadTooLarge: 413,
  backendError: 503,
  internalError: 500,
};

const RPC_STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
  412: 'FAILED_PRECONDITION',
  413: 'INVALID_ARGUMENT',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
};

/** One entry of a job's `errors`, and of an answer's. */
export interface ErrorProto {
  readonly reason: string;
  readonly message: string;
  readonly location?: string;
  readonly debugInfo?: string;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly reason: string;
  readonly location: string | undefined;

  constructor(reason: string, message: string, location?: string) {
    super(message);
    this.reason = reason;
    this.location = location;
  }

  get status(): number {
    return STATUS_OF[this.reason] ?? 400;
  }

  /** As a job carries it. */
  toProto(): ErrorProto {
    return {
      reason: this.reason,
      message: this.message,
      ...(this.location !== undefined && { location: this.location }),
    };
  }

  /** As the body of an answer. */
  toBody(): object {
    const entry = {
      message: this.message,
      domain: 'global',
      reason: this.reason,
      ...(this.location !== undefined && { location: this.location, locationType: 'parameter' }),
    };
    return {
      error: {
        code: this.status,
        message: this.message,
        errors: [entry],
        status: RPC_STATUS[this.status] ?? 'UNKNOWN',
      },
    };
  }
}

export function invalid(message: string, location?: string): ApiError {
  return new ApiError('invalid', message, location);
}

export function notFound(what: string): ApiError {
  return new ApiError('notFound', `Not found: ${what}`);
}

export function duplicate(what: string): ApiError {
  return new ApiError('duplicate', `Already Exists: ${what}`);
}

/** What DuckDB says, and what BigQuery says of the same. The first that matches counts. */
const DUCKDB_MESSAGES: readonly (readonly [RegExp, string | ((match: RegExpExecArray) => string)])[] = [
  [/Overflow in (?:addition|subtraction|multiplication) of INT64 \((.*?)\)/, (match) => `int64 overflow: ${match[1]}`],
  [
    /Overflow in (?:addition|subtraction|multiplication) of (?:DECIMAL|INT128).*?\((.*?)\)/,
    (match) => `numeric overflow: ${match[1]}`,
  ],
  [/Type INT128 with value (-?\d+) can't be cast.*INT64/, (match) => `int64 overflow: ${match[1]}`],
  [/Overflow in negation/, 'int64 overflow in negation'],
  [/Casting value .* to type DECIMAL|Could not cast value .* to DECIMAL|Overflow in .*DECIMAL/, 'numeric overflow'],
  [/More than one row returned by a subquery/, 'Scalar subquery produced more than one element'],
  [/^Invalid Input Error: Like pattern must not end/, 'LIKE pattern ends with a backslash'],
  [
    /^Invalid Input Error: (missing|no argument|invalid|bad|unexpected|trailing)(.*)/,
    (match) => `Cannot parse regular expression: ${match[1]}${match[2]}`,
  ],
  [
    /Out of Memory/i,
    'Resources exceeded during query execution: the query needs more memory than this local server may use',
  ],
  [/INTERRUPT/i, 'Job execution was cancelled: User requested cancellation'],
];

function fromDuckDb(message: string): ApiError {
  const [first = ''] = message.split('\n');
  for (const [pattern, text] of DUCKDB_MESSAGES) {
    const match = pattern.exec(first);
    if (match) {
      const reason = /Resources exceeded/.test(String(text))
        ? 'resourcesExceeded'
        : /cancelled/.test(String(text))
          ? 'stopped'
          : 'invalidQuery';
      return new ApiError(reason, typeof text === 'string' ? text : text(match));
    }
  }
  if (/^TransactionContext Error|Conflict on|write-write conflict/i.test(first)) return notSerialized('the table');
  if (/^(Parser|Binder|Catalog|Not implemented|INTERNAL) Error/i.test(first)) {
    return new ApiError('invalidQuery', `This query is not supported by this local BigQuery server: ${first}`);
  }
  // Errors of our own functions come through DuckDB under this name.
  return new ApiError('invalidQuery', first.replace(/^(Invalid Input|Conversion|Out of Range) Error: /, ''));
}

/** Two statements changed one partition. BigQuery calls it a 400; it is contention, to be tried again. */
export function notSerialized(table: string): ApiError {
  return new ApiError('invalidQuery', `Could not serialize access to table ${table} due to concurrent update`);
}

/** Whatever was thrown, as an error of the API. `sql` is the query's text, to say where in it. */
export function toApiError(error: unknown, sql?: string): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof SqlError) {
    const place = error.at === undefined || sql === undefined ? '' : ` at ${describePosition(sql, error.at)}`;
    return new ApiError(error.reason, error.message + place, error.reason === 'invalidQuery' ? 'query' : undefined);
  }
  if (error instanceof ValueError) return new ApiError('invalidQuery', error.message);
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return new ApiError('resourcesExceeded', 'The query is too complex');
  // DuckDB's errors are plain ones; anything else that was thrown is a mistake of this server.
  if (error instanceof Error && error.constructor === Error) return fromDuckDb(error.message);
  return new ApiError(
    'internalError',
    `An internal error occurred: ${error instanceof Error ? error.message : String(error)}`,
  );
}
