/**
 * What the commits of a root have counted. Invariant: the numbers change in the very commit that does what they count, so
 * they add up whatever process did it, and however it ended.
 */
export interface Counts {
  readonly elements: number;
  /** Elements of a source that were known already, and left out; `elements` counts them too. */
  readonly duplicates: number;
  readonly late: number;
  readonly deadLetters: number;
  readonly panes: { readonly EARLY: number; readonly ON_TIME: number; readonly LATE: number };
}

export const NO_COUNTS: Counts = {
  elements: 0,
  duplicates: 0,
  late: 0,
  deadLetters: 0,
  panes: { EARLY: 0, ON_TIME: 0, LATE: 0 },
};

/** @returns `a` itself where `b` adds nothing */
export function addCounts(a: Counts, b: Counts): Counts {
  const { EARLY, ON_TIME, LATE } = b.panes;
  if (b.elements + b.duplicates + b.late + b.deadLetters + EARLY + ON_TIME + LATE === 0) return a;
  return {
    elements: a.elements + b.elements,
    duplicates: a.duplicates + b.duplicates,
    late: a.late + b.late,
    deadLetters: a.deadLetters + b.deadLetters,
    panes: { EARLY: a.panes.EARLY + EARLY, ON_TIME: a.panes.ON_TIME + ON_TIME, LATE: a.panes.LATE + LATE },
  };
}

/** What all shards of a stage have counted. */
export function countsOfStage(
  stage: string,
  roots: Iterable<{ readonly id: string; readonly counts?: Counts }>,
): Counts {
  let total = NO_COUNTS;
  for (const { id, counts } of roots)
    if (counts !== undefined && id.slice(0, id.lastIndexOf('~')) === stage) total = addCounts(total, counts);
  return total;
}
