import { describe, expect, it } from 'vitest';
import { SeededIds } from '../../functions/local/virtual-clock.ts';
import type { Row } from '../../functions/ports/warehouse.ts';
import { runEmbedded, type Trouble } from './run-embedded.ts';
import { expectedTotals, type Reading, totals } from './totals-pipeline.ts';

const PLACES = ['Aachen', 'Bonn', 'Celle', '', 'ü', '"quoted"', '__proto__'];

/** Readings in order of arrival, none of them later than 25 minutes. Whole amounts, so that sums are exact. */
function readings(seed: number, count: number): Reading[] {
  const random = new SeededIds(seed);
  return Array.from({ length: count }, (_, i) => {
    const heard = i * 0.5;
    const at = heard - Math.floor(random.random() * 25);
    return {
      at,
      heard,
      place: PLACES[Math.floor(random.random() * PLACES.length)]!,
      amount: Math.floor(random.random() * 100),
    };
  });
}

/** The same readings, each heard of at another time within the bound. */
function shuffled(input: readonly Reading[], seed: number): Reading[] {
  const random = new SeededIds(seed);
  return input
    .map((reading) => ({ ...reading, heard: reading.at + Math.floor(random.random() * 25) }))
    .sort((a, b) => a.heard - b.heard);
}

function table(rows: readonly Row[]): Map<string, unknown> {
  return new Map(
    rows.map(({ place, start, readings: count, amount, largest }) => [
      `${place} ${start}`,
      { readings: count, amount, largest },
    ]),
  );
}

async function expectSameTable(input: readonly Reading[], trouble: Trouble): Promise<void> {
  const { rows, letters, late, left } = await runEmbedded(totals, { readings: input }, trouble);
  expect(late).toBe(0);
  expect(letters).toEqual([]);
  expect(table(rows('totals'))).toEqual(expectedTotals(input));
  expect(left).toEqual([]);
}

describe('the table is that of a plain loop over the input', () => {
  const input = readings(7, 600);

  it.each([1, 2, 4, 16])('with %i shards', async (shards) => {
    await expectSameTable(input, { shards });
  });

  it.each([1, 3, 50, 1_000])('with bundles of %i records', async (bundle) => {
    await expectSameTable(input, { bundle });
  });

  it('shuffled inside the watermark bound', async () => {
    for (const seed of [1, 2, 3]) await expectSameTable(shuffled(input, seed), {});
  });

  it('with every envelope and tick delivered twice, in any order', async () => {
    await expectSameTable(input, { bus: { twice: 1, shuffled: true } });
  });

  it('with a tenth of the envelopes and ticks lost', async () => {
    await expectSameTable(input, { bus: { lost: 0.1 } });
  });

  it('with the store down, contended, and losing answers', async () => {
    await expectSameTable(input, { store: { down: 0.1, contention: 0.1, answerLost: 0.2 } });
  });

  it.each(Array.from({ length: 12 }, (_, i) => i + 100))('with all of it at once, seed %i', async (seed) => {
    await expectSameTable(readings(seed, 250), {
      seed,
      shards: 3,
      bundle: 20,
      bus: { lost: 0.1, twice: 0.3, shuffled: true },
      store: { down: 0.05, contention: 0.05, answerLost: 0.1 },
    });
  });
});

describe('what is too late', () => {
  it('is a late record, once, and the rest is in the table', async () => {
    const input = readings(9, 400);
    const lateOnes: Reading[] = [30, 90, 150].map((heard) => ({ at: heard - 200, heard, place: 'Bonn', amount: 1 }));
    const all = [...input, ...lateOnes].sort((a, b) => a.heard - b.heard);
    const { rows, letters, late } = await runEmbedded(totals, { readings: all }, { bus: { twice: 0.5, lost: 0.1 } });
    expect(late).toBe(3);
    expect(letters.map(({ kind, code, value }) => [kind, code, value])).toEqual(
      lateOnes.map((reading) => ['late', 'LATE_EXPIRED', reading]),
    );
    expect(table(rows('totals'))).toEqual(expectedTotals(input));
  });
});
