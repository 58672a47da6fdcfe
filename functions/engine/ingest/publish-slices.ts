/**
 * How far the event times of a source's messages have come, by the time at which they were published. Invariant: whatever
 * is joined, a slice's `largest` is the event time of some message published before its `to`; so a slice may be counted
 * once everything published before its `to` is known, and joining slices only delays that. All functions are pure.
 */
import { type EpochMillis, earlier, later, MIN_TIMESTAMP, type Millis, plus } from '../../model/time.ts';

/** Messages published in `[from, to)`. */
export interface PublishSlice {
  readonly from: EpochMillis;
  readonly to: EpochMillis;
  /** The largest event time among them that moves the watermark. */
  readonly largest: EpochMillis;
}
/** In order of `from`. */
export type PublishSlices = readonly PublishSlice[];

/** What a message adds. */
export interface Publication {
  readonly publishTime: EpochMillis;
  /** The event time as far as it moves the watermark (see `Decoded.advances`). */
  readonly advances: EpochMillis;
}

/** How many slices a root keeps; a long backlog joins neighbours, so that all of it stays covered evenly. */
export const MAX_SLICES = 64;

/** The slices with a bundle's messages added. @param length how long a new slice is */
export function withPublications(
  slices: PublishSlices,
  publications: Iterable<Publication>,
  length: Millis,
): PublishSlices {
  const result = [...slices];
  for (const { publishTime, advances } of publications) {
    const at = result.findIndex((slice) => slice.from <= publishTime && publishTime < slice.to);
    if (at >= 0) {
      const slice = result[at]!;
      if (advances > slice.largest) result[at] = { ...slice, largest: advances };
      continue;
    }
    const from = (Math.floor(publishTime / length) * length) as EpochMillis;
    result.push({ from, to: plus(from, length), largest: advances });
  }
  return joinClosest(sorted(result));
}

/** The slices of several roots together. */
export function mergedSlices(lists: Iterable<PublishSlices>): PublishSlices {
  const merged: PublishSlice[] = [];
  for (const slice of sorted([...lists].flat())) {
    const last = merged.at(-1);
    if (last === undefined || slice.from >= last.to) merged.push(slice);
    else merged[merged.length - 1] = join(last, slice);
  }
  return joinClosest(merged);
}

/** Makes one slice of all that end at `counted` or before, and so count for ever. */
export function foldedSlices(slices: PublishSlices, counted: EpochMillis): PublishSlices {
  const over = slices.filter((slice) => slice.to <= counted);
  if (over.length < 2) return slices;
  return [over.reduce(join), ...slices.filter((slice) => slice.to > counted)];
}

/** The largest event time in slices that end at `counted` or before; `MIN_TIMESTAMP` when there is none. */
export function largestCounted(slices: PublishSlices, counted: EpochMillis): EpochMillis {
  let largest: EpochMillis = MIN_TIMESTAMP;
  for (const slice of slices) if (slice.to <= counted) largest = later(largest, slice.largest);
  return largest;
}

/** Joins the neighbours that together are shortest until few enough are left. */
function joinClosest(slices: PublishSlice[]): PublishSlice[] {
  while (slices.length > MAX_SLICES) {
    let best = 0;
    for (let i = 1; i + 1 < slices.length; i++) if (spanFrom(slices, i) < spanFrom(slices, best)) best = i;
    slices.splice(best, 2, join(slices[best]!, slices[best + 1]!));
  }
  return slices;
}

function spanFrom(slices: PublishSlices, i: number): number {
  return slices[i + 1]!.to - slices[i]!.from;
}

function join(a: PublishSlice, b: PublishSlice): PublishSlice {
  return { from: earlier(a.from, b.from), to: later(a.to, b.to), largest: later(a.largest, b.largest) };
}

function sorted(slices: PublishSlice[]): PublishSlice[] {
  return slices.sort((a, b) => a.from - b.from || a.to - b.to);
}
