import { describe, expect, test } from 'vitest';
import flights from '../../functions/pipelines/flights.ts';
import { monthlyCost } from '../../functions/plan/cost.ts';
import { DEFAULT_LOAD, operationsOf } from '../../functions/plan/operations.ts';
import { plan } from '../../functions/plan/plan.ts';
import { firestoreDollars, functionDollars, pubSubDollars } from '../../functions/plan/prices.ts';

const NOTHING = { requests: 0, busyInstances: 0, pubSubBytes: 0, reads: 0, writes: 0, deletes: 0, bytesScanned: 0 };

describe('list prices', () => {
  test('Firestore: per 100,000 reads, writes and deletes', () => {
    expect(firestoreDollars({ reads: 100_000, writes: 0, deletes: 0 })).toBeCloseTo(0.03, 10);
    expect(firestoreDollars({ reads: 0, writes: 1_000_000, deletes: 0 })).toBeCloseTo(0.9, 10);
    expect(firestoreDollars({ reads: 0, writes: 0, deletes: 1_000_000 })).toBeCloseTo(0.1, 10);
  });

  test('functions: per million requests, and for each second of vCPU and GiB', () => {
    expect(functionDollars({ requests: 1_000_000, vcpuSeconds: 0, gibSeconds: 0 })).toBeCloseTo(0.4, 10);
    expect(functionDollars({ requests: 0, vcpuSeconds: 1_000, gibSeconds: 1_000 })).toBeCloseTo(0.0265, 10);
  });

  test('Pub/Sub: 40 dollars a TiB', () => {
    expect(pubSubDollars(2 ** 40)).toBe(40);
  });
});

describe('the cost of a month', () => {
  test('an instance of 1 vCPU and 512 MiB that is busy all month', () => {
    // 2,628,000 seconds at 0.000024 and half a GiB at 0.0000025.
    expect(monthlyCost({ ...NOTHING, busyInstances: 1 }, 'functions').instances).toBeCloseTo(63.072 + 3.285, 3);
  });

  test('500 requests a second', () => {
    expect(monthlyCost({ ...NOTHING, requests: 500 }, 'functions').requests).toBeCloseTo(525.6, 2);
  });

  test('the total is the sum of its parts', () => {
    const { total, ...parts } = monthlyCost(
      { requests: 1, busyInstances: 1, pubSubBytes: 1e6, reads: 1, writes: 1, deletes: 1, bytesScanned: 1e6 },
      'services',
    );
    expect(total).toBeCloseTo(
      Object.values(parts).reduce((sum, part) => sum + part, 0),
      10,
    );
  });

  test('an idle pipeline costs less than a dollar', () => {
    for (const shape of ['functions', 'services'] as const) {
      const idle = operationsOf(plan(flights), { ...DEFAULT_LOAD, eventsPerSecond: 0 }, shape);
      expect(monthlyCost(idle, shape).total).toBeLessThan(1);
    }
  });
});

describe('the estimate of operations', () => {
  const at = (eventsPerSecond: number, more = {}) =>
    operationsOf(plan(flights), { ...DEFAULT_LOAD, eventsPerSecond, ...more }, 'functions');

  test('one event alone is one bundle: a root and an outbox document at ingest, root, cell and ids at the stage', () => {
    const slow = at(0.001);
    const idle = at(0);
    // Sweeping while data flows is the rest.
    expect(slow.requests - idle.requests).toBeGreaterThan(0.002);
    expect(slow.writes).toBeGreaterThan(0.005);
  });

  test('a tenfold rate makes far fewer than ten times the writes, since commits gather', () => {
    expect(at(1_000).writes / at(100).writes).toBeLessThan(5);
  });

  test('more keys change more cells', () => {
    expect(at(100, { keys: 10_000 }).writes).toBeGreaterThan(at(100, { keys: 10 }).writes);
  });

  test('services need no more instances than functions', () => {
    const services = operationsOf(plan(flights), { ...DEFAULT_LOAD, eventsPerSecond: 100 }, 'services');
    expect(services.busyInstances).toBeLessThan(at(100).busyInstances);
  });
});
