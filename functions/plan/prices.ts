/**
 * List prices of the parts that a pipeline runs on, in US dollars, for a Tier 1 region (us-central1), in one place.
 * They are copied by hand and change: check them against the providers' pages before a decision hangs on them.
 *
 * Units are those in which the bills are written: a GiB is 2^30 bytes, a TiB 2^40, a month 730 hours.
 */

export const PRICES = {
  /** When somebody last compared this file with the price pages. */
  asOf: '2026-08',
  currency: 'USD',
  functions: {
    /** Per million requests; one push is one request. */
    millionRequests: 0.4,
    /** A vCPU for a second while at least one request is open, under request-based billing. */
    vcpuSecond: 0.000024,
    /** A GiB of memory for a second, likewise. */
    gibSecond: 0.0000025,
    freeRequestsAMonth: 2_000_000,
    freeVcpuSecondsAMonth: 180_000,
    freeGibSecondsAMonth: 360_000,
  },
  pubSub: {
    /** Per TiB published, and again per TiB delivered. */
    tib: 40,
    /** Each publish, push or pull request counts at least so many bytes. */
    leastBytesARequest: 1_000,
    freeBytesAMonth: 10 * 2 ** 30,
    /** What is not acknowledged within a day, per GiB and month. */
    retainedGibMonth: 0.27,
  },
  firestore: {
    /** Standard edition, one region. Per 100,000 documents. */
    reads: 0.03,
    writes: 0.09,
    deletes: 0.01,
    per: 100_000,
    gibMonth: 0.15,
    /** A day, for one database of the project. */
    freeReadsADay: 50_000,
    freeWritesADay: 20_000,
    freeDeletesADay: 20_000,
  },
  bigQuery: {
    /** Per TiB that queries read, on demand; a MERGE reads the partitions that it updates. */
    tibScanned: 6.25,
    freeTibAMonth: 1,
    /** Each query counts at least so many bytes for each table. */
    leastBytesAQuery: 10 * 2 ** 20,
    gibMonth: 0.02,
  },
  scheduler: {
    /** Per job and month; the first three of a billing account are free. */
    jobMonth: 0.1,
    freeJobs: 3,
  },
  logging: {
    /** Per GiB taken in, after the free part of the project. */
    gib: 0.5,
    freeGibAMonth: 50,
  },
  monitoring: {
    /** Per million time series that a read of the API returns. */
    millionSeriesRead: 0.5,
    freeSeriesReadAMonth: 1_000_000,
  },
  /** What the smallest streaming job of Dataflow costs a month (1 worker, 2 vCPU, 7.5 GB), to compare. */
  dataflowSmallestMonth: 120,
} as const;

export const SECONDS_A_MONTH = 730 * 3_600;
export const DAYS_A_MONTH = SECONDS_A_MONTH / 86_400;

/** Dollars for so many Firestore operations at list price; what is free is not taken off. */
export function firestoreDollars(operations: { reads: number; writes: number; deletes: number }): number {
  const { reads, writes, deletes, per } = PRICES.firestore;
  return (operations.reads * reads + operations.writes * writes + operations.deletes * deletes) / per;
}

/** Dollars for function requests and the seconds in which instances were busy; what is free is not taken off. */
export function functionDollars(use: { requests: number; vcpuSeconds: number; gibSeconds: number }): number {
  const { millionRequests, vcpuSecond, gibSecond } = PRICES.functions;
  return (use.requests / 1_000_000) * millionRequests + use.vcpuSeconds * vcpuSecond + use.gibSeconds * gibSecond;
}

/** Dollars for bytes through Pub/Sub, published and delivered counted apart; what is free is not taken off. */
export function pubSubDollars(bytes: number): number {
  return (bytes / 2 ** 40) * PRICES.pubSub.tib;
}
