/**
 * Combining: how many values of a key and window become one. Invariant: an accumulator can be stored and sent (see
 * `CombineFn`), `merge` is associative and commutative up to `extract`, and only the first argument of `add` and `merge` may be
 * changed in place (catalogue C05). The combines below give the same result in whatever order and parts values come,
 * except `collect`, which lists them as they come.
 */
import { optionalFunction, plainFunction, plainValue, syncFunction } from './author-function.ts';
import { ConfigurationError, PoisonError } from './errors.ts';
import { addExactly, type ExactSum, mergeExactly, valueOfSum } from './exact-sum.ts';
import { keyText } from './key.ts';

/**
 * Beam's CombineFn. `Acc` is stored and sent, as elements are: plain JSON, of which nothing is faster, or with `Date`, `Map`,
 * `Set`, `bigint`, bytes or `NaN` in it; no class instances and functions.
 */
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

/** All values, in the order in which they came: what groupByKey does. */
export function collect<T>(): CombineFn<T, T[], T[]> {
  return {
    create: () => [],
    add: (values, value) => {
      values.push(value);
      return values;
    },
    merge: (into, from) => {
      for (const value of from) into.push(value);
      return into;
    },
    extract: (values) => values.slice(),
  };
}

/** How many values there are, or how many of them `where` is true for. */
export function count<T = unknown>(where?: (value: T) => boolean): CombineFn<T, number, number> {
  const counts = optionalFunction('count(where)', where);
  return {
    create: () => 0,
    add: counts === undefined ? (sum) => sum + 1 : (sum, value) => (counts(value) ? sum + 1 : sum),
    merge: (into, from) => into + from,
    extract: (sum) => sum,
  };
}

/** The sum of numbers, or of what `of` gives for each value; 0 of nothing. Exact until it is rounded at the end. */
export function sum(): CombineFn<number, ExactSum, number>;
export function sum<T>(of: (value: T) => number): CombineFn<T, ExactSum, number>;
export function sum(of: (value: never) => number = (value) => value): CombineFn<never, ExactSum, number> {
  syncFunction('sum(of)', of);
  return {
    create: () => 0,
    add: (total, value) => addExactly(total, of(value)),
    merge: mergeExactly,
    extract: valueOfSum,
  };
}

/**
 * A combine whose functions are all there, and give values and no promises.
 * @param what the step or option that takes it, such as `'totals'`
 * @throws {ConfigurationError} naming the function that is not; its functions throw a {@link PoisonError} for a promise
 */
export function checkedCombine<In, Acc, Out>(what: string, combine: CombineFn<In, Acc, Out>): CombineFn<In, Acc, Out> {
  if (typeof combine === 'function')
    throw new ConfigurationError(`${what}: expected a CombineFn, got a function; call it, as in sum()`);
  for (const name of ['create', 'add', 'merge', 'extract'] as const)
    syncFunction(`${what} ${name}`, combine?.[name] as () => unknown);
  return {
    create: () => plainValue(`${what} create`, combine.create()),
    add: (accumulator, value) => plainValue(`${what} add`, combine.add(accumulator, value)),
    merge: (into, from) => plainValue(`${what} merge`, combine.merge(into, from)),
    extract: (accumulator) => plainValue(`${what} extract`, combine.extract(accumulator)),
  };
}

/** The mean of numbers, or of what `of` gives for each value; null of nothing. */
export function mean(): CombineFn<number, [ExactSum, number], number | null>;
export function mean<T>(of: (value: T) => number): CombineFn<T, [ExactSum, number], number | null>;
export function mean(
  of: (value: never) => number = (value) => value,
): CombineFn<never, [ExactSum, number], number | null> {
  syncFunction('mean(of)', of);
  return {
    create: () => [0, 0],
    add: (accumulator, value) => {
      accumulator[0] = addExactly(accumulator[0], of(value));
      accumulator[1]++;
      return accumulator;
    },
    merge: (into, from) => {
      into[0] = mergeExactly(into[0], from[0]);
      into[1] += from[1];
      return into;
    },
    extract: ([total, values]) => (values === 0 ? null : valueOfSum(total) / values),
  };
}

/** The smallest of numbers, or of what `of` gives for each value; null of nothing. */
export function min(): CombineFn<number, number | null, number | null>;
export function min<T>(of: (value: T) => number): CombineFn<T, number | null, number | null>;
export function min(of: (value: never) => number = (value) => value): CombineFn<never, number | null, number | null> {
  return extreme('min', of, (a, b) => a < b);
}

/** The largest of numbers, or of what `of` gives for each value; null of nothing. */
export function max(): CombineFn<number, number | null, number | null>;
export function max<T>(of: (value: T) => number): CombineFn<T, number | null, number | null>;
export function max(of: (value: never) => number = (value) => value): CombineFn<never, number | null, number | null> {
  return extreme('max', of, (a, b) => a > b);
}

