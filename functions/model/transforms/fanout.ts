/**
 * Combining a hot key in parts: each part in a place of its own, and then the parts' accumulators (catalogue C06).
 */
import { plainFunction } from '../author-function.ts';
import type { CombineFn } from '../combine.ts';
import { ConfigurationError } from '../errors.ts';
import type { WindowingStrategy } from '../windowing.ts';

export interface CombineOptions<K> {
  /**
   * Spreads each key, or those for which the function says so, over so many parts, and combines those first. The result is
   * the same as without; it costs a further stage. For keys with more elements than one shard can take.
   */
  readonly hotKeyFanout?: number | ((key: K) => number);
}

/** @throws {ConfigurationError} for a number that is none, and for windows that the parts of a key would merge differently */
export function fanoutParts<K>(
  name: string,
  strategy: WindowingStrategy,
  fanout: number | ((key: K) => number),
): (key: K) => number {
  if (strategy.windowFn.kind === 'sessions')
    throw new ConfigurationError(
      `'${name}': hotKeyFanout cannot be used with sessions: the parts of a key would not see one another's elements, and end at different times`,
    );
  if (typeof fanout === 'function') return plainFunction(`'${name}': hotKeyFanout`, fanout);
  if (!Number.isSafeInteger(fanout) || fanout < 0 || fanout > 1_000)
    throw new ConfigurationError(`'${name}': hotKeyFanout: expected a whole number from 0 to 1000, got ${fanout}`);
  return () => fanout;
}

/** The windowing of the parts: each pane holds what is new, since whoever puts them together keeps the rest. */
export function partsStrategy(strategy: WindowingStrategy): WindowingStrategy {
  return { ...strategy, accumulation: 'discarding', onTime: 'ifNonEmpty', closing: 'ifNonEmpty' };
}

/** What a part emits: its accumulator. */
export function combineOfParts<In, Acc>(combine: CombineFn<In, Acc, unknown>): CombineFn<In, Acc, Acc> {
  return {
    create: () => combine.create(),
    add: (accumulator, value) => combine.add(accumulator, value),
    merge: (into, from) => combine.merge(into, from),
    extract: (accumulator) => accumulator,
  };
}

/** Puts the parts together. */
export function combineParts<Acc, Out>(combine: CombineFn<unknown, Acc, Out>): CombineFn<Acc, Acc, Out> {
  return {
    create: () => combine.create(),
    add: (accumulator, part) => combine.merge(accumulator, part),
    merge: (into, from) => combine.merge(into, from),
    extract: (accumulator) => combine.extract(accumulator),
  };
}
