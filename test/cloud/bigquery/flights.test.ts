import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BigQuery } from '@google-cloud/bigquery';
import { expect, it } from 'vitest';
import { startBigQuery } from '../../../emulators/bigquery/start.ts';
import { writeFlights } from '../../../functions/cli/demo-data.ts';
import { BigQueryWarehouse } from '../../../functions/cloud/bigquery/warehouse.ts';
import { Embedded } from '../../../functions/local/embedded.ts';
import { readJsonLines } from '../../../functions/local/input/json-lines.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { MemoryWarehouse } from '../../../functions/local/memory-warehouse.ts';
import { run } from '../../../functions/local/runner.ts';
import { SYSTEM_CLOCK } from '../../../functions/local/system.ts';
import { SeededIds, VirtualClock } from '../../../functions/local/virtual-clock.ts';
import { MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import flights from '../../../functions/pipelines/flights.ts';
import { plan } from '../../../functions/plan/plan.ts';
import type { Warehouse } from '../../../functions/ports/warehouse.ts';

const FLIGHTS = 5_000;

it('flights, through the real client into the local server: the table in memory', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bigquery-'));
  const server = await startBigQuery();
  try {
    const file = join(folder, 'flights.jsonl');
    await writeFlights(file, FLIGHTS);
    const memory = new MemoryWarehouse();
    await runInto(file, memory);
    await runInto(
      file,
      new BigQueryWarehouse({ projectId: 'test', dataset: 'demo', apiEndpoint: server.url, clock: SYSTEM_CLOCK }),
    );
    const client = new BigQuery({ projectId: 'test', apiEndpoint: server.url });
    const [rows] = await client.query(
      'SELECT airport, FORMAT_TIMESTAMP("%FT%H:%M:%E3SZ", window_start) AS window_start, flights, mean_delay, max_delay, pane_index, pane_sequence FROM demo.departures_by_airport',
    );
    const expected = [...memory.rows('departures_by_airport')].map(
      ({ airport, window_start, flights: n, mean_delay, max_delay, pane_index, pane_sequence }) => ({
        airport,
        window_start,
        flights: n,
        mean_delay,
        max_delay,
        pane_index,
        pane_sequence,
      }),
    );
    expect(expected.length).toBeGreaterThan(500);
    expect(sorted(rows)).toEqual(sorted(expected));
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
});

function sorted(rows: readonly Record<string, unknown>[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

async function runInto(file: string, warehouse: Warehouse): Promise<void> {
  const clock = new VirtualClock();
  const bus = new MemoryBus(new SeededIds(1));
  const planned = plan(flights, { shards: 2, files: new Set(['flights']) });
  const embedded = new Embedded({
    plan: planned,
    store: new MemoryStore(),
    bus,
    warehouse,
    clock,
    ids: new SeededIds(2),
    flushByAge: false,
  });
  await run({ embedded, clock, inputs: new Map([['flights', readJsonLines(file, () => MIN_TIMESTAMP)]]) });
}
