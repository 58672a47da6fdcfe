/** Real flights, and what SQL makes of them. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Row } from '../../functions/ports/warehouse.ts';

export interface Flight {
  readonly date: string;
  readonly delay: number;
  readonly distance: number;
  readonly origin: string;
  readonly destination: string;
}

const HOUR = 3_600_000;

export function scheduled({ date }: Flight): number {
  return Date.parse(`${date.replace(' ', 'T').replaceAll('/', '-')}Z`);
}

export function arrived(flight: Flight): number {
  return scheduled(flight) + flight.delay * 60_000;
}

/** The first flights of the year, in order of arrival. */
export async function realFlights(count: number): Promise<Flight[]> {
  const path = fileURLToPath(new URL('../data/flights-20k.json', import.meta.resolve('vega-datasets')));
  const flights = JSON.parse(await readFile(path, 'utf8')) as Flight[];
  return flights.sort((a, b) => arrived(a) - arrived(b)).slice(0, count);
}

/** Those that are not behind the flights before them by more than the pipeline's hour. */
export function withoutDisorder(flights: readonly Flight[]): Flight[] {
  let largest = Number.NEGATIVE_INFINITY;
  return flights.filter((flight) => {
    const fits = scheduled(flight) > largest - HOUR;
    largest = Math.max(largest, Math.min(scheduled(flight), arrived(flight) + 60_000));
    return fits;
  });
}

/** A flight so much later than all others that their windows are over; its own window stays open. */
export const LAST_FLIGHT: Flight = {
  date: '2001/12/30 00:00',
  delay: 0,
  distance: 1,
  origin: 'ZZZ',
  destination: 'ZZZ',
};

/** The key, window and value columns of the table's rows, by key and window; without the last flight's. */
export function departures(rows: Iterable<Row>): Map<string, unknown> {
  return new Map(
    [...rows]
      .filter(({ airport }) => airport !== 'ZZZ')
      .map(({ airport, window_start, window_end, flights, mean_delay, max_delay }) => [
        `${airport} ${window_start}`,
        { window_end, flights, mean_delay: rounded(mean_delay as number), max_delay },
      ]),
  );
}

/** The same from one SQL query over the flights. */
export async function departuresBySql(flights: readonly Flight[]): Promise<Map<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-flights-'));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await writeFile(`${folder}/flights.json`, flights.map((flight) => JSON.stringify(flight)).join('\n'));
    const result = await connection.runAndReadAll(
      `SELECT origin, strftime(hour, '%Y-%m-%dT%H:%M:%S.000Z') AS start, strftime(hour + INTERVAL 1 HOUR, '%Y-%m-%dT%H:%M:%S.000Z') AS stop,
              count(*)::INT AS flights, avg(delay) AS mean, max(delay)::INT AS most
         FROM (SELECT origin, delay, date_trunc('hour', strptime(date, '%Y/%m/%d %H:%M')) AS hour
                 FROM read_json('${folder}/flights.json', columns = {date: 'VARCHAR', delay: 'INT', origin: 'VARCHAR'}))
        GROUP BY origin, hour`,
    );
    return new Map(
      result
        .getRowObjectsJS()
        .map(({ origin, start, stop, flights, mean, most }) => [
          `${origin} ${start}`,
          { window_end: stop, flights, mean_delay: rounded(mean as number), max_delay: most },
        ]),
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(folder, { recursive: true });
  }
}

function rounded(mean: number): number {
  return Math.round(mean * 1e6) / 1e6;
}
