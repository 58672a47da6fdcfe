import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { DeadLetter } from '../../functions/engine/dead-letter.ts';
import flights from '../../functions/pipelines/flights.ts';
import { runEmbedded } from '../local/run-embedded.ts';
import { type Deployed, deploy, letters, publish, underWay, until, useEmulators } from './deployed.ts';
import {
  arrived,
  departures,
  departuresBySql,
  type Flight,
  LAST_FLIGHT,
  realFlights,
  scheduled,
  withoutDisorder,
} from './flights-data.ts';

const FLIGHTS = 5_000;
const LATENESS = 6 * 3_600_000;
const HOUR = 3_600_000;
const module = fileURLToPath(new URL('../../functions/pipelines/flights.ts', import.meta.url));

useEmulators();
let cloud: Deployed | undefined;
afterEach(async () => {
  await cloud?.stop();
  cloud = undefined;
});

/** Publishes, waits for every flight's end, and returns the table's rows and the late flights. */
async function fly(deployed: Deployed, input: readonly Flight[]) {
  await publish(deployed, 'flights', input);
  const table = () => deployed.tables.rows('departures_by_airport');
  await until(
    'every flight was taken in',
    () => deployed.relay.stats()[0]!.acknowledged,
    (taken) => taken === input.length,
  );
  await publish(deployed, 'flights', [LAST_FLIGHT]);
  const ended = async () => (await letters(deployed)).length + sum(departures(table()));
  await until('every flight is in the table or late', ended, (n) => n >= input.length);
  const late = await letters(deployed);
  await until(
    'nothing is under way',
    () => underWay(deployed),
    ({ open, outbox, runs }) => open + outbox + runs === 0,
  );
  return { table: departures(table()), late };
}

function sum(table: ReadonlyMap<string, unknown>): number {
  return [...table.values()].reduce((total: number, row) => total + (row as { flights: number }).flights, 0);
}

function flightOf({ kind, value }: DeadLetter): Flight {
  expect(kind).toBe('late');
  return value as Flight;
}

describe.each(['functions', 'services'] as const)('flights, deployed as %s', (shape) => {
  it('end in the table or late, and the table is what SQL says of those that are not late', async () => {
    cloud = await deploy({ graph: flights, module, shape });
    const input = await realFlights(FLIGHTS);
    const { table, late } = await fly(cloud, input);
    const lateFlights = late.map(flightOf);
    expect(sum(table) + lateFlights.length).toBe(FLIGHTS);
    expect(table).toEqual(await departuresBySql(without(input, lateFlights)));
    for (const flight of lateFlights) expect(isLateAtItsSource(flight, input)).toBe(true);
    expect(cloud.complaints).toEqual([]);
  });
});

it('without disorder beyond the bound, the table is that of the embedded run', async () => {
  cloud = await deploy({ graph: flights, module });
  const input = withoutDisorder(await realFlights(2_000));
  const { table, late } = await fly(cloud, input);
  const embedded = await runEmbedded(flights, { flights: input });
  expect(late).toEqual([]);
  expect(embedded.late).toBe(0);
  expect(table).toEqual(departures(embedded.rows('departures_by_airport')));
  expect(sum(table)).toBe(input.length);
});

/** The input without some of its flights, one for one. */
function without(input: readonly Flight[], some: readonly Flight[]): Flight[] {
  const left = new Map<string, number>();
  for (const flight of some) left.set(text(flight), (left.get(text(flight)) ?? 0) + 1);
  return input.filter((flight) => {
    const count = left.get(text(flight)) ?? 0;
    if (count > 0) left.set(text(flight), count - 1);
    return count === 0;
  });
}

/** Whether the watermark that all flights published before give was beyond what its window allows. */
function isLateAtItsSource(flight: Flight, input: readonly Flight[]): boolean {
  const place = input.findIndex((other) => text(other) === text(flight));
  const largest = Math.max(
    ...input.slice(0, place).map((other) => Math.min(scheduled(other), arrived(other) + 60_000)),
  );
  const windowEnd = Math.floor(scheduled(flight) / HOUR) * HOUR + HOUR;
  return windowEnd - 1 + LATENESS < largest - HOUR;
}

function text({ date, delay, distance, origin, destination }: Flight): string {
  return [date, delay, distance, origin, destination].join(' ');
}
