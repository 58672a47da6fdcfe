/**
 * The entry to writing a pipeline.
 * @example
 * export default pipeline('orders', (p) => {
 *   p.readPubSub('orders', { schema: Order, eventTime: (order) => order.at })
 *     .keyBy('by-customer', (order) => order.customer)
 *     .window('hourly', fixedWindows('1h'))
 *     .combinePerKey('total', sum((order) => order.cents))
 *     .writeBigQuery('totals', { … });
 * });
 */
import { KeyedPCollection, main, PCollection } from './collection.ts';
import { ConfigurationError } from './errors.ts';
import { GraphBuilder } from './graph-builder.ts';
import type { Graph } from './graph.ts';
import type { Key, KV } from './key.ts';
import { type FileSourceOptions, fileSource, type PubSubSourceOptions, pubSubSource, type Source } from './source.ts';
import { DEFAULT_STRATEGY, flattenStrategies } from './windowing.ts';

export class Pipeline {
  readonly #builder: GraphBuilder;
  /** @internal */
  constructor(builder: GraphBuilder) {
    this.#builder = builder;
  }

  /** Reads a Pub/Sub topic, without end. */
  readPubSub<T>(name: string, options: PubSubSourceOptions<T>): PCollection<T> {
    return this.#read(name, pubSubSource(name, options));
  }

  /** Reads a file (JSON Lines, JSON, CSV or Parquet) to its end. */
  readFile<T>(name: string, options: FileSourceOptions<T>): PCollection<T> {
    return this.#read(name, fileSource(name, options));
  }

  /** All elements of several collections; their windows must be compatible (catalogue V08). */
  flatten<K extends Key, V>(name: string, ...collections: readonly KeyedPCollection<K, V>[]): KeyedPCollection<K, V>;
  flatten<T>(name: string, ...collections: readonly PCollection<T>[]): PCollection<T>;
  flatten(name: string, ...collections: readonly PCollection<unknown>[]): unknown {
    if (collections.length === 0) throw new ConfigurationError(`flatten '${name}': expected at least one collection`);
    const strategy = flattenStrategies(
      `flatten '${name}'`,
      collections.map((collection) => collection.strategy),
    );
    const node = this.#builder.add({ kind: 'flatten', name, inputs: collections.map((collection) => collection.ref) });
    const bounded = collections.every((collection) => collection.bounded);
    const keyed = collections.every((collection) => collection instanceof KeyedPCollection);
    return keyed
      ? (new KeyedPCollection<Key, unknown>(this.#builder, main(node), strategy, bounded) as PCollection<
          KV<Key, unknown>
        >)
      : new PCollection(this.#builder, main(node), strategy, bounded);
  }

  #read<T>(name: string, source: Source): PCollection<T> {
    const node = this.#builder.add({ kind: 'source', name, inputs: [], source });
    return new PCollection<T>(this.#builder, main(node), DEFAULT_STRATEGY, source.kind === 'file');
  }
}

/**
 * Builds a pipeline.
 * @param name lower-case words with dashes; topics and documents carry it
 * @throws {ConfigurationError} for everything that cannot work
 */
export function pipeline(name: string, build: (p: Pipeline) => void): Graph {
  const builder = new GraphBuilder(name);
  const what = `pipeline '${name}'`;
  if (typeof build !== 'function')
    throw new ConfigurationError(`${what}: expected a function that builds it, got ${typeof build}`);
  const built: unknown = build(new Pipeline(builder));
  if (built instanceof Promise) {
    // What it fails with is not what is wrong.
    built.catch(() => {});
    throw new ConfigurationError(
      `${what}: the function that builds it is async; a pipeline is built at once, so load what it needs before`,
    );
  }
  return builder.finish();
}
