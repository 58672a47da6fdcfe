/**
 * How much of a key lies in its cell, and how what outgrows it is cut into parts. Tests lower the numbers, so that little
 * state goes all the ways of much.
 */
export interface CellLimits {
  /** A cell above this many characters moves what it can into parts, until it has about half of it. */
  readonly spillAbove: number;
  /** A leaf of texts by key that grows beyond this many characters is split. */
  readonly leaf: number;
  /** Changes are worked into the leaves at once when they reach no more of them; else they become a run beside them. */
  readonly leavesAtOnce: number;
  /** Beyond so many runs a stretch of their keys is worked in with each new one. */
  readonly runs: number;
  /** How many leaves a stretch has, of base and runs together. */
  readonly stretch: number;
  /** How many timers of each clock stay in the cell when the others move, which they do from twice as many on. */
  readonly timersNear: number;
  /** The same of elements that wait for their turn. */
  readonly elementsNear: number;
}

export const CELL_LIMITS: CellLimits = {
  spillAbove: 32_000,
  leaf: 16_000,
  leavesAtOnce: 20,
  runs: 8,
  stretch: 16,
  timersNear: 100,
  elementsNear: 50,
};
