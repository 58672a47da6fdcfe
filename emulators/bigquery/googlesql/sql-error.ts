/**
 * The one error that reading and compiling GoogleSQL throws. Its message is BigQuery's where BigQuery's is known, and
 * always a sentence that the author of the query can act on; the HTTP layer answers it as a 400 with `reason`.
 */

/** BigQuery's machine-readable reason: what a client switches on. */
export type SqlErrorReason = 'invalidQuery' | 'notFound' | 'duplicate' | 'resourcesExceeded' | 'invalid';

export class SqlError extends Error {
  override readonly name = 'SqlError';
  readonly reason: SqlErrorReason;
  /** Offset into the query's text, in UTF-16 units, where the offending part begins; `undefined` when it has no place. */
  readonly at: number | undefined;

  constructor(message: string, at?: number, reason: SqlErrorReason = 'invalidQuery') {
    super(message);
    this.at = at;
    this.reason = reason;
  }
}

/** A construct that GoogleSQL has and this server does not. Refused, never guessed at. */
export function unsupported(what: string, at?: number): SqlError {
  return new SqlError(`${what} is not supported by this local BigQuery server`, at);
}

/** `[line:column]`, both from 1, as BigQuery appends it to its messages. */
export function describePosition(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `[${before.length}:${(before.at(-1) ?? '').length + 1}]`;
}
