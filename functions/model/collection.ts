/**
 * Collections: the fluent, typed way to write a pipeline. Invariant: a collection is an immutable handle; each transform
 * adds one node to the pipeline and returns a new handle. What cannot work is refused here, in a sentence.
 */
import { plainFunction } from './author-function.ts';
import { checkedCombine, collect, type CombineFn } from './combine.ts';
import type { DoFn, ElementContext, SideDoFn, Tag } from './dofn.ts';
import { ConfigurationError } from './errors.ts';
import type { GraphBuilder } from './graph-builder.ts';
import {
  LATE_OUTPUT,
  MAIN_OUTPUT,
  type Node,
  type ReduceNode,
  type Ref,
  type StatefulNode,
  type ViewShape,
} from './graph.ts';
import type { Instant } from './instant.ts';
import type { Key, KV } from './key.ts';
import type { LateRecord } from './late.ts';
import { checkOptions } from './options.ts';
import { addParDo, type ParDoOptions } from './par-do.ts';
import { type BigQueryOptions, bigQueryNode, type PubSubSinkOptions, pubSubSinkNode } from './sinks.ts';
import type { StateSpecs } from './state.ts';
import {
  addStateful,
  type AnyStatefulDoFn,
  type SideStatefulDoFn,
  type StatefulDoFn,
  type StatefulOptions,
} from './stateful.ts';
import type { Columns } from './table.ts';
import { type Duration, millis } from './time.ts';
import { type EnrichOptions, enrichNode } from './transforms/enrich.ts';
import { type BatchOptions, batchesDoFn, batchPolicy } from './transforms/batches.ts';
import { type DeduplicateOptions, deduplicateNode } from './transforms/deduplicate.ts';
import { type CombineOptions, combineOfParts, combineParts, fanoutParts, partsStrategy } from './transforms/fanout.ts';
import { latestByTimestamp, type Stamped } from './transforms/latest.ts';
import { type SpreadKey, spreadOver } from './transforms/spread.ts';
import { stampingDoFn } from './transforms/with-timestamps.ts';
import type { TimerSpecs } from './timers.ts';
import {
  type SideInputs,
  type SideMap,
  type SideMultimap,
  type SingletonOptions,
  type View,
  viewNode,
  type ViewOptions,
} from './views.ts';
import { afterGrouping, checkGroupable, rewindow, type WindowOptions, type WindowingStrategy } from './windowing.ts';
import type { WindowFn } from './windows.ts';

/** A list of as many as `N` says, where it says a number that is known. */
type ListOf<T, N extends number, Parts extends readonly T[] = readonly []> = number extends N
  ? readonly T[]
  : Parts['length'] extends N
    ? Parts
    : ListOf<T, N, readonly [...Parts, T]>;

/** A bounded or unbounded collection of elements of type `T`. */
export class PCollection<T> {
  /** @internal */ readonly builder: GraphBuilder;
  /** @internal */ readonly ref: Ref;
  /** @internal */ readonly strategy: WindowingStrategy;
  /** @internal */ readonly bounded: boolean;

  /** @internal */
  constructor(builder: GraphBuilder, ref: Ref, strategy: WindowingStrategy, bounded: boolean) {
    this.builder = builder;
    this.ref = ref;
    this.strategy = strategy;
    this.bounded = bounded;
  }

  /** One output for each element. */
  map<U>(name: string, fn: (value: T, context: ElementContext) => U): PCollection<U> {
    return this.derive<U>({ kind: 'map', name, inputs: [this.ref], fn: plainFunction(`map '${name}'`, fn) as never });
  }

  /** Any number of outputs for each element. */
  flatMap<U>(name: string, fn: (value: T, context: ElementContext) => Iterable<U>): PCollection<U> {
    return this.derive<U>({
      kind: 'flatMap',
      name,
      inputs: [this.ref],
      fn: plainFunction(`flatMap '${name}'`, fn) as never,
    });
  }

  /** Only the elements for which `fn` is true. */
  filter(name: string, fn: (value: T, context: ElementContext) => boolean): this {
    return this.same({ kind: 'filter', name, inputs: [this.ref], fn: plainFunction(`filter '${name}'`, fn) as never });
  }

