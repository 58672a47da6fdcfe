/**
 * The numbers that a root has given to one target and does not know to be taken, as a few ranges in order. Invariant: each
 * range names the outbox documents that its envelopes can be published from again, and no earlier timestamp than its own is
 * among them, whatever was joined.
 */
import { type EpochMillis, earlier } from '../../model/time.ts';

/** Numbers given to one target that are not yet known to be taken. */
export interface OpenRange {
  readonly from: number;
  readonly to: number;
  /** No element in these envelopes has an earlier timestamp. */
  readonly earliest: EpochMillis;
  /** Processing time at which the first of them was given; republishing backs off by this age. */
  readonly born: EpochMillis;
  /** The outbox documents `firstDocument..lastDocument` hold the envelopes (and possibly others). */
  readonly firstDocument: number;
  readonly lastDocument: number;
}

/** How many open ranges a target keeps before the two oldest are joined. */
const MAX_OPEN_RANGES = 8;

/** Adds a range at the end; joins it with its neighbour of the same document, and the two oldest when there are too many. */
export function withOpen(open: readonly OpenRange[], range: OpenRange): readonly OpenRange[] {
  const last = open.at(-1);
  if (last !== undefined && last.lastDocument === range.firstDocument) return [...open.slice(0, -1), join(last, range)];
  if (open.length < MAX_OPEN_RANGES) return [...open, range];
  return [join(open[0]!, open[1]!), ...open.slice(2), range];
}

function join(first: OpenRange, second: OpenRange): OpenRange {
  return {
    from: first.from,
    to: second.to,
    earliest: earlier(first.earliest, second.earliest),
    born: first.born,
    firstDocument: first.firstDocument,
    lastDocument: second.lastDocument,
  };
}
