/**
 * The watermark holds of one root: a multiset of instants, one for each cell that holds the watermark back.
 * Invariant: a cell removes exactly the stamp that it put in. To keep the root small the multiset is a bounded list of
 * buckets; when buckets are joined the joint one holds at its smallest instant until all its members are gone, which is
 * early and so always safe.
 */
import { type EpochMillis, MAX_TIMESTAMP } from '../../model/time.ts';

/** Every stamp in `[low, high]` that was put into this bucket, `count` of them. Sorted, disjoint. */
export interface HoldBucket {
  readonly low: EpochMillis;
  readonly high: EpochMillis;
  readonly count: number;
}
export type Holds = readonly HoldBucket[];

export const NO_HOLDS: Holds = [];

/** How many buckets a root keeps. The earliest ones stay exact; later neighbours are joined first. */
const MAX_BUCKETS = 96;
const EXACT_BUCKETS = 32;

/** The earliest instant that is held, or `MAX_TIMESTAMP`. */
export function earliestHold(holds: Holds): EpochMillis {
  return holds[0]?.low ?? MAX_TIMESTAMP;
}

const NOTHING_CHANGED: HoldBucket[] = [];

/** Changes to a root's holds during one bundle. */
export class HoldsDraft {
  readonly #before: Holds;
  /** Its own list from the first change on. */
  #buckets: HoldBucket[] = NOTHING_CHANGED;

  constructor(holds: Holds) {
    this.#before = holds;
  }

  /** Moves one cell's stamp from `before` to `after`; either may be absent. */
  move(before: EpochMillis | undefined, after: EpochMillis | undefined): void {
    if (before === after) return;
    if (this.#buckets === NOTHING_CHANGED) this.#buckets = [...this.#before];
    if (after !== undefined) this.#add(after);
    if (before !== undefined) this.#remove(before);
  }

  finish(): Holds {
    if (this.#buckets === NOTHING_CHANGED) return this.#before;
    while (this.#buckets.length > MAX_BUCKETS) this.#joinClosest();
    return this.#buckets;
  }

  #add(stamp: EpochMillis): void {
    const at = this.#indexOf(stamp);
    const bucket = this.#buckets[at];
    if (bucket !== undefined && bucket.low <= stamp) this.#buckets[at] = { ...bucket, count: bucket.count + 1 };
    else this.#buckets.splice(at, 0, { low: stamp, high: stamp, count: 1 });
  }

  #remove(stamp: EpochMillis): void {
    const at = this.#indexOf(stamp);
    const bucket = this.#buckets[at];
    if (bucket === undefined || bucket.low > stamp) throw new Error(`no hold at ${stamp} to remove`);
    if (bucket.count === 1) this.#buckets.splice(at, 1);
    else this.#buckets[at] = { ...bucket, count: bucket.count - 1 };
  }

  /** The first bucket that ends at or after `stamp`: the one that contains it, or the place to insert. */
  #indexOf(stamp: EpochMillis): number {
    let low = 0;
    let high = this.#buckets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#buckets[middle]!.high < stamp) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #joinClosest(): void {
    let best = EXACT_BUCKETS;
    let bestGap = Number.POSITIVE_INFINITY;
    for (let i = EXACT_BUCKETS; i + 1 < this.#buckets.length; i++) {
      const gap = this.#buckets[i + 1]!.high - this.#buckets[i]!.low;
      if (gap < bestGap) {
        best = i;
        bestGap = gap;
      }
    }
    const [first, second] = this.#buckets.splice(best, 2) as [HoldBucket, HoldBucket];
    this.#buckets.splice(best, 0, { low: first.low, high: second.high, count: first.count + second.count });
  }
}
