/**
 * The kinds of state that a stateful DoFn can declare. Each is scoped to its step, key and window, and gone when the
 * window expires. Invariant: what is read is a snapshot and what is handed over is copied, so a value that code changes
 * afterwards changes no state; state is never shared.
 *
 * What each costs: a step's state lies in one document a key. State that outgrows it moves into further documents by
 * itself. Adding to a bag, putting into a map and adding to a set read nothing, whatever their size; `get` and `has` read
 * at most one further document; `read`, `entries`, `keys` and `values` read them all.
 */
import { checkedCombine, type CombineFn } from './combine.ts';
import { ConfigurationError } from './errors.ts';
import type { Key } from './key.ts';
import { checkOptions } from './options.ts';
import type { Readable } from './readable.ts';
import { type Duration, type Millis, millis } from './time.ts';

export interface StateOptions {
  /**
   * How long, in processing time, something is kept after it was last written; it is absent from then on. Of a bag, a
   * set and a map each element counts by itself. Default: until the window expires.
   */
  readonly ttl?: Duration;
}

interface SpecBase {
  /** Undefined = until the window expires. */
  readonly ttl: Millis | undefined;
}
export interface ValueSpec<T> extends SpecBase {
  readonly kind: 'value';
  /** Only for the type checker. */
  readonly type?: T;
}
export interface CombiningSpec<In, Out> extends SpecBase {
  readonly kind: 'combining';
  readonly combine: CombineFn<In, unknown, Out>;
}
export interface BagSpec<T> extends SpecBase {
  readonly kind: 'bag';
  readonly type?: T;
}
export interface SetSpec<T extends Key> extends SpecBase {
  readonly kind: 'set';
  readonly type?: T;
}
export interface MapSpec<K extends Key, V> extends SpecBase {
  readonly kind: 'map';
  readonly type?: readonly [K, V];
}

// biome-ignore lint/suspicious/noExplicitAny: specs of any types stand in one declaration
export type StateSpec = ValueSpec<any> | CombiningSpec<any, any> | BagSpec<any> | SetSpec<any> | MapSpec<any, any>;

/** One value, e.g. the last reading. */
export function valueState<T>(options: StateOptions = {}): ValueSpec<T> {
  return { kind: 'value', ttl: ttl('valueState', options) };
}

/** What a combine makes of all that was added; only the accumulator is kept. */
export function combiningState<In, Acc, Out>(
  combine: CombineFn<In, Acc, Out>,
  options: StateOptions = {},
): CombiningSpec<In, Out> {
  if (typeof combine?.add !== 'function')
    throw new ConfigurationError('combiningState(combine): expected a CombineFn, such as sum() or mean()');
  const checked = checkedCombine('combiningState(combine)', combine);
  return {
    kind: 'combining',
    combine: checked as unknown as CombineFn<In, unknown, Out>,
    ttl: ttl('combiningState', options),
  };
}

/** Any number of elements, in the order in which they were added. */
export function bagState<T>(options: StateOptions = {}): BagSpec<T> {
  return { kind: 'bag', ttl: ttl('bagState', options) };
}

/** Different elements, each once; compared as keys are. */
export function setState<T extends Key>(options: StateOptions = {}): SetSpec<T> {
  return { kind: 'set', ttl: ttl('setState', options) };
}

/** Values by key; keys are compared as the keys of elements are. */
export function mapState<K extends Key, V>(options: StateOptions = {}): MapSpec<K, V> {
  return { kind: 'map', ttl: ttl('mapState', options) };
}

export interface ValueState<T> {
  /** The value, or undefined when none was written. */
  read(): T | undefined;
  write(value: T): void;
  clear(): void;
}

export interface CombiningState<In, Out> {
  add(value: In): void;
  /** The result so far; of nothing, what the combine makes of nothing. */
  read(): Out;
  /** Whether nothing was added since it was last cleared. */
  isEmpty(): boolean;
  clear(): void;
}

export interface BagState<T> {
  /** Adds an element. Reads nothing. */
  add(value: T): void;
  /** All elements, as they are now. */
  read(): Promise<readonly T[]>;
  isEmpty(): Readable<boolean>;
  clear(): void;
}

export interface SetState<T extends Key> {
  /** Adds an element. Reads nothing. */
  add(value: T): void;
  /** Adds it if it is absent, whether or not the handle is read. Reads: whether it was absent. */
  addIfAbsent(value: T): Readable<boolean>;
  has(value: T): Readable<boolean>;
  remove(value: T): void;
  /** All elements, as they are now, in no particular order. */
  read(): Promise<readonly T[]>;
  isEmpty(): Readable<boolean>;
  clear(): void;
}

export interface MapState<K extends Key, V> {
  get(key: K): Readable<V | undefined>;
  has(key: K): Readable<boolean>;
  /** Sets the value of a key. Reads nothing. */
  put(key: K, value: V): void;
  /** Sets it if the key is absent, whether or not the handle is read. Reads: the value that was there before, if any. */
  putIfAbsent(key: K, value: V): Readable<V | undefined>;
  /** Sets it to what `compute` gives if the key is absent, whether or not the handle is read. Reads: the value now. */
  computeIfAbsent(key: K, compute: (key: K) => V): Readable<V>;
  remove(key: K): void;
  /** In no particular order, as are `values` and `entries`. */
  keys(): Readable<readonly K[]>;
  values(): Readable<readonly V[]>;
  entries(): Readable<readonly (readonly [K, V])[]>;
  isEmpty(): Readable<boolean>;
  clear(): void;
}

export type StateSpecs = Readonly<Record<string, StateSpec>>;

/** How code sees the state that a spec declares. */
export type StateOf<S extends StateSpec> =
  S extends ValueSpec<infer T>
    ? ValueState<T>
    : S extends CombiningSpec<infer In, infer Out>
      ? CombiningState<In, Out>
      : S extends BagSpec<infer T>
        ? BagState<T>
        : S extends SetSpec<infer T>
          ? SetState<T>
          : S extends MapSpec<infer K, infer V>
            ? MapState<K, V>
            : never;

export type StatesOf<S extends StateSpecs> = { readonly [id in keyof S]: StateOf<S[id]> };

function ttl(factory: string, options: StateOptions): Millis | undefined {
  checkOptions(`${factory}(options)`, options, { ttl: true });
  return options.ttl === undefined ? undefined : millis(`${factory}(ttl)`, options.ttl, 1);
}