  /** Gives each element a key, such as a text or `[customer, month]`; everything that groups or keeps state works on keys. */
  keyBy<const K extends Key>(name: string, fn: (value: T, context: ElementContext) => K): KeyedPCollection<K, T> {
    const keyOf = plainFunction(`keyBy '${name}'`, fn);
    const toPair =
      keyOf.length < 2
        ? (value: T) => ({ key: (keyOf as (value: T) => K)(value), value })
        : (value: T, context: ElementContext) => ({ key: keyOf(value, context), value });
    const node = this.builder.add({ kind: 'map', name, inputs: [this.ref], fn: toPair as never });
    return new KeyedPCollection<K, T>(this.builder, main(node), this.strategy, this.bounded);
  }

  /** The author's own code, with any number of outputs, lifecycle, further outputs by tag, and views beside. */
  parDo<U, const S extends SideInputs>(
    name: string,
    doFn: SideDoFn<T, U, S> | (() => SideDoFn<T, U, S>),
    options: ParDoOptions & { readonly sideInputs: S },
  ): ParDoResult<U>;
  parDo<U>(name: string, doFn: DoFn<T, U> | (() => DoFn<T, U>), options?: ParDoOptions): ParDoResult<U>;
  parDo<U>(name: string, doFn: DoFn<T, U> | (() => DoFn<T, U>), options: ParDoOptions = {}): ParDoResult<U> {
    const keyed = this instanceof KeyedPCollection;
    return this.parDoResult(addParDo(this.builder, name, this.ref, this.strategy, keyed, doFn, options));
  }

  /** A view of the one element that each window has; see `latest` for what has several. */
  asSingleton<D = never>(name: string, options: SingletonOptions<D> = {}): View<T | D> {
    return this.view(name, 'singleton', options);
  }

  /** A view of all elements of a window, in memory. The list is immutable. */
  asList(name: string, options: ViewOptions = {}): View<readonly T[]> {
    return this.view(name, 'list', options);
  }

  /** A view of all elements of a window, read a chunk at a time. */
  asIterable(name: string, options: ViewOptions = {}): View<AsyncIterable<T>> {
    return this.view(name, 'iterable', options);
  }

  /** Splits into `count` collections; `fn` says into which each element goes, from 0 to `count - 1`. */
  partition<const N extends number>(
    name: string,
    count: N,
    fn: (value: T, context: ElementContext) => number,
  ): ListOf<this, N> {
    if (!Number.isInteger(count) || count < 1)
      throw new ConfigurationError(`partition '${name}': expected a count of 1 or more, got ${count}`);
    const part = plainFunction(`partition '${name}'`, fn);
    const node = this.builder.add({ kind: 'partition', name, inputs: [this.ref], count, fn: part as never });
    return Array.from({ length: count }, (_, i) => this.at({ node, output: String(i) }, this.strategy)) as ListOf<
      this,
      N
    >;
  }

  /** Assigns elements to windows, and says when and how often each window's result is emitted. */
  window(name: string, windowFn: WindowFn, options: WindowOptions = {}): this {
    const strategy = rewindow(`window '${name}'`, this.strategy, windowFn, options);
    const node = this.builder.add({ kind: 'window', name, inputs: [this.ref], windowFn });
    return this.at(main(node), strategy);
  }

  /**
   * Gives each element the timestamp that `at` says; it is put into windows by a `window(…)` behind it.
   * @param options.allowedSkew how much earlier than before the new timestamp may be; default zero. What goes back may be late
   */
  withTimestamps(name: string, at: (value: T) => Instant, options: { allowedSkew?: Duration } = {}): this {
    checkOptions(`withTimestamps '${name}'`, options, { allowedSkew: true });
    const allowedSkew = millis(`withTimestamps '${name}' allowedSkew`, options.allowedSkew ?? 0);
    const doFn = stampingDoFn(name, at);
    const makeDoFn = () => doFn as DoFn<unknown, unknown>;
    return this.same({ kind: 'parDo', name, inputs: [this.ref], makeDoFn, outputs: [], allowedSkew });
  }

  /** Lets of several elements that are the same only the first pass. @throws {ConfigurationError} for windows that merge */
  deduplicate(name: string, options: DeduplicateOptions<T> = {}): this {
    const keyed = this instanceof KeyedPCollection;
    return this.same(deduplicateNode(name, this.ref, this.strategy, keyed, options));
  }

  /** Spreads elements over the shards of a stage of its own; timestamps, windows and panes stay as they are. */
  reshuffle(name: string): this {
    const keyed = this instanceof KeyedPCollection;
    return this.same({ kind: 'reshuffle', name, inputs: [this.ref], keyed });
  }

  /** The element of a window with the largest timestamp. */
  latestGlobally(name: string): Grouped<T | null, Stamped<T>> {
    return this.map(`${name}-stamped`, stamped<T>).combineGlobally(name, latestByTimestamp<T>());
  }

