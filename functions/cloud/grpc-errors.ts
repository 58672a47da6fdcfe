/**
 * What a failed call to Google means for us. Invariant: only what may go well unchanged, later, is a `RetryableError`;
 * every message says which call failed and what to do.
 */
import { ConfigurationError, MillraceError, messageOf, RetryableError } from '../model/errors.ts';

/** gRPC's status codes that we tell apart. */
export const GRPC = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

const RETRYABLE: ReadonlySet<number> = new Set([
  GRPC.cancelled,
  GRPC.unknown,
  GRPC.deadlineExceeded,
  GRPC.resourceExhausted,
  GRPC.aborted,
  GRPC.internal,
  GRPC.unavailable,
]);

/** Google does not take a request, and would not take it later. */
export class RefusedError extends MillraceError {
  readonly code: string = 'REFUSED';
}

/** The gRPC status of an error, or undefined when it has none. */
export function grpcCode(error: unknown): number | undefined {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'number' ? code : undefined;
}

/** @param call what was tried, e.g. `'Firestore: commit of delays~0'` */
export function classifyGrpc(error: unknown, call: string): MillraceError {
  if (error instanceof MillraceError) return error;
  const code = grpcCode(error);
  const message = `${call}: ${messageOf(error)}`;
  if (code === undefined || RETRYABLE.has(code)) return new RetryableError(message, { cause: error });
  if (code === GRPC.permissionDenied || code === GRPC.unauthenticated)
    return new ConfigurationError(
      `${message}; give who calls (a function's service account, or an operator's own) the role that allows it`,
      {
        cause: error,
      },
    );
  return new RefusedError(message, { cause: error });
}
