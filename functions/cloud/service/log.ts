/** Log lines in the fields of Cloud Logging's structured logging: one JSON object a line. */
import { MillraceError, messageOf } from '../../model/errors.ts';

/** A line has at most 256 KiB; of a longer one Cloud Logging makes pieces that are no JSON. A character may take six bytes. */
const LONGEST_TEXT = 20_000;

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
      message: cut(error === undefined ? message : `${message}: ${messageOf(error)}`),
      pipeline: this.#pipeline,
      ...fields,
      ...(error === undefined ? {} : errorFields(error, severity)),
      ...(trace === undefined ? {} : { 'logging.googleapis.com/trace': `projects/${this.#projectId}/traces/${trace}` }),
      ...details,
    };
    this.#write(`${JSON.stringify(line)}\n`);
  }
}

/** Error Reporting groups what lies under `stack_trace`; a warning is nothing that somebody must look at. */
function errorFields(error: unknown, severity: Severity): Readonly<Record<string, string>> {
  const stack = error instanceof Error ? error.stack : undefined;
  return {
    ...(error instanceof MillraceError ? { code: error.code } : {}),
    ...(stack === undefined ? {} : { [severity === 'ERROR' ? 'stack_trace' : 'stack']: cut(stack) }),
  };
}

function cut(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}
