/**
 * `npm run bench:bigquery`: the sink's MERGE through Google's client into the local BigQuery server, in rows a second; then
 * flights from file to table, and whether that table is the one in memory, row by row.
 *
 *     npm run bench:bigquery -- [FLIGHTS]      200,000 unless told otherwise
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BigQuery } from '@google-cloud/bigquery';
import { startBigQuery } from '../../../emulators/bigquery/start.ts';
import { writeFlights } from '../../../functions/cli/demo-data.ts';
import { BigQueryWarehouse } from '../../../functions/cloud/bigquery/warehouse.ts';
import { MemoryWarehouse } from '../../../functions/local/memory-warehouse.ts';
import { SYSTEM_CLOCK } from '../../../functions/local/system.ts';
import { GUARD_COLUMNS } from '../../../functions/model/table.ts';
import type { Row, TableSpec } from '../../../functions/ports/warehouse.ts';
import { runFlights, tableInMemory, tableOnServer } from '../../cloud/bigquery/flights-tables.ts';

const FLIGHTS = Number(process.argv[2] ?? 200_000);
const ROWS_A_JOB = 50_000;
const JOBS = 5;
const BOUND = 20_000;
const HOUR = 3_600_000;

const TOTALS: TableSpec = {
  table: 'totals',
  columns: [
    { name: 'place', type: 'STRING', nullable: false },
    { name: 'start', type: 'TIMESTAMP', nullable: false },
    { name: 'events', type: 'INT64', nullable: false },
    { name: 'amount', type: 'NUMERIC', nullable: true },
    { name: 'mean', type: 'FLOAT64', nullable: true },
    ...GUARD_COLUMNS,
  ],
  key: ['place', 'start'],
  partitionBy: 'start',
  clusterBy: ['place'],
};

/** As many windows as rows: 500 places in each hour. */
function rowsOf(sequence: number): Row[] {
  return Array.from({ length: ROWS_A_JOB }, (_, i) => ({
    place: `place ${i % 500}`,
    start: new Date(Date.UTC(2001, 0, 1) + Math.floor(i / 500) * HOUR).toISOString(),
    events: i,
    amount: `${i}.25`,
    mean: i / 7,
    pane_epoch: 1,
    pane_sequence: sequence,
  }));
}

const server = await startBigQuery();
const options = { projectId: 'bench', dataset: 'bench', apiEndpoint: server.url, clock: SYSTEM_CLOCK };
const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
try {
  await mergeRates(new BigQueryWarehouse(options));
  await wholeFlights(join(folder, 'flights.jsonl'));
} finally {
  await server.stop();
  await rm(folder, { recursive: true });
}

/** The first job inserts every row, each later one replaces every row by a newer pane. */
async function mergeRates(warehouse: BigQueryWarehouse): Promise<void> {
  await warehouse.prepare(TOTALS);
  const rates: number[] = [];
  const before = process.cpuUsage();
  for (let job = 0; job < JOBS; job++) {
    const rows = rowsOf(job);
    const start = performance.now();
    const outcome = await warehouse.merge({ id: `bench-${job}`, table: TOTALS, rows });
    if (outcome.state !== 'done' || outcome.refused.length > 0) throw new Error(JSON.stringify(outcome).slice(0, 500));
    rates.push((1000 * ROWS_A_JOB) / (performance.now() - start));
  }
  const { user, system } = process.cpuUsage(before);
  const [counted] = await new BigQuery(options).query(
    `SELECT COUNT(*) AS n, COUNTIF(pane_sequence = ${JOBS - 1}) AS newest FROM bench.totals`,
  );
  if (counted[0].n !== ROWS_A_JOB || counted[0].newest !== ROWS_A_JOB)
    throw new Error(`the table has ${JSON.stringify(counted[0])}, not ${ROWS_A_JOB} rows of the newest pane`);
  const [inserting = 0, ...replacing] = rates;
  const slowest = Math.min(...rates);
  console.log(`MERGE of ${shown(ROWS_A_JOB)} rows through the real client, rows a second`);
  console.log(`  all inserted  ${shown(inserting)}`);
  console.log(`  all replaced  ${replacing.map(shown).join(', ')}`);
  console.log(`  a second of one processor ${shown((JOBS * ROWS_A_JOB * 1e6) / (user + system))}`);
  console.log(`  the slowest is ${slowest >= BOUND ? 'at least' : 'BELOW'} the ${shown(BOUND)} that are asked`);
  if (slowest < BOUND) process.exitCode = 1;
}

async function wholeFlights(file: string): Promise<void> {
  await writeFlights(file, FLIGHTS);
  const memory = new MemoryWarehouse();
  const inMemory = await secondsOf(() => runFlights(file, memory));
  const onServer = await secondsOf(() => runFlights(file, new BigQueryWarehouse({ ...options, dataset: 'flights' })));
  const [expected, actual] = [tableInMemory(memory), await tableOnServer(server.url, 'bench', 'flights')];
  const same = expected.length === actual.length && expected.every((row, i) => row === actual[i]);
  console.log(
    `${shown(FLIGHTS)} flights: ${inMemory.toFixed(1)} s in memory, ${onServer.toFixed(1)} s into the server`,
  );
  console.log(`  ${shown(actual.length)} rows, ${same ? 'the same as in memory' : 'NOT those in memory'}`);
  if (!same || expected.length === 0) process.exitCode = 1;
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

function shown(count: number): string {
  return Math.round(count).toLocaleString('en');
}
