import { BigQuery } from '@google-cloud/bigquery';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningBigQuery, startBigQuery } from '../../../emulators/bigquery/start.ts';
import { BigQueryWarehouse } from '../../../functions/cloud/bigquery/warehouse.ts';
import { SYSTEM_CLOCK } from '../../../functions/local/system.ts';
import type { Row, TableSpec } from '../../../functions/ports/warehouse.ts';
import { warehouseSuite } from '../../ports/warehouse-suite.ts';

let server: RunningBigQuery;
let dataset = 0;

beforeAll(async () => {
  server = await startBigQuery();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.setTroubles({});
  dataset += 1;
});

const name = (): string => `d${dataset}`;
const client = (): BigQuery => new BigQuery({ projectId: 'test', apiEndpoint: server.url });

function open(): BigQueryWarehouse {
  return new BigQueryWarehouse({ projectId: 'test', dataset: name(), apiEndpoint: server.url, clock: SYSTEM_CLOCK });
}

/** Rows as the engine writes them. */
async function rowsOf(table: string): Promise<Row[]> {
  const [rows] = await client().query(`SELECT * FROM \`${name()}.${table}\``);
  return rows.map((row: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, plain(value)])),
  );
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('toFixed' in value) return (value as { toFixed(): string }).toFixed();
  const text = (value as { value: string }).value;
  return /T.*Z$/.test(text) ? new Date(text).toISOString() : text;
}

warehouseSuite('on BigQuery', async () => ({ warehouse: open(), rows: rowsOf }));

const NOTES: TableSpec = {
  table: 'notes',
  columns: [
    { name: 'id', type: 'STRING', nullable: false },
    { name: 'note', type: 'STRING', nullable: true },
    { name: 'amount', type: 'NUMERIC', nullable: true },
    { name: 'pane_epoch', type: 'INT64', nullable: false },
    { name: 'pane_sequence', type: 'INT64', nullable: false },
  ],
  key: ['id'],
  clusterBy: ['id'],
};

function notes(count: number): Row[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `n${i}`,
    note: 'ok',
    amount: '1',
    pane_epoch: 1,
    pane_sequence: 0,
  }));
}

describe('one bad row of 500', () => {
  it.each([
    ['a NUMERIC out of range', { amount: '1e40' }],
    ['a NULL in a REQUIRED column', { pane_sequence: null }],
    ['a text that is no number', { pane_epoch: 'soon' }],
  ])('%s: 499 are written once, one is refused with the reason', async (_, bad) => {
    const warehouse = open();
    await warehouse.prepare(NOTES);
    const rows = notes(500);
    rows[321] = { ...rows[321]!, ...bad };
    const outcome = await warehouse.merge({ id: `bad-${dataset}`, table: NOTES, rows });
    expect(outcome).toEqual({ state: 'done', refused: [{ index: 321, reason: expect.stringMatching(/.+/) }] });
    expect((await rowsOf('notes')).map(({ id }) => id).sort()).toEqual(
      rows
        .map(({ id }) => id)
        .filter((id) => id !== 'n321')
        .sort(),
    );
  });

  it('a string too long for its type', async () => {
    await client().createDataset(name());
    await client().query(
      `CREATE TABLE \`${name()}.notes\` (id STRING NOT NULL, note STRING(5), amount NUMERIC, pane_epoch INT64 NOT NULL, pane_sequence INT64 NOT NULL) CLUSTER BY id`,
    );
    const warehouse = open();
    await warehouse.prepare(NOTES);
    const rows = notes(500);
    rows[0] = { ...rows[0]!, note: 'too long' };
    const outcome = await warehouse.merge({ id: `long-${dataset}`, table: NOTES, rows });
    expect(outcome).toMatchObject({ state: 'done', refused: [{ index: 0 }] });
    expect(await rowsOf('notes')).toHaveLength(499);
    // Sent again, as after a crash before the flush was settled.
    expect(await warehouse.merge({ id: `long-${dataset}`, table: NOTES, rows })).toEqual(outcome);
    expect(await rowsOf('notes')).toHaveLength(499);
  });
});

describe('a table that exists', () => {
  it('gets the nullable columns that it lacks', async () => {
    await client().createDataset(name());
    await client().query(
      `CREATE TABLE \`${name()}.notes\` (id STRING NOT NULL, pane_epoch INT64 NOT NULL, pane_sequence INT64 NOT NULL) CLUSTER BY id`,
    );
    const warehouse = open();
    await warehouse.prepare(NOTES);
    await warehouse.merge({ id: `added-${dataset}`, table: NOTES, rows: notes(1) });
    expect(await rowsOf('notes')).toEqual([{ id: 'n0', note: 'ok', amount: '1', pane_epoch: 1, pane_sequence: 0 }]);
  });

  it('that does not fit is refused with every difference named', async () => {
    await client().createDataset(name());
    await client().query(
      `CREATE TABLE \`${name()}.notes\` (id INT64 NOT NULL, note STRING, pane_epoch INT64 NOT NULL, other STRING NOT NULL)`,
    );
    await expect(open().prepare(NOTES)).rejects.toThrow(
      "does not fit the pipeline: column 'id' is INT64, not STRING; column 'pane_sequence' is missing, and a column without NULL cannot be added to a table that exists; column 'other' is REQUIRED, and the pipeline does not write it; it is clustered by nothing, not by id",
    );
  });
});

describe('trouble', () => {
  it('contention is worth another attempt, and nothing was written', async () => {
    const warehouse = open();
    await warehouse.prepare(NOTES);
    server.setTroubles({ notSerialized: { probability: 1 } });
    expect(await warehouse.merge({ id: `c-${dataset}`, table: NOTES, rows: notes(2) })).toMatchObject({
      state: 'failed',
      again: true,
    });
    server.setTroubles({});
    expect(await rowsOf('notes')).toEqual([]);
  });

  it('a lost answer is unknown, and the same job sent again finds that it was done', async () => {
    const warehouse = open();
    await warehouse.prepare(NOTES);
    server.setTroubles({ lostAnswers: { next: 1 } });
    const job = { id: `l-${dataset}`, table: NOTES, rows: notes(3) };
    expect(await warehouse.merge(job)).toMatchObject({ state: 'unknown' });
    server.setTroubles({});
    expect(await warehouse.merge(job)).toEqual({ state: 'done', refused: [] });
    expect(await rowsOf('notes')).toHaveLength(3);
  });

  it('a lost answer is found out in a region too, where BigQuery finds no job without its location', async () => {
    await client().createDataset(name(), { location: 'us-central1' });
    await open().prepare(NOTES);
    server.setTroubles({ lostAnswers: { next: 1 } });
    const job = { id: `r-${dataset}`, table: NOTES, rows: notes(3) };
    expect(await open().merge(job)).toMatchObject({ state: 'unknown' });
    server.setTroubles({});
    await expect(client().job(job.id).getMetadata()).rejects.toThrow('Not found: Job');
    expect(await open().merge(job)).toEqual({ state: 'done', refused: [] });
    expect(await rowsOf('notes')).toHaveLength(3);
  });

  it('a server that answers 503 leaves the outcome unknown', async () => {
    const warehouse = open();
    await warehouse.prepare(NOTES);
    server.setTroubles({ unavailable: { probability: 1 } });
    expect(await warehouse.merge({ id: `u-${dataset}`, table: NOTES, rows: notes(1) })).toMatchObject({
      state: 'unknown',
    });
  });
});
