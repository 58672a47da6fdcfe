/**
 * Joins of keyed collections: a tagged union and one grouping. Invariant: a key that is in any input is in the result; an
 * input without it has an empty list there (catalogue G01); inputs whose windows or triggers differ are refused (G02).
 */
import { GroupedByKey, KeyedPCollection, main } from '../collection.ts';
import type { CombineFn } from '../combine.ts';
import { ConfigurationError, PoisonError } from '../errors.ts';
import type { Key, KV } from '../key.ts';
import { afterGrouping, checkGroupable, flattenStrategies } from '../windowing.ts';

// biome-ignore lint/suspicious/noExplicitAny: only `any` accepts collections of every value, whichever way it varies
export type CoGroupInputs<K extends Key> = Readonly<Record<string, KeyedPCollection<K, any>>>;

/** For each input, by its name, the values of one key and window. */
export type CoGroup<I extends CoGroupInputs<Key>> = {
  readonly [name in keyof I]: I[name] extends KeyedPCollection<Key, infer V> ? readonly V[] : never;
};

/** An element of one of the inputs; what late records of a join hold. */
export interface CoGroupElement {
  /** The name of its input. */
  readonly input: string;
  readonly value: unknown;
}

/**
 * All values of a key and window, of several collections.
 * @param inputs two or more, windowed alike, under the names by which the result gives their values
 * @throws {ConfigurationError} for fewer than two inputs, or windows, triggers or accumulation that differ
 * @example coGroupByKey('by-customer', { clicks, purchases })
 */
export function coGroupByKey<K extends Key, const I extends CoGroupInputs<K>>(
  name: string,
  inputs: I & CoGroupInputs<K>,
): GroupedByKey<K, CoGroup<I>, CoGroupElement> {
  const where = `coGroupByKey '${name}'`;
  const entries = Object.entries(inputs) as [string, KeyedPCollection<K, unknown>][];
  if (entries.length < 2) throw new ConfigurationError(`${where}: expected two inputs or more, got ${entries.length}`);
  const collections = entries.map(([, collection]) => collection);
  const strategy = flattenStrategies(
    where,
    collections.map((collection) => collection.strategy),
  );
  const bounded = collections.every((collection) => collection.bounded);
  checkGroupable(where, strategy, bounded);
  const { builder } = collections[0]!;
  const tagged = entries.map(
    ([input, collection], i) =>
      collection.mapValues(`${name}-input-${i + 1}`, (value): CoGroupElement => ({ input, value })).ref,
  );
  const union = builder.add({ kind: 'flatten', name: `${name}-inputs`, inputs: tagged });
  const combine = coGroup(entries.map(([input]) => input)) as CombineFn<unknown, unknown, unknown>;
  const node = builder.add({ kind: 'reduce', name, inputs: [main(union)], strategy, combine, liftable: false });
  return new GroupedByKey(builder, main(node), afterGrouping(strategy), bounded);
}

/** What a join has of one side. */
export interface Joined<L, R> {
  readonly left: L;
  readonly right: R;
}

/** Every pair of a left and a right value of one key and window. */
export function innerJoin<K extends Key, L, R>(
  name: string,
  left: KeyedPCollection<K, L>,
  right: KeyedPCollection<K, R>,
): KeyedPCollection<K, Joined<L, R>> {
  return join(name, left, right, (lefts, rights) => pairs(lefts, rights));
}

/** As `innerJoin`, and each left value of a key without right ones, with `null`. */
export function leftJoin<K extends Key, L, R>(
  name: string,
  left: KeyedPCollection<K, L>,
  right: KeyedPCollection<K, R>,
): KeyedPCollection<K, Joined<L, R | null>> {
  return join(name, left, right, (lefts, rights) => pairs(lefts, orNull(rights)));
}

/** As `innerJoin`, and each value of a key that has none on the other side, with `null`. */
export function fullJoin<K extends Key, L, R>(
  name: string,
  left: KeyedPCollection<K, L>,
  right: KeyedPCollection<K, R>,
): KeyedPCollection<K, Joined<L | null, R | null>> {
  return join(name, left, right, (lefts, rights) => pairs(orNull(lefts), orNull(rights)));
}

/**
 * The one value of a list that should have one.
 * @param options.default what an empty list gives
 * @throws {PoisonError} when there are several, or none and no default
 */
export function onlyOne<T, D = never>(values: readonly T[], options: { readonly default?: D } = {}): T | D {
  if (values.length === 1) return values[0]!;
  if (values.length === 0 && 'default' in options) return options.default as D;
  const remedy = values.length === 0 ? 'give onlyOne a default, or use the list' : 'use the list';
  throw new PoisonError(`expected one value, got ${values.length}; ${remedy}`);
}

function join<K extends Key, L, R, Out>(
  name: string,
  left: KeyedPCollection<K, L>,
  right: KeyedPCollection<K, R>,
  match: (lefts: readonly L[], rights: readonly R[]) => readonly Out[],
): KeyedPCollection<K, Out> {
  const inputs = { left, right };
  const grouped = coGroupByKey<K, typeof inputs>(name, inputs);
  const matched = grouped.flatMap<KV<K, Out>>(`${name}-pairs`, ({ key, value }) =>
    match(value.left, value.right).map((pair) => ({ key, value: pair })),
  );
  return new KeyedPCollection<K, Out>(matched.builder, matched.ref, matched.strategy, matched.bounded);
}

function pairs<L, R>(lefts: readonly L[], rights: readonly R[]): Joined<L, R>[] {
  return lefts.flatMap((left) => rights.map((right) => ({ left, right })));
}

function orNull<T>(values: readonly T[]): readonly (T | null)[] {
  return values.length === 0 ? [null] : values;
}

type Lists = Record<string, unknown[]>;

function coGroup(inputs: readonly string[]): CombineFn<CoGroupElement, Lists, Lists> {
  const create = (): Lists => Object.fromEntries(inputs.map((input) => [input, []]));
  return {
    create,
    add: (lists, { input, value }) => {
      lists[input]!.push(value);
      return lists;
    },
    merge: (into, from) => {
      for (const input of inputs) into[input]!.push(...from[input]!);
      return into;
    },
    // A pane's lists go on growing in an accumulating window.
    extract: (lists) => Object.fromEntries(inputs.map((input) => [input, [...lists[input]!]])),
  };
}
