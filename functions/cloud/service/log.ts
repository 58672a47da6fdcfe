/** Log lines in the fields of Cloud Logging's structured logging: one JSON object a line. */
import { MillraceError, messageOf } from '../../model/errors.ts';

export type Severity = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';

/** What a line is about; all of it can be filtered by. */
export interface LogFields {
  readonly stage?: string | undefined;
  readonly shard?: string | undefined;
  readonly source?: string | undefined;
  /** `{sender}#{number}` of an envelope. */
  readonly envelope?: string | undefined;
  /** The message's id in Pub/Sub. */
  readonly messageId?: string | undefined;
  /** The request's trace, so that Cloud Logging groups its lines. */
  readonly trace?: string | undefined;
  readonly error?: unknown;
  /** Anything else that is plain JSON. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export class Log {
  readonly #pipeline: string;
  readonly #projectId: string;
  readonly #write: (line: string) => void;

  /** @param write gets a line with its end */
  constructor(pipeline: string, projectId: string, write: (line: string) => void) {
    this.#pipeline = pipeline;
    this.#projectId = projectId;
    this.#write = write;
  }

  info(message: string, fields: LogFields = {}): void {
    this.#line('INFO', message, fields);
  }

  warning(message: string, fields: LogFields = {}): void {
    this.#line('WARNING', message, fields);
  }

  error(message: string, fields: LogFields = {}): void {
    this.#line('ERROR', message, fields);
  }

  #line(severity: Severity, message: string, { error, trace, details, ...fields }: LogFields): void {
    const line = {
      severity,
      message: error === undefined ? message : `${message}: ${messageOf(error)}`,
      pipeline: this.#pipeline,
      ...fields,
      ...(error === undefined ? {} : errorFields(error)),
      ...(trace === undefined ? {} : { 'logging.googleapis.com/trace': `projects/${this.#projectId}/traces/${trace}` }),
      ...details,
    };
    this.#write(`${JSON.stringify(line)}\n`);
  }
}

function errorFields(error: unknown): { code?: string; stack?: string } {
  return {
    ...(error instanceof MillraceError ? { code: error.code } : {}),
    ...(error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {}),
  };
}
