/** Flights' table as the in-memory warehouse and as the local BigQuery server have it, for comparison. */
import { BigQuery } from '@google-cloud/bigquery';
import { Embedded } from '../../../functions/local/embedded.ts';
import { readJsonLines } from '../../../functions/local/input/json-lines.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import type { MemoryWarehouse } from '../../../functions/local/memory-warehouse.ts';
import { run } from '../../../functions/local/runner.ts';
import { SeededIds, VirtualClock } from '../../../functions/local/virtual-clock.ts';
import { MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import flights from '../../../functions/pipelines/flights.ts';
import { plan } from '../../../functions/plan/plan.ts';
import type { Row, Warehouse } from '../../../functions/ports/warehouse.ts';

const TABLE = 'departures_by_airport';

/** Runs flights over a file, into a warehouse. */
export async function runFlights(file: string, warehouse: Warehouse): Promise<void> {
  const clock = new VirtualClock();
  const embedded = new Embedded({
    plan: plan(flights, { shards: 2, files: new Set(['flights']) }),
    store: new MemoryStore(),
    bus: new MemoryBus(new SeededIds(1)),
    warehouse,
    clock,
    ids: new SeededIds(2),
    flushByAge: false,
  });
  await run({ embedded, clock, inputs: new Map([['flights', readJsonLines(file, () => MIN_TIMESTAMP)]]) });
}

/** The table's rows as sorted texts. */
export function tableInMemory(warehouse: MemoryWarehouse): string[] {
  return [...warehouse.rows(TABLE)].map(text).sort();
}

/** The table's rows as sorted texts, asked for in SQL. */
export async function tableOnServer(url: string, projectId: string, dataset: string): Promise<string[]> {
  const [rows] = await new BigQuery({ projectId, apiEndpoint: url }).query(
    `SELECT * REPLACE (FORMAT_TIMESTAMP("%FT%H:%M:%E3SZ", window_start) AS window_start, FORMAT_TIMESTAMP("%FT%H:%M:%E3SZ", window_end) AS window_end) FROM ${dataset}.${TABLE}`,
  );
  return rows.map(text).sort();
}

function text(row: Row): string {
  return JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
}