  /** Combines all elements of a window into one. */
  combineGlobally<Acc, Out>(name: string, combine: CombineFn<T, Acc, Out>): Grouped<Out, T> {
    const keyed = this.keyBy(`${name}-key`, () => null);
    const combined = keyed.combinePerKey(name, combine);
    const node = this.builder.add({
      kind: 'map',
      name: `${name}-value`,
      inputs: [combined.ref],
      fn: ((pair: KV<null, Out>) => pair.value) as never,
    });
    return new Grouped<Out, T>(this.builder, main(node), combined.strategy, this.bounded, combined.ref.node);
  }

  /**
   * Shows each element to a model on its way: Vertex AI's endpoints, Gemini, embeddings. In batches, each element once, at
   * one rate for the whole pipeline; what the model refuses is a dead letter. See `model/transforms/enrich.ts`.
   */
  enrichWithModel<P, Out = { readonly value: T; readonly prediction: P }>(
    name: string,
    options: EnrichOptions<T, P, Out>,
  ): PCollection<Out> {
    return this.derive<Out>(enrichNode(name, this.ref, options));
  }

  /** Writes each element as a row; of a key, the row of the newest pane stays. */
  writeBigQuery<const C extends Columns>(name: string, options: BigQueryOptions<T, C>): void {
    this.builder.add(bigQueryNode(name, this.ref, options));
  }

  /** Publishes each element as a message, under a stable id attribute. */
  writePubSub(name: string, options: PubSubSinkOptions<T>): void {
    this.builder.add(pubSubSinkNode(name, this.ref, options));
  }

  /** @internal */
  protected view<V>(name: string, shape: ViewShape, options: SingletonOptions<unknown>): View<V> {
    return { node: this.builder.add(viewNode(name, this.ref, this, shape, options)) };
  }

  private parDoResult<U>(node: Node): ParDoResult<U> {
    return new ParDoResult<U>(this.builder, main(node), this.strategy, this.bounded);
  }

  /** @internal */
  protected derive<U>(node: Node): PCollection<U> {
    return new PCollection<U>(this.builder, main(this.builder.add(node)), this.strategy, this.bounded);
  }

  /** @internal The same kind of collection behind another node. */
  protected same(node: Node): this {
    return this.at(main(this.builder.add(node)), this.strategy);
  }

  /** @internal */
  protected at(ref: Ref, strategy: WindowingStrategy): this {
    return new PCollection<T>(this.builder, ref, strategy, this.bounded) as this;
  }
}

/** A collection of keyed elements. */
export class KeyedPCollection<K extends Key, V> extends PCollection<KV<K, V>> {
  /** Changes the value and keeps the key. */
  mapValues<U>(name: string, fn: (value: V, key: K) => U): KeyedPCollection<K, U> {
    const changed = plainFunction(`mapValues '${name}'`, fn);
    const toPair = (pair: KV<K, V>) => ({ key: pair.key, value: changed(pair.value, pair.key) });
    return new KeyedPCollection<K, U>(
      this.builder,
      this.derive(this.mapNode(name, toPair)).ref,
      this.strategy,
      this.bounded,
    );
  }

  values(name: string): PCollection<V> {
    return this.derive<V>(this.mapNode(name, (pair: KV<K, V>) => pair.value));
  }

  /** All values of a key and window, as the trigger emits them. */
  groupByKey(name: string): GroupedByKey<K, V[], V> {
    return this.reduce(name, collect<V>(), false);
  }

  /** One combined value for each key and window, as the trigger emits them. */
  combinePerKey<Acc, Out>(
    name: string,
    combine: CombineFn<V, Acc, Out>,
    options: CombineOptions<K> = {},
  ): GroupedByKey<K, Out, V> {
    checkOptions<CombineOptions<K>>(`combinePerKey '${name}'`, options, { hotKeyFanout: true });
    if (options.hotKeyFanout === undefined) return this.reduce(name, combine, true);
    checkGroupable(`'${name}'`, this.strategy, this.bounded);
    const parts = fanoutParts(name, this.strategy, options.hotKeyFanout);
    const spread = this.derive<KV<SpreadKey<K>, V>>(this.mapNode(`${name}-spread`, spreadOver(parts) as never)).ref;
    const ofParts = new KeyedPCollection<SpreadKey<K>, V>(this.builder, spread, this.strategy, this.bounded);
    const inner = ofParts.reduce(`${name}-parts`, combineOfParts(combine), true, partsStrategy(this.strategy));
    const keyed = inner.derive(inner.mapNode(`${name}-whole`, ({ key, value }) => ({ key: key[0], value }))).ref;
    const whole = new KeyedPCollection<K, Acc>(this.builder, keyed, this.strategy, this.bounded);
    const { ref, strategy } = whole.reduce(name, combineParts(combine as CombineFn<unknown, Acc, Out>), true);
    return new GroupedByKey<K, Out, V>(this.builder, ref, strategy, this.bounded, inner);
  }

