/** Starts the local BigQuery server for a test file and talks to it in plain HTTP. */
import { afterAll, beforeAll, vi } from 'vitest';
import { type BigQueryOptions, type RunningBigQuery, startBigQuery } from '../../emulators/bigquery/start.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are JSON, whose shape each test knows
  readonly body: any;
}

export interface QueryAnswer {
  readonly names: readonly string[];
  /** GoogleSQL types, `ARRAY<INT64>`. */
  readonly types: readonly string[];
  /** Rows and STRUCTs as lists, floats in JavaScript's spelling, whole milliseconds without trailing zeros. */
  readonly rows: readonly unknown[][];
}

interface WireField {
  readonly name: string;
  readonly type: string;
  readonly mode?: string;
  readonly fields?: readonly WireField[];
}

const GOOGLESQL: Readonly<Record<string, string>> = { INTEGER: 'INT64', FLOAT: 'FLOAT64', BOOLEAN: 'BOOL' };

function typeOf(field: WireField): string {
  const element =
    field.type === 'RECORD'
      ? `STRUCT<${(field.fields ?? []).map((inner) => `${inner.name.startsWith('_field_') ? '' : `${inner.name} `}${typeOf(inner)}`).join(', ')}>`
      : (GOOGLESQL[field.type] ?? field.type);
  return field.mode === 'REPEATED' ? `ARRAY<${element}>` : element;
}

// biome-ignore lint/suspicious/noExplicitAny: a wire value is a string, a list or a record, by its field
function plain(value: any, field: WireField): unknown {
  if (value === null) return null;
  if (field.mode === 'REPEATED')
    return value.map((item: { v: unknown }) => plain(item.v, { ...field, mode: 'NULLABLE' }));
  if (field.type === 'RECORD')
    return value.f.map((item: { v: unknown }, index: number) => plain(item.v, field.fields?.[index] as WireField));
  if (field.type === 'FLOAT') return String(Number(value));
  if (field.type === 'DATETIME' || field.type === 'TIME') return value.replace(/(\.\d{3})000$/, '$1');
  return value;
}

export class LocalServer {
  running: RunningBigQuery | undefined;

  get url(): string {
    return this.running?.url ?? '';
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** jobs.query, answered or refused. */
  post(sql: string, more: object = {}): Promise<Answer> {
    return this.send('POST', '/bigquery/v2/projects/p/queries', {
      query: sql,
      useLegacySql: false,
      timeoutMs: 60_000,
      formatOptions: { useInt64Timestamp: true },
      ...more,
    });
  }

  /** A query's rows. @throws with the server's message when it was refused. */
  async query(sql: string, more: object = {}): Promise<QueryAnswer> {
    const { status, body } = await this.post(sql, more);
    if (status !== 200) throw new Error(body.error.message);
    const fields: readonly WireField[] = body.schema?.fields ?? [];
    return {
      names: fields.map((field) => field.name),
      types: fields.map(typeOf),
      rows: (body.rows ?? []).map((row: { f: { v: unknown }[] }) =>
        row.f.map((cell, index) => plain(cell.v, fields[index] as WireField)),
      ),
    };
  }

  /** The message with which a statement is refused; `''` when it was not. */
  async refusal(sql: string, more: object = {}): Promise<string> {
    const { status, body } = await this.post(sql, more);
    return status === 200 ? '' : body.error.message;
  }
}

/** A server for all tests of a file, with dataset `d` in project `p`. */
export function useLocalServer(options: BigQueryOptions = {}): LocalServer {
  // The default of 5 seconds is for tests without a database; a busy machine needs more.
  vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });
  const server = new LocalServer();
  beforeAll(async () => {
    server.running = await startBigQuery(options);
    await server.query('CREATE SCHEMA d');
  });
  afterAll(async () => {
    await server.running?.stop();
  });
  return server;
}
