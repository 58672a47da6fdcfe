/** The analyser and the reference evaluator as a process that speaks gRPC, made to hold BigQuery's dialect. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { installGoogleSql } from './install.ts';
import { plainValue, scalarType, typeName, type WireType, type WireValue } from './wire.ts';

export interface Parameter {
  readonly name: string;
  /** A scalar type, or `ARRAY<STRING>`'s like are not needed here. */
  readonly type: string;
}

export interface AnalysedTable {
  /** As the statement names it, without backquotes. */
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

export interface Evaluated {
  readonly names: readonly string[];
  readonly types: readonly string[];
  /** As BigQuery's wire has them; STRUCTs as lists. */
  readonly rows: readonly (readonly unknown[])[];
}

type Call = (method: string, request: object) => Promise<unknown>;
/** Tries to reach the process, 200 ms apart. */
const TRIES = 100;

export class GoogleSql {
  readonly #process: ChildProcess;
  readonly #call: Call;
  readonly #language: object;

  private constructor(process: ChildProcess, call: Call, language: object) {
    this.#process = process;
    this.#call = call;
    this.#language = language;
  }

  static async start(): Promise<GoogleSql> {
    const { binary, manifest, protos } = installGoogleSql();
    const port = await freePort();
    const process = spawn(binary, ['localhost', String(port)], { stdio: 'ignore' });
    const require = createRequire(manifest);
    const grpc = require('@grpc/grpc-js');
    const description = require('@grpc/proto-loader').loadSync('local_service.proto', {
      oneofs: true,
      longs: String,
      bytes: Buffer,
      enums: String,
      includeDirs: [protos],
    });
    const service = grpc.loadPackageDefinition(description).zetasql.local_service.ZetaSqlLocalService;
    const client = new service(`localhost:${port}`, grpc.credentials.createInsecure());
    const call: Call = (method, request) =>
      new Promise((resolve, reject) => {
        client[method](request, (error: Error | null, answer: unknown) => (error ? reject(error) : resolve(answer)));
      });
    for (let tries = 1; ; tries++) {
      try {
        return new GoogleSql(
          process,
          call,
          bigQueryDialect(await call('getLanguageOptions', { maximumFeatures: true })),
        );
      } catch (error) {
        if (tries === TRIES) throw error;
        await delay(200);
      }
    }
  }

  stop(): void {
    this.#process.kill('SIGKILL');
  }

  /** Resolves every name and type of a statement. @throws with the analyser's own words when it is not GoogleSQL */
  async analyse(sql: string, tables: readonly AnalysedTable[], parameters: readonly Parameter[]): Promise<void> {
    await this.#call('analyze', {
      sqlStatement: sql,
      options: {
        ...this.#options(),
        queryParameters: parameters.map(({ name, type }) => ({ name, type: scalarType(type) })),
      },
      simpleCatalog: {
        ...this.#catalog(),
        table: tables.map(({ name, columns }) => ({
          name,
          column: columns.map((column) => ({ name: column.name, type: scalarType(column.type) })),
        })),
      },
    });
  }

  /** Runs a query. @throws with the evaluator's own words when it fails */
  async evaluate(sql: string, texts: Readonly<Record<string, string>> = {}): Promise<Evaluated> {
    const answer = (await this.#call('evaluateQuery', {
      sql,
      options: {
        ...this.#options(),
        queryParameters: Object.keys(texts).map((name) => ({ name, type: scalarType('STRING') })),
      },
      simpleCatalog: this.#catalog(),
      params: Object.entries(texts).map(([name, stringValue]) => ({ name, value: { stringValue } })),
    })) as {
      prepared?: { columns?: { name?: string; type: WireType }[] };
      content?: { tableData?: { row?: { cell?: WireValue[] }[] } };
    };
    const columns = answer.prepared?.columns ?? [];
    return {
      names: columns.map(({ name = '' }) => name),
      types: columns.map(({ type }) => typeName(type)),
      rows: (answer.content?.tableData?.row ?? []).map(({ cell = [] }) =>
        cell.map((value, i) => plainValue(value, columns[i]?.type)),
      ),
    };
  }

  #options(): object {
    return { languageOptions: this.#language, defaultTimezone: 'UTC', errorMessageMode: 'ERROR_MESSAGE_ONE_LINE' };
  }

  #catalog(): object {
    return { name: 'catalog', builtinFunctionOptions: { languageOptions: this.#language } };
  }
}

/** Everything that is released, as outside Google: no unsigned or 32-bit integers, no FLOAT or DOUBLE. */
function bigQueryDialect(options: unknown): object {
  const { enabledLanguageFeatures = [] } = options as { enabledLanguageFeatures?: string[] };
  return {
    ...(options as object),
    productMode: 'PRODUCT_EXTERNAL',
    nameResolutionMode: 'NAME_RESOLUTION_DEFAULT',
    // Empty: every kind of statement.
    supportedStatementKinds: [],
    reservedKeywords: ['QUALIFY'],
    enabledLanguageFeatures: [
      ...new Set([...enabledLanguageFeatures, 'FEATURE_INTERVAL_TYPE', 'FEATURE_EXTENDED_DATE_TIME_SIGNATURES']),
    ],
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
