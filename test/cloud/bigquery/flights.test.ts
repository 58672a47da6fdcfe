import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startBigQuery } from '../../../emulators/bigquery/start.ts';
import { writeFlights } from '../../../functions/cli/demo-data.ts';
import { BigQueryWarehouse } from '../../../functions/cloud/bigquery/warehouse.ts';
import { MemoryWarehouse } from '../../../functions/local/memory-warehouse.ts';
import { SYSTEM_CLOCK } from '../../../functions/local/system.ts';
import { runFlights, tableInMemory, tableOnServer } from './flights-tables.ts';

/** All 200,000 are compared by `npm run bench:bigquery`. */
const FLIGHTS = 5_000;

it('flights, through the real client into the local server: the table in memory', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bigquery-'));
  const server = await startBigQuery();
  try {
    const file = join(folder, 'flights.jsonl');
    await writeFlights(file, FLIGHTS);
    const memory = new MemoryWarehouse();
    await runFlights(file, memory);
    const options = { projectId: 'test', dataset: 'demo', apiEndpoint: server.url, clock: SYSTEM_CLOCK };
    await runFlights(file, new BigQueryWarehouse(options));
    const expected = tableInMemory(memory);
    expect(expected.length).toBeGreaterThan(500);
    expect(await tableOnServer(server.url, 'test', 'demo')).toEqual(expected);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
});
