/** The DuckDB database behind the server: opened once, its connections handed out one a statement. */
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';
import { ALL_FUNCTIONS } from '../functions/index.ts';
import { registerFunctions } from './register.ts';

export interface DatabaseOptions {
  /** A DuckDB file; `undefined` keeps everything in memory. */
  readonly file: string | undefined;
  /** What DuckDB may use, as it writes sizes. */
  readonly memoryLimit: string;
}

/** Values for the parameters of a statement, by the names that the statement has for them. */
export interface BoundValues {
  readonly values: Readonly<Record<string, DuckDBValue>>;
  readonly types: Readonly<Record<string, DuckDBType>>;
}

export const NOTHING_BOUND: BoundValues = { values: {}, types: {} };

/** A connection that runs one statement after the other. */
export class Session {
  readonly #connection: DuckDBConnection;
  constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  /** Runs a statement to its end and gives its rows. Parameters that the statement does not name are left out. */
  async run(sql: string, bound: BoundValues = NOTHING_BOUND): Promise<readonly DuckDBDataChunk[]> {
    const prepared = await this.#connection.prepare(sql);
    try {
      for (let index = 1; index <= prepared.parameterCount; index++) {
        const name = prepared.parameterName(index);
        prepared.bindValue(index, bound.values[name] ?? null, bound.types[name] as DuckDBType);
      }
      const result = await prepared.run();
      return await result.fetchAllChunks();
    } finally {
      prepared.destroySync();
    }
  }

  /** The first value of the first row, as DuckDB gives it; `null` when there is no row. */
  async value(sql: string, bound: BoundValues = NOTHING_BOUND): Promise<DuckDBValue> {
    const [chunk] = await this.run(sql, bound);
    return chunk && chunk.rowCount > 0 ? chunk.getColumnVector(0).getItem(0) : null;
  }

  /** Stops the statement that is running, if one is; it fails then. */
  interrupt(): void {
    this.#connection.interrupt();
  }

  close(): void {
    this.#connection.closeSync();
  }
}

const MAX_IDLE = 16;

export class Database {
  readonly #instance: DuckDBInstance;
  readonly #idle: Session[] = [];

  private constructor(instance: DuckDBInstance) {
    this.#instance = instance;
  }

  static async open({ file, memoryLimit }: DatabaseOptions): Promise<Database> {
    const instance = await DuckDBInstance.create(file ?? ':memory:', {
      memory_limit: memoryLimit,
      // One thread: rows that no ORDER BY sorts come in the order they were written, run after run.
      threads: '1',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      enable_external_access: 'false',
    });
    const connection = await instance.connect();
    registerFunctions(connection, ALL_FUNCTIONS);
    connection.closeSync();
    return new Database(instance);
  }

  /** Lends a session to `work`. After an error the session is thrown away, its transaction with it. */
  async session<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#idle.pop() ?? new Session(await this.#instance.connect());
    let healthy = false;
    try {
      const result = await work(session);
      healthy = true;
      return result;
    } finally {
      if (healthy && this.#idle.length < MAX_IDLE) this.#idle.push(session);
      else session.close();
    }
  }

  close(): void {
    for (const session of this.#idle) session.close();
    this.#instance.closeSync();
  }
}
