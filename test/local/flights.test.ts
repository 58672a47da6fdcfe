import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeFlights } from '../../functions/cli/demo-data.ts';
import { main } from '../../functions/cli/main.ts';

const FLIGHTS = 20_000;

describe('millrace run flights, on real flights', () => {
  let folder: string;
  let summary: { events: number; late: number; deadLettered: number; panes: Record<string, number> };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-flights-'));
    await writeFlights(`${folder}/flights.jsonl`, FLIGHTS);
    const lines: string[] = [];
    const io = { out: (line: string) => lines.push(line), err: () => {}, stdin: process.stdin, isTerminal: false };
    const code = await main(
      ['run', 'flights', '--input', `flights=${folder}/flights.jsonl`, '--out', `${folder}/out`, '--json'],
      io,
    );
    expect(code).toBe(0);
    summary = JSON.parse(lines.at(-1)!);
  });

  afterAll(() => rm(folder, { recursive: true }));

  async function query(sql: string): Promise<Record<string, unknown>[]> {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const result = await connection.runAndReadAll(sql);
    connection.closeSync();
    return result.getRowObjectsJson() as Record<string, unknown>[];
  }

  it('counts every event once: in the table, or late', async () => {
    const [counted] = await query(`SELECT sum(flights)::INT AS n FROM '${folder}/out/departures_by_airport.jsonl'`);
    const late = (await readFile(`${folder}/out/late.jsonl`, 'utf8')).split('\n').filter((line) => line !== '');
    expect(summary.events).toBe(FLIGHTS);
    expect(summary.late).toBe(late.length);
    expect(summary.deadLettered).toBe(0);
    expect(Number(counted!['n']) + late.length).toBe(FLIGHTS);
    expect(summary.panes['EARLY']).toBeGreaterThan(0);
    expect(summary.panes['ON_TIME']).toBeGreaterThan(0);
    expect(summary.panes['LATE']).toBeGreaterThan(0);
  });

  it('gives the rows that one SQL query over the input without the late records gives', async () => {
    // At least one flight must be late, or the query below would have nothing to leave out.
    expect(summary.late).toBeGreaterThan(0);
    await writeFile(
      `${folder}/late-flights.jsonl`,
      (await readFile(`${folder}/out/late.jsonl`, 'utf8')).replaceAll(/^.*$/gm, lateFlight),
    );
    const differences = await query(
      `WITH input AS (SELECT date::VARCHAR AS date, delay, distance, origin, destination FROM read_json('${folder}/flights.jsonl', columns = {date: 'VARCHAR', delay: 'BIGINT', distance: 'BIGINT', origin: 'VARCHAR', destination: 'VARCHAR'})
                      EXCEPT ALL SELECT date, delay, distance, origin, destination FROM read_json('${folder}/late-flights.jsonl', columns = {date: 'VARCHAR', delay: 'BIGINT', distance: 'BIGINT', origin: 'VARCHAR', destination: 'VARCHAR'})),
            expected AS (SELECT origin AS airport, date_trunc('hour', date::TIMESTAMP) AS start, count(*) AS flights, round(avg(delay), 6) AS mean_delay, max(delay) AS max_delay FROM input GROUP BY ALL),
            actual AS (SELECT airport, replace(window_start, 'Z', '')::TIMESTAMP AS start, flights, round(mean_delay, 6) AS mean_delay, max_delay FROM read_json('${folder}/out/departures_by_airport.jsonl', columns = {airport: 'VARCHAR', window_start: 'VARCHAR', flights: 'BIGINT', mean_delay: 'DOUBLE', max_delay: 'BIGINT'}))
       (FROM expected EXCEPT ALL FROM actual) UNION ALL (FROM actual EXCEPT ALL FROM expected)`,
    );
    expect(differences).toEqual([]);
  });
});

function lateFlight(line: string): string {
  return line === '' ? '' : JSON.stringify((JSON.parse(line) as { element: unknown }).element);
}
