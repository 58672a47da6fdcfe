/** Readings for the totals pipeline, in order of arrival, none of them later than its bound of half an hour. */
import { SeededIds } from '../../functions/local/virtual-clock.ts';
import type { Row } from '../../functions/ports/warehouse.ts';
import type { Reading } from '../local/totals-pipeline.ts';

const PLACES = ['Aachen', 'Bonn', 'Celle', '', 'ü', '"quoted"', '__proto__'];

/** @param from the minute of the first one; two a minute follow */
export function readings(seed: number, count: number, from = 0): Reading[] {
  const random = new SeededIds(seed);
  return Array.from({ length: count }, (_, i) => {
    const heard = from + i / 2;
    return {
      at: heard - Math.floor(random.random() * 25),
      heard,
      place: PLACES[Math.floor(random.random() * PLACES.length)]!,
      amount: Math.floor(random.random() * 100),
    };
  });
}

/** So late that the windows of all others are over; its own stays open. */
export const LAST_READING: Reading = { at: 1_000_000, heard: 1_000_000, place: 'last', amount: 0 };

/** The table's rows by place and start, without the last reading's. */
export function totalsTable(rows: Iterable<Row>): Map<string, unknown> {
  return new Map(
    [...rows]
      .filter(({ place }) => place !== LAST_READING.place)
      .map(({ place, start, readings: count, amount, largest }) => [
        `${place} ${start}`,
        { readings: count, amount, largest },
      ]),
  );
}

export function readingsIn(table: ReadonlyMap<string, unknown>): number {
  return [...table.values()].reduce((sum: number, row) => sum + (row as { readings: number }).readings, 0);
}
