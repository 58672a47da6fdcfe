/**
 * Collections: the fluent, typed way to write a pipeline. Invariant: a collection is an immutable handle; each transform
 * adds one node to the pipeline and returns a new handle. What cannot work is refused here, in a sentence.
 */
import type { CombineFn } from './combine.ts';
import { collect } from './combine.ts';
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
import type { Key, KV } from './key.ts';
import type { LateRecord } from './late.ts';
import { type BigQueryOptions, bigQueryNode, type PubSubSinkOptions, pubSubSinkNode } from './sinks.ts';
import type { StateSpecs } from './state.ts';
import { type StatefulDoFn, type StatefulOptions, statefulNode } from './stateful.ts';
import type { Columns } from './table.ts';
import { type Duration, millis } from './time.ts';
import type { TimerSpecs } from './timers.ts';
import {
  checkSideInputs,
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

export interface ParDoOptions {
  /** The further outputs that the DoFn emits to. */
  readonly outputs?: readonly Tag<unknown>[];
  /** How much earlier than its input's timestamp an output may be. Default zero. */
  readonly allowedSkew?: Duration;
  /** The views that the DoFn reads. An element waits until all of them are ready for its window. */
  readonly sideInputs?: SideInputs;
}

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
    return this.derive<U>({ kind: 'map', name, inputs: [this.ref], fn: fn as never });
  }

  /** Any number of outputs for each element. */
  flatMap<U>(name: string, fn: (value: T, context: ElementContext) => Iterable<U>): PCollection<U> {
    return this.derive<U>({ kind: 'flatMap', name, inputs: [this.ref], fn: fn as never });
  }

  /** Only the elements for which `fn` is true. */
  filter(name: string, fn: (value: T, context: ElementContext) => boolean): this {
    return this.same({ kind: 'filter', name, inputs: [this.ref], fn: fn as never });
  }

  /** Gives each element a key; everything that groups or keeps state works on keys. */
  keyBy<K extends Key>(name: string, fn: (value: T, context: ElementContext) => K): KeyedPCollection<K, T> {
    const toPair =
      fn.length < 2
        ? (value: T) => ({ key: (fn as (value: T) => K)(value), value })
        : (value: T, context: ElementContext) => ({ key: fn(value, context), value });
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
    const makeDoFn = doFnMaker(name, doFn) as () => DoFn<unknown, unknown>;
    const outputs = (options.outputs ?? []).map((output) => output.name);
    for (const output of outputs)
      if (output === MAIN_OUTPUT || output === LATE_OUTPUT || outputs.filter((other) => other === output).length > 1)
        throw new ConfigurationError(`parDo '${name}': output tag '${output}' is taken; choose another name`);
    const allowedSkew = millis(`parDo '${name}' allowedSkew`, options.allowedSkew ?? 0);
    const common = { name, inputs: [this.ref], makeDoFn, outputs, allowedSkew };
    const views = Object.entries(options.sideInputs ?? {});
    if (views.length === 0) return this.parDoResult(this.builder.add({ kind: 'parDo', ...common }));
    checkSideInputs(`parDo '${name}'`, options.sideInputs!, this.strategy);
    const sides = views.map(([side, { node }]) => ({ name: side, view: node }));
    const { allowedLateness } = this.strategy;
    const keyed = this instanceof KeyedPCollection;
    return this.parDoResult(this.builder.add({ kind: 'sideParDo', ...common, sides, keyed, allowedLateness }));
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
  partition(name: string, count: number, fn: (value: T, context: ElementContext) => number): readonly this[] {
    if (!Number.isInteger(count) || count < 1)
      throw new ConfigurationError(`partition '${name}': expected a count of 1 or more, got ${count}`);
    const node = this.builder.add({ kind: 'partition', name, inputs: [this.ref], count, fn: fn as never });
    return Array.from({ length: count }, (_, i) => this.at({ node, output: String(i) }, this.strategy));
  }

  /** Assigns elements to windows, and says when and how often each window's result is emitted. */
  window(name: string, windowFn: WindowFn, options: WindowOptions = {}): this {
    const strategy = rewindow(`window '${name}'`, this.strategy, windowFn, options);
    const node = this.builder.add({ kind: 'window', name, inputs: [this.ref], windowFn });
    return this.at(main(node), strategy);
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
    const toPair = (pair: KV<K, V>) => ({ key: pair.key, value: fn(pair.value, pair.key) });
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
  combinePerKey<Acc, Out>(name: string, combine: CombineFn<V, Acc, Out>): GroupedByKey<K, Out, V> {
    return this.reduce(name, combine, true);
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
   * The author's own code with state and timers for each key and window.
   * @throws {ConfigurationError} for windows that merge, and for what is declared badly
   */
  statefulParDo<Out, S extends StateSpecs = Record<never, never>, T extends TimerSpecs = Record<never, never>>(
    name: string,
    doFn: StatefulDoFn<K, V, Out, S, T> | (() => StatefulDoFn<K, V, Out, S, T>),
    options: StatefulOptions = {},
  ): StatefulResult<K, V, Out> {
    const node = this.builder.add(statefulNode(name, this.ref, this.strategy, doFn, options));
    return new StatefulResult<K, V, Out>(this.builder, main(node), this.strategy, this.bounded);
  }

  private reduce<Acc, Out>(name: string, combine: CombineFn<V, Acc, Out>, liftable: boolean): GroupedByKey<K, Out, V> {
    checkGroupable(`'${name}'`, this.strategy, this.bounded);
    const node = this.builder.add({
      kind: 'reduce',
      name,
      inputs: [this.ref],
      strategy: this.strategy,
      combine: combine as CombineFn<unknown, unknown, unknown>,
      liftable,
    });
    return new GroupedByKey<K, Out, V>(this.builder, main(node), afterGrouping(this.strategy), this.bounded);
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
  /** The elements that this step takes no more. Unless it is read, they become dead letters of class `LATE`. */
  late(): PCollection<LateRecord<K, In>> {
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

/** @internal */
export function main(node: Node): Ref {
  return { node, output: MAIN_OUTPUT };
}

/** Each chain of fused steps has a DoFn of its own, so one that keeps fields between calls must be made anew. */
function doFnMaker<T, U>(name: string, doFn: DoFn<T, U> | (() => DoFn<T, U>)): () => DoFn<T, U> {
  if (typeof doFn === 'function') return doFn;
  if (typeof doFn?.process !== 'function')
    throw new ConfigurationError(
      `parDo '${name}': expected a DoFn with a process method, or a function that makes one`,
    );
  if (doFn.setup ?? doFn.startBundle ?? doFn.finishBundle ?? doFn.teardown)
    throw new ConfigurationError(
      `parDo '${name}': a DoFn with setup, startBundle, finishBundle or teardown keeps something between calls; give a function that makes one, such as () => new MyDoFn()`,
    );
  return () => doFn;
}
