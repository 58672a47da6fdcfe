/**
 * Every error that Millrace throws. Invariant: `code` is stable and unique to its class, so that operators can filter
 * and authors can switch on it; the class says who must act: the author, the operator, or nobody (it is tried again).
 */

export abstract class MillraceError extends Error {
  /** Stable, upper-case, never reused for another meaning. */
  abstract readonly code: string;
  override get name(): string {
    return this.constructor.name;
  }
}

/** The pipeline or its settings cannot work. Thrown while building, or at start; never while data flows. */
export class ConfigurationError extends MillraceError {
  readonly code: string = 'CONFIGURATION';
}

/** Several configuration problems, reported together. */
export class ConfigurationErrors extends ConfigurationError {
  override readonly code = 'CONFIGURATION_SEVERAL';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? (problems[0] ?? '') : `${problems.length} problems:\n- ${problems.join('\n- ')}`);
    this.problems = problems;
  }
}

/**
 * An element that can never succeed. User code throws it to skip the retries: the element becomes a dead letter at once.
 * @example throw new PoisonError(`unknown currency ${rate.currency}`);
 */
export class PoisonError extends MillraceError {
  readonly code: string = 'POISON';
}

/** What came from outside does not have the form that its schema asks for. */
export class DecodeError extends PoisonError {
  override readonly code = 'DECODE';
}

/** A value that cannot be carried between stages. */
export class EncodeError extends PoisonError {
  override readonly code = 'ENCODE';
}

/** A single element, firing or state that is above a limit and cannot be split any further. */
export class TooLargeError extends PoisonError {
  override readonly code = 'TOO_LARGE';
  readonly bytes: number;
  readonly limit: number;
  constructor(what: string, bytes: number, limit: number) {
    super(`${what} has ${bytes} bytes, above the limit of ${limit}`);
    this.bytes = bytes;
    this.limit = limit;
  }
}

/**
 * Worth trying again as it is: the outside is down, slow or throttling. A look-up that throws it runs again with its bundle;
 * a stateful step as its `retry` says; a step that a file's records come to before any stage five times within seconds.
 * Any other step's element is a dead letter at once: ask the outside in a `lookUp`, or in a stateful step with `retry`.
 */
export class RetryableError extends MillraceError {
  readonly code: string = 'RETRYABLE';
}

/** Another instance committed first. The cache is forgotten and the bundle runs again. */
export class ContentionError extends RetryableError {
  override readonly code = 'CONTENTION';
}

/**
 * A newer deployment has taken over what this instance works on. It stops: its work is delivered again, to an instance of
 * the newer deployment.
 */
export class OutdatedError extends RetryableError {
  override readonly code: string = 'OUTDATED';
}

/** A drain has ended the reading. What is in hand is delivered again, once what was deployed after the drain reads. */
export class ReadingEndedError extends OutdatedError {
  override readonly code = 'READING_ENDED';
}

/** A stored or received document that this version of the code cannot read. An operator must look. */
export class CorruptionError extends MillraceError {
  readonly code: string = 'CORRUPTION';
}

/** The message of anything thrown, also of what is not an `Error`. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : textOf(error);
}

/** The text of anything, also of what has none: nested too deep, without a prototype, or with a `toString` that throws. */
export function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