  /** Of each key and window the value with the largest timestamp. */
  latestPerKey(name: string): GroupedByKey<K, V | null, Stamped<V>> {
    const toStamped = ({ key, value }: KV<K, V>, { timestamp }: ElementContext) => ({
      key,
      value: { value, timestamp },
    });
    const { ref } = this.derive({ kind: 'map', name: `${name}-stamped`, inputs: [this.ref], fn: toStamped as never });
    const stampedByKey = new KeyedPCollection<K, Stamped<V>>(this.builder, ref, this.strategy, this.bounded);
    return stampedByKey.combinePerKey(name, latestByTimestamp<V>());
  }

  /** Batches of a key's and window's values. Each has the smallest timestamp of its elements, which holds the watermark. */
  groupIntoBatches(name: string, options: BatchOptions<V>): KeyedPCollection<K, readonly V[]> {
    const policy = batchPolicy(name, options);
    const skew = { allowedSkew: Number.MAX_SAFE_INTEGER };
    if (policy.shards === 1) {
      const { ref } = this.statefulParDo(name, batchesDoFn<K, V>(policy, this.strategy), skew);
      return new KeyedPCollection(this.builder, ref, this.strategy, this.bounded);
    }
    const spread = this.derive(this.mapNode(`${name}-spread`, spreadOver(() => policy.shards) as never)).ref;
    const parts = new KeyedPCollection<SpreadKey<K>, V>(this.builder, spread, this.strategy, this.bounded);
    const batches = parts.statefulParDo(name, batchesDoFn<SpreadKey<K>, V>(policy, this.strategy), skew);
    const { ref } = batches.map(`${name}-whole`, ({ key, value }) => ({ key: key[0], value }));
    return new KeyedPCollection(this.builder, ref, this.strategy, this.bounded);
  }

  /** A view by key, of one value each; two of one key are refused (SI09). */
  asMap(name: string, options: ViewOptions = {}): View<SideMap<K, V>> {
    return this.view(name, 'map', options);
  }

  /** A view by key, of any number of values each. */
  asMultimap(name: string, options: ViewOptions = {}): View<SideMultimap<K, V>> {
    return this.view(name, 'multimap', options);
  }

  /**
   * The author's own code with state and timers for each key and window, and views beside.
   * @throws {ConfigurationError} for windows that merge, and for what is declared badly
   */
  statefulParDo<
    Out,
    const Views extends SideInputs,
    S extends StateSpecs = Record<never, never>,
    T extends TimerSpecs = Record<never, never>,
  >(
    name: string,
    doFn: SideStatefulDoFn<K, V, Out, S, T, Views> | (() => SideStatefulDoFn<K, V, Out, S, T, Views>),
    options: StatefulOptions & { readonly sideInputs: Views },
  ): StatefulResult<K, V, Out>;
  statefulParDo<Out, S extends StateSpecs = Record<never, never>, T extends TimerSpecs = Record<never, never>>(
    name: string,
    doFn: StatefulDoFn<K, V, Out, S, T> | (() => StatefulDoFn<K, V, Out, S, T>),
    options?: StatefulOptions,
  ): StatefulResult<K, V, Out>;
  statefulParDo<Out>(
    name: string,
    doFn: AnyStatefulDoFn | (() => AnyStatefulDoFn),
    options: StatefulOptions = {},
  ): StatefulResult<K, V, Out> {
    const node = addStateful(this.builder, name, this.ref, this.strategy, doFn, options);
    return new StatefulResult<K, V, Out>(this.builder, main(node), this.strategy, this.bounded);
  }

  private reduce<Acc, Out>(
    name: string,
    combine: CombineFn<V, Acc, Out>,
    liftable: boolean,
    strategy = this.strategy,
  ): GroupedByKey<K, Out, V> {
    checkGroupable(`'${name}'`, strategy, this.bounded);
    const node = this.builder.add({
      kind: 'reduce',
      name,
      inputs: [this.ref],
      strategy,
      combine: checkedCombine(`'${name}'`, combine) as CombineFn<unknown, unknown, unknown>,
      liftable,
    });
    return new GroupedByKey<K, Out, V>(this.builder, main(node), afterGrouping(strategy), this.bounded);
  }

