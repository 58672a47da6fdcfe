/** Answers that are errors, in the form of Google's JSON APIs. */

/** What the server answers, before it is HTTP. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** A request that is answered by an error; thrown inside the server, never out of it. */
export class ApiError extends Error {
  readonly status: number;
  /** Whole seconds for `Retry-After`; none is sent when undefined. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  toAnswer(): Answer {
    return {
      status: this.status,
      headers: this.retryAfterSeconds === undefined ? {} : { 'retry-after': String(this.retryAfterSeconds) },
      body: { error: { code: this.status, message: this.message, status: STATUS_NAMES[this.status] ?? 'UNKNOWN' } },
    };
  }
}
