/**
 * Combining: how many values of a key and window become one. Invariant: an accumulator is plain JSON (it is stored and
 * sent), `merge` is associative and commutative up to `extract`, and only the first argument of `add` and `merge` may be
 * changed in place (catalogue C05).
 */

/** Beam's CombineFn. `Acc` must survive JSON: no `Date`, `Map`, `bigint`, `NaN`. */
export interface CombineFn<In, Acc, Out> {
  /** A fresh, empty accumulator; never shared. */
  create(): Acc;
  /** Adds one value; may change `accumulator` and return it. */
  add(accumulator: Acc, value: In): Acc;
  /** Merges `from` into `into`; may change `into` only. */
  merge(into: Acc, from: Acc): Acc;
  /** The result so far; must not change the accumulator. */
  extract(accumulator: Acc): Out;
}