  private mapNode(name: string, fn: (pair: KV<K, V>) => unknown): Node {
    return { kind: 'map', name, inputs: [this.ref], fn: fn as never };
  }

  protected override at(ref: Ref, strategy: WindowingStrategy): this {
    return new KeyedPCollection<K, V>(this.builder, ref, strategy, this.bounded) as this;
  }
}

/** What a grouping step emits, with a way to read what came too late. */
export class GroupedByKey<K extends Key, Out, In> extends KeyedPCollection<K, Out> {
  /** Where a key is combined in parts, those: they are what may be too late for. */
  readonly #parts: GroupedByKey<SpreadKey<K>, unknown, In> | undefined;

  /** @internal */
  constructor(
    builder: GraphBuilder,
    ref: Ref,
    strategy: WindowingStrategy,
    bounded: boolean,
    parts?: GroupedByKey<SpreadKey<K>, unknown, In>,
  ) {
    super(builder, ref, strategy, bounded);
    this.#parts = parts;
  }

  /** The elements that this step takes no more. Unless it is read, they become dead letters of class `LATE`. */
  late(): PCollection<LateRecord<K, In>> {
    const whole = (record: LateRecord<SpreadKey<K>, In>): LateRecord<K, In> => ({ ...record, key: record.key[0] });
    if (this.#parts !== undefined) return this.#parts.late().map(`${this.ref.node.name}-late`, whole);
    return new PCollection(this.builder, { node: this.ref.node, output: LATE_OUTPUT }, this.strategy, this.bounded);
  }

  protected override at(ref: Ref, strategy: WindowingStrategy): this {
    return new KeyedPCollection<K, Out>(this.builder, ref, strategy, this.bounded) as unknown as this;
  }
}

/** What `combineGlobally` emits, with a way to read what came too late. */
export class Grouped<Out, In> extends PCollection<Out> {
  readonly #reduce: Node;
  /** @internal */
  constructor(builder: GraphBuilder, ref: Ref, strategy: WindowingStrategy, bounded: boolean, reduce: Node) {
    super(builder, ref, strategy, bounded);
    this.#reduce = reduce;
  }

  /** A view of the combined value; a window without elements shows what the combine makes of nothing (catalogue C04). */
  override asSingleton<D = never>(name: string, options: SingletonOptions<D> = {}): View<Out | D> {
    const { combine } = this.#reduce as ReduceNode;
    const nothing = combine.extract(combine.create());
    return this.view(name, 'singleton', { default: nothing, ...options });
  }

  /** The elements that this step takes no more. Unless it is read, they become dead letters of class `LATE`. */
  late(): PCollection<LateRecord<null, In>> {
    return new PCollection(this.builder, { node: this.#reduce, output: LATE_OUTPUT }, this.strategy, this.bounded);
  }
}

/** The outputs of a DoFn: itself is the main one. */
export class ParDoResult<U> extends PCollection<U> {
  /** The further output that `tag` names. */
  get<T>(output: Tag<T>): PCollection<T> {
    const node = this.ref.node;
    if ((node.kind !== 'parDo' && node.kind !== 'sideParDo') || !node.outputs.includes(output.name))
      throw new ConfigurationError(
        `parDo '${node.name}' has no output '${output.name}'; declare its tag in { outputs: […] }`,
      );
    return new PCollection<T>(this.builder, { node, output: output.name }, this.strategy, this.bounded);
  }
}

/** The outputs of a stateful DoFn: itself is the main one. */
export class StatefulResult<K extends Key, V, Out> extends PCollection<Out> {
  /** The further output that `tag` names. */
  get<T>(output: Tag<T>): PCollection<T> {
    const node = this.ref.node as StatefulNode;
    if (!node.outputs.includes(output.name))
      throw new ConfigurationError(
        `'${node.name}' has no output '${output.name}'; declare its tag in { outputs: […] }`,
      );
    return new PCollection<T>(this.builder, { node, output: output.name }, this.strategy, this.bounded);
  }

  /** The elements that came after their windows had expired. Unless it is read, they become dead letters of class `LATE`. */
  late(): PCollection<LateRecord<K, V>> {
    return new PCollection(this.builder, { node: this.ref.node, output: LATE_OUTPUT }, this.strategy, this.bounded);
  }
}

function stamped<T>(value: T, { timestamp }: ElementContext): Stamped<T> {
  return { value, timestamp };
}

/** @internal */
export function main(node: Node): Ref {
  return { node, output: MAIN_OUTPUT };
}
