/** What one window of a view shows to its readers. */
import { CorruptionError } from '../../model/errors.ts';
import type { ViewNode } from '../../model/graph.ts';
import { describeWindow, type Window } from '../../model/windows.ts';
import type { Store } from '../../ports/store.ts';
import type { ByteCache } from './byte-cache.ts';
import { ChunkedIterable, ChunkedMap } from './chunked.ts';
import { ChunkReader, type Version } from './chunk-reader.ts';
import { readValue } from './entries.ts';
import type { Pointer } from './pointer.ts';
import { ViewProblemError, ViewShapeError } from './problems.ts';

export interface Shown {
  /** Loads what readers get at once; everything else is loaded when it is asked for. */
  prepare(): Promise<void>;
  /** What readers get. @throws {PoisonError} when there is nothing to get; the element fails */
  value(): unknown;
}

/** @param again reads the pointer again, after a chunk was missing */
export function shownView(
  node: ViewNode,
  window: Window,
  pointer: Pointer,
  store: Store,
  cache: ByteCache,
  again: () => Promise<Pointer | undefined>,
): Shown {
  if ('problem' in pointer) {
    const { code, message } = pointer.problem;
    return failing(() => new ViewProblemError(code, message));
  }
  const next = async (): Promise<Version | undefined> => {
    const newer = await again();
    return newer === undefined || 'problem' in newer ? undefined : newer;
  };
  const chunks = new ChunkReader(node.name, pointer, store, cache, next);
  switch (node.shape) {
    case 'map':
    case 'multimap':
      return showing(new ChunkedMap(chunks, node.shape === 'multimap'));
    case 'iterable':
      return showing(new ChunkedIterable(chunks));
    case 'list':
      return new Loaded(chunks, (values) => values);
    case 'singleton':
      return new Loaded(chunks, ([value]) => value);
    case 'signal':
      throw new CorruptionError(`the view '${node.name}' has content for ${describeWindow(window)}; a signal has none`);
  }
}

/** What a window without elements shows. */
export function emptyView(node: ViewNode, window: Window): Shown {
  switch (node.shape) {
    case 'map':
      return showing(new ChunkedMap(undefined, false));
    case 'multimap':
      return showing(new ChunkedMap(undefined, true));
    case 'iterable':
      return showing(new ChunkedIterable(undefined));
    case 'list':
      return showing(Object.freeze([]));
    case 'signal':
      return showing(undefined);
    case 'singleton': {
      const { fallback } = node;
      if (fallback !== undefined) return showing(fallback.value);
      return failing(
        () =>
          new ViewShapeError(
            `view '${node.name}' has no element for ${describeWindow(window)} and no default; write asSingleton(…, { default: … })`,
          ),
      );
    }
  }
}

function showing(value: unknown): Shown {
  return { prepare: async () => {}, value: () => value };
}

function failing(error: () => Error): Shown {
  return {
    prepare: async () => {},
    value: () => {
      throw error();
    },
  };
}

/** A list or singleton, loaded as a whole. Its values are shared by all elements, so they are frozen (SI09). */
class Loaded implements Shown {
  readonly #chunks: ChunkReader;
  readonly #pick: (values: readonly unknown[]) => unknown;
  #values: readonly unknown[] = [];

  constructor(chunks: ChunkReader, pick: (values: readonly unknown[]) => unknown) {
    this.#chunks = chunks;
    this.#pick = pick;
  }

  async prepare(): Promise<void> {
    this.#values = await this.#chunks.whole((lines) => frozen(lines.map(readValue)) as readonly unknown[]);
  }

  value(): unknown {
    return this.#pick(this.#values);
  }
}

function frozen(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