function extreme<T>(
  name: string,
  of: (value: T) => number,
  wins: (a: number, b: number) => boolean,
): CombineFn<T, number | null, number | null> {
  syncFunction(`${name}(of)`, of);
  const better = (a: number | null, b: number | null): number | null =>
    a === null || (b !== null && wins(b, a)) ? b : a;
  return {
    create: () => null,
    add: (accumulator, value) => {
      const candidate = of(value);
      if (!Number.isFinite(candidate))
        throw new PoisonError(`${name}: expected a finite number, got ${String(candidate)}`);
      return better(accumulator, candidate);
    },
    merge: better,
    extract: (accumulator) => accumulator,
  };
}

/**
 * The `n` values with the largest `by`, largest first; equal ones by their JSON.
 * @param n how many to keep, from 1
 * @param by what to compare; the value itself unless said otherwise
 */
export function top(n: number): CombineFn<number, number[], number[]>;
export function top<T>(n: number, by: (value: T) => number): CombineFn<T, T[], T[]>;
export function top<T>(n: number, by: (value: T) => number = (value) => value as number): CombineFn<T, T[], T[]> {
  if (!Number.isSafeInteger(n) || n < 1)
    throw new ConfigurationError(`top(n): expected a whole number from 1 and up, got ${n}`);
  const rank = plainFunction('top(by)', by);
  const insert = (best: T[], value: T): T[] => {
    let at = best.length;
    while (at > 0 && ranksBefore(value, best[at - 1]!, rank)) at--;
    if (at < n) best.splice(at, 0, value);
    if (best.length > n) best.pop();
    return best;
  };
  return {
    create: () => [],
    add: insert,
    merge: (into, from) => from.reduce(insert, into),
    extract: (best) => best.slice(),
  };
}

/**
 * The different values, or of what `of` gives for each, every one once, sorted by their JSON. Two are equal when their JSON
 * is, members sorted.
 */
export function distinct<T>(): CombineFn<T, Record<string, T>, T[]>;
export function distinct<T, U>(of: (value: T) => U): CombineFn<T, Record<string, U>, U[]>;
export function distinct<T>(of: (value: T) => T = (value) => value): CombineFn<T, Record<string, T>, T[]> {
  const take = plainFunction('distinct(of)', of);
  return {
    create: () => ({}),
    add: (values, value) => {
      const taken = take(value);
      values[keyText(taken)] = taken;
      return values;
    },
    merge: (into, from) => Object.assign(into, from),
    extract: (values) =>
      Object.keys(values)
        .sort()
        .map((text) => values[text] as T),
  };
}

/**
 * The value with the largest `at`, its event time as a rule; of equal ones the one whose JSON sorts first; null of nothing.
 * @example latest((reading: Reading) => reading.time)
 */
export function latest<T>(at: (value: T) => number): CombineFn<T, [] | [T], T | null> {
  const time = plainFunction('latest(at)', at);
  const better = (a: [] | [T], b: [] | [T]): [] | [T] => {
    if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
    return ranksBefore(b[0], a[0], time) ? b : a;
  };
  return {
    create: () => [],
    add: (accumulator, value) => better(accumulator, [value]),
    merge: better,
    extract: ([value]) => value ?? null,
  };
}

function ranksBefore<T>(a: T, b: T, by: (value: T) => number): boolean {
  const difference = by(a) - by(b);
  return difference !== 0 ? difference > 0 : keyText(a) < keyText(b);
}

type Fields = Readonly<Record<string, CombineFn<unknown, unknown, unknown>>>;
type InputOf<F extends Fields> = {
  [name in keyof F]: F[name] extends CombineFn<infer In, infer _Acc, infer _Out> ? (value: In) => void : never;
}[keyof F] extends (value: infer In) => void
  ? In
  : never;
type ResultOf<F extends Fields> = {
  [name in keyof F]: F[name] extends CombineFn<infer _In, infer _Acc, infer Out> ? Out : never;
};

/**
 * Several combines of the same values, as the fields of one result.
 * @example combineFields({ flights: count(), mean_delay: mean((flight: Flight) => flight.delay) })
 */
export function combineFields<const F extends Fields>(fields: F): CombineFn<InputOf<F>, unknown[], ResultOf<F>> {
  const names = Object.keys(fields);
  const combines = Object.values(fields) as CombineFn<InputOf<F>, unknown, unknown>[];
  if (names.length === 0) throw new ConfigurationError('combineFields(fields): expected at least one field');
  return {
    create: () => {
      const accumulators = new Array<unknown>(combines.length);
      for (let i = 0; i < combines.length; i++) accumulators[i] = combines[i]!.create();
      return accumulators;
    },
    add: (accumulators, value) => {
      for (let i = 0; i < combines.length; i++) accumulators[i] = combines[i]!.add(accumulators[i], value);
      return accumulators;
    },
    merge: (into, from) => {
      for (let i = 0; i < combines.length; i++) into[i] = combines[i]!.merge(into[i], from[i]);
      return into;
    },
    extract: (accumulators) => {
      const result: Record<string, unknown> = {};
      for (let i = 0; i < combines.length; i++) result[names[i]!] = combines[i]!.extract(accumulators[i]);
      return result as ResultOf<F>;
    },
  };
}
