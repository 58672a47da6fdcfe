/** The prices in infra/README.md follow from counted operations, and `millrace plan`'s estimate agrees with them. */
import { describe, expect, test } from 'vitest';
import flights from '../../functions/pipelines/flights.ts';
import { DEFAULT_LOAD, operationsOf } from '../../functions/plan/operations.ts';
import { plan } from '../../functions/plan/plan.ts';
import { costTable, isUpToDate, operations, readCounted, withTable } from '../../infra/scripts/cost-table.ts';
import { type Counted, countedRun } from '../../infra/scripts/counted-run.ts';
import { AIRPORTS, flightEvent } from '../../infra/scripts/flight-events.ts';

/** How far two figures are apart, as a share of the larger. */
function apart(a: number, b: number): number {
  return Math.abs(a - b) / Math.max(a, b, 0.5);
}

describe('the table in infra/README.md', () => {
  test('is the one of the counted operations and the list prices', () => {
    expect(isUpToDate()).toBe(true);
  });

  test('covers 1, 100 and 1,000 events a second', () => {
    expect(readCounted().map(({ events }) => Math.round(events))).toEqual([1, 100, 1_000]);
  });

  test('changes when the counts do, and is refused a README without its marks', () => {
    const [first, ...rest] = readCounted();
    expect(costTable([{ ...first!, writes: first!.writes * 2 }, ...rest])).not.toBe(costTable([first!, ...rest]));
    expect(() => withTable('# Infra', 'table')).toThrow('infra/README.md has no place for the table');
  });

  test('prices a counted run by hand: 100 events a second', () => {
    const counted: Counted = {
      events: 100,
      stagePushes: 6,
      stageBytes: 34_000,
      reads: 2,
      writes: 105,
      deletes: 2,
      merges: 0.01,
    };
    const { requests, pubSubBytes, reads, writes, deletes } = operations(counted, 'functions');
    expect(requests).toBeCloseTo(106.017, 3);
    // An event of 300 bytes is billed as 1,000.
    expect(pubSubBytes).toBe(134_000);
    expect([reads, writes, deletes]).toEqual([2, 105, 2]);
  });
});

describe('the operations of a running engine', () => {
  test.each([
    [1, 900],
    [100, 120],
  ])(
    'at %i events a second are those of the estimate within a quarter',
    async (eventsPerSecond, seconds) => {
      const counted = await countedRun({
        graph: flights,
        event: flightEvent,
        eventsPerSecond,
        seconds,
        warmUpSeconds: seconds,
      });
      const load = { ...DEFAULT_LOAD, keys: AIRPORTS, eventsPerSecond };
      const estimate = operationsOf(plan(flights), load, 'functions');
      const pushed = estimate.requests - eventsPerSecond - 1 / 60;
      expect(apart(counted.stagePushes, pushed)).toBeLessThan(0.25);
      expect(apart(counted.reads, estimate.reads)).toBeLessThan(0.25);
      expect(apart(counted.writes, estimate.writes)).toBeLessThan(0.25);
      expect(counted.deletes).toBeLessThan(estimate.deletes * 1.25);
      expect(apart(counted.stageBytes + eventsPerSecond * 1_000, estimate.pubSubBytes)).toBeLessThan(0.25);
    },
    60_000,
  );

  test('at 1 event a second have not changed since the table was made', async () => {
    const counted = await countedRun({
      graph: flights,
      event: flightEvent,
      eventsPerSecond: 1,
      seconds: 900,
      warmUpSeconds: 900,
    });
    const [recorded] = readCounted();
    expect(apart(counted.writes, recorded!.writes)).toBeLessThan(0.1);
    expect(apart(counted.reads, recorded!.reads)).toBeLessThan(0.1);
  }, 60_000);
});
