/** Wait.on: elements that go on only when another collection is complete for their window (catalogue L09). */
import { KeyedPCollection, main, PCollection } from '../collection.ts';
import type { Key, KV } from '../key.ts';
import { checkSideInputs, readyNode, viewNode } from '../views.ts';

/**
 * The elements of `collection`, each held back until the signal's window is closed that holds the last instant of its own:
 * past its end and its allowed lateness, whether the signal had elements there or not. What waits holds the watermark.
 * @throws {ConfigurationError} for a signal in sessions, and a windowed signal of a collection in the global window
 * @example waitOn('after-load', orders, loaded)
 */
export function waitOn<K extends Key, V>(
  name: string,
  collection: KeyedPCollection<K, V>,
  signal: PCollection<unknown>,
): KeyedPCollection<K, V>;
export function waitOn<T>(name: string, collection: PCollection<T>, signal: PCollection<unknown>): PCollection<T>;
export function waitOn<T>(name: string, collection: PCollection<T>, signal: PCollection<unknown>): PCollection<T> {
  const { builder, strategy, bounded } = collection;
  const view = builder.add(viewNode(`${name}-signal`, signal.ref, signal, 'signal', {}));
  checkSideInputs(`waitOn '${name}'`, { signal: { node: view } }, strategy);
  const keyed = collection instanceof KeyedPCollection;
  const sides = [{ name: 'signal', view }];
  const node = builder.add(readyNode(name, collection.ref, sides, keyed, strategy));
  if (!keyed) return new PCollection<T>(builder, main(node), strategy, bounded);
  return new KeyedPCollection<Key, unknown>(builder, main(node), strategy, bounded) as PCollection<
    KV<Key, unknown>
  > as PCollection<T>;
}
