/** From operations a second to dollars a month, at list prices, before anything that is free. */
import type { Shape } from './deployed-functions.ts';
import type { Operations } from './operation-tally.ts';
import { firestoreDollars, functionDollars, PRICES, pubSubDollars, SECONDS_A_MONTH } from './prices.ts';

/** Dollars a month. */
export interface MonthlyCost {
  readonly requests: number;
  /** vCPU and memory of instances that have a request open. */
  readonly instances: number;
  readonly pubSub: number;
  readonly firestore: number;
  readonly bigQuery: number;
  readonly scheduler: number;
  readonly total: number;
}

/** What an instance has, in GiB; a vCPU each. */
const GIB: Readonly<Record<Shape, number>> = { functions: 0.5, services: 1 };

export function monthlyCost(operations: Operations, shape: Shape): MonthlyCost {
  const seconds = operations.busyInstances * SECONDS_A_MONTH;
  const parts = {
    requests: functionDollars({ requests: operations.requests * SECONDS_A_MONTH, vcpuSeconds: 0, gibSeconds: 0 }),
    instances: functionDollars({
      requests: 0,
      vcpuSeconds: seconds,
      gibSeconds: seconds * GIB[shape],
    }),
    pubSub: pubSubDollars(operations.pubSubBytes * SECONDS_A_MONTH),
    firestore: firestoreDollars({
      reads: operations.reads * SECONDS_A_MONTH,
      writes: operations.writes * SECONDS_A_MONTH,
      deletes: operations.deletes * SECONDS_A_MONTH,
    }),
    bigQuery: ((operations.bytesScanned * SECONDS_A_MONTH) / 2 ** 40) * PRICES.bigQuery.tibScanned,
    scheduler: PRICES.scheduler.jobMonth,
  };
  return { ...parts, total: Object.values(parts).reduce((sum, part) => sum + part, 0) };
}
