/**
 * Sets of whole numbers as sorted, disjoint, non-adjacent ranges; what TCP calls selective acknowledgement.
 * Invariant: `ranges[i].to + 1 < ranges[i + 1].from`. All functions are pure.
 */

/** `[from, to]`, both included. */
export type Range = readonly [from: number, to: number];
export type Ranges = readonly Range[];

/** Whether `number` is in the set. */
export function contains(ranges: Ranges | undefined, number: number): boolean {
  return ranges !== undefined && covers(ranges, number, number);
}

/** Whether every number of `[from, to]` is in the set. */
export function covers(ranges: Ranges | undefined, from: number, to: number): boolean {
  if (ranges === undefined) return false;
  for (let i = ranges.length - 1; i >= 0; i--) {
    const [low, high] = ranges[i]!;
    if (low <= from) return to <= high;
  }
  return false;
}

/** The set with `[from, to]` added. */
export function withRange(ranges: Ranges, from: number, to: number = from): Ranges {
  const last = ranges.at(-1);
  if (last === undefined || from > last[1] + 1) return [...ranges, [from, to]];
  if (from >= last[0]) return to <= last[1] ? ranges : [...ranges.slice(0, -1), [last[0], to]];
  const merged: Range[] = [];
  let low = from;
  let high = to;
  let placed = false;
  for (const range of ranges) {
    if (range[1] + 1 < low) merged.push(range);
    else if (high + 1 < range[0]) {
      if (!placed) merged.push([low, high]);
      placed = true;
      merged.push(range);
    } else {
      low = Math.min(low, range[0]);
      high = Math.max(high, range[1]);
    }
  }
  if (!placed) merged.push([low, high]);
  return merged;
}

/** The union of two sets. */
export function union(a: Ranges, b: Ranges): Ranges {
  let result = a;
  for (const [from, to] of b) result = withRange(result, from, to);
  return result;
}

/** How many numbers the set holds. */
export function size(ranges: Ranges): number {
  let total = 0;
  for (const [from, to] of ranges) total += to - from + 1;
  return total;
}
