/** Starts the local BigQuery server inside this process: for tests, and for the command beside this file. */
import type { AddressInfo } from 'node:net';
import { Catalog } from './catalog/catalog.ts';
import { CommitLog } from './dml/commit-log.ts';
import { InsertQueue } from './dml/insert-queue.ts';
import { StatementQueue } from './dml/statement-queue.ts';
import { StatementRate } from './dml/statement-rate.ts';
import { createApiServer } from './http/server.ts';
import type { Engine } from './jobs/engine.ts';
import { JobService } from './jobs/job-service.ts';
import { JobStore } from './jobs/job-store.ts';
import { Database } from './runtime/database.ts';
import { Streamer } from './streaming/insert-all.ts';
import { TroubleMaker, type Troubles } from './troubles.ts';

export interface BigQueryOptions {
  /** TCP port; 0, the default, takes one that is free. */
  readonly port?: number;
  /** Address to listen on. Default `127.0.0.1`: nobody from outside. */
  readonly host?: string;
  /** A DuckDB file to keep datasets, tables and finished jobs in. Default: memory only. */
  readonly data?: string;
  /** Trouble to make from the start. Default: none. */
  readonly troubles?: Troubles;
  /** What chance in troubles starts from. Default 1. */
  readonly seed?: number;
  /** Memory that DuckDB may use, as it writes sizes. Default `4GB`. */
  readonly memoryLimit?: string;
}

export interface RunningBigQuery {
  /** `http://127.0.0.1:9050`: for BIGQUERY_EMULATOR_HOST, or a client's `apiEndpoint`. */
  readonly url: string;
  /** `127.0.0.1:9050`. */
  readonly host: string;
  /** Replaces the troubles, and begins chance anew where a seed is given. */
  setTroubles(troubles: Troubles, seed?: number): void;
  /** Ends all connections and closes the data. */
  stop(): Promise<void>;
}

/**
 * @example
 * const server = await startBigQuery({ port: 9050 });
 * const client = new BigQuery({ projectId: 'demo', apiEndpoint: server.url });
 * @throws when the port is taken or the data file cannot be opened.
 */
export async function startBigQuery(options: BigQueryOptions = {}): Promise<RunningBigQuery> {
  const database = await Database.open({ file: options.data, memoryLimit: options.memoryLimit ?? '4GB' });
  const engine: Engine = {
    database,
    catalog: await Catalog.open(database),
    troubles: new TroubleMaker(options.troubles ?? {}, options.seed ?? 1),
    queue: new StatementQueue(),
    inserts: new InsertQueue(),
    rate: new StatementRate(),
    commits: new CommitLog(),
  };
  const jobs = new JobService(engine, await JobStore.open(database, options.data !== undefined));
  const server = createApiServer(engine, jobs, new Streamer(database));
  const address = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, address, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = `${address}:${port}`;
  return {
    url: `http://${host}`,
    host,
    setTroubles: (troubles, seed) => engine.troubles.set(troubles, seed),
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await jobs.idle();
      database.close();
    },
  };
}
