/**
 * The documents that a cell keeps beside its own: what has outgrown it. They are written and deleted in the commit that
 * writes the cell, and read when something asks for them.
 *
 * Invariants: a part belongs to one cell, whose text names it, so no part outlives its cell; what a bundle has written is
 * seen by the rest of the bundle; a rolled-back write was never made.
 */
import { CorruptionError } from '../../model/errors.ts';
import type { Document, DocumentName, Store } from '../../ports/store.ts';
import { CELL_LIMITS, type CellLimits } from './cell-limits.ts';

/** A cell's view of its parts. */
export interface CellParts {
  /** From which sizes on what lies in parts. */
  readonly limits: CellLimits;
  /** The body of a part that this cell has written. @throws {CorruptionError} when there is none */
  read(id: string): string | Promise<string>;
  /** Several at once, in order. */
  readAll(ids: readonly string[]): Promise<readonly string[]>;
  write(id: string, body: string): void;
  delete(id: string): void;
  /** Remembers how things stand; the function that it gives takes back everything since. */
  checkpoint(): () => void;
  /** Throws what a read of parts has thrown in this bundle, if one has: user code that failed on it is not to blame. */
  throwFailure(): void;
}

/** What a bundle does to the parts of one cell. */
export interface PartChanges {
  readonly sets: readonly Document[];
  readonly deletes: readonly DocumentName[];
  readonly characters: number;
}

/** Parts that were read or written lately, of all cells of a shard; as valid as the cells themselves. */
export class PartCache {
  readonly limits: CellLimits;
  readonly #store: Store;
  readonly #known = new Map<string, string>();
  readonly #most: number;
  #characters = 0;
  #failure: unknown;

  /** @param most how many characters are kept in memory */
  constructor(store: Store, limits: CellLimits = CELL_LIMITS, most = 4_000_000) {
    this.#store = store;
    this.limits = limits;
    this.#most = most;
  }

  get(name: string): string | undefined {
    const body = this.#known.get(name);
    if (body === undefined) return undefined;
    this.#known.delete(name);
    this.#known.set(name, body);
    return body;
  }

  async load(names: readonly string[]): Promise<readonly string[]> {
    try {
      const documents = await this.#store.get('parts', names);
      return names.map((name, i) => {
        const body = documents[i]?.body;
        // Another instance may have committed since the cell was read.
        if (typeof body !== 'string') throw new CorruptionError(`part ${name} is gone, though its cell names it`);
        this.put(name, body);
        return body;
      });
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }

  put(name: string, body: string): void {
    this.drop(name);
    this.#known.set(name, body);
    this.#characters += body.length;
    for (const oldest of this.#known.keys()) {
      if (this.#characters <= this.#most) break;
      this.drop(oldest);
    }
  }

  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  drop(name: string): void {
    this.#characters -= this.#known.get(name)?.length ?? 0;
    this.#known.delete(name);
  }
}

export class BufferedParts implements CellParts {
  readonly limits: CellLimits;
  readonly #cell: string;
  readonly #cache: PartCache;
  /** What this bundle has written; null = deleted. */
  #changed = new Map<string, string | null>();

  /** @param cell the name of the cell's document, with which the names of its parts begin */
  constructor(cell: string, cache: PartCache) {
    this.limits = cache.limits;
    this.#cell = cell;
    this.#cache = cache;
  }

  read(id: string): string | Promise<string> {
    return this.#known(id) ?? this.#cache.load([this.#name(id)]).then(([body]) => body!);
  }

  async readAll(ids: readonly string[]): Promise<readonly string[]> {
    const bodies = ids.map((id) => this.#known(id));
    const missing = ids.filter((_, i) => bodies[i] === undefined);
    if (missing.length === 0) return bodies as string[];
    const loaded = await this.#cache.load(missing.map((id) => this.#name(id)));
    let next = 0;
    return bodies.map((body) => body ?? loaded[next++]!);
  }

  write(id: string, body: string): void {
    this.#changed.set(id, body);
  }

  delete(id: string): void {
    this.#changed.set(id, null);
  }

  checkpoint(): () => void {
    if (this.#changed.size === 0) return () => this.#changed.clear();
    const before = new Map(this.#changed);
    return () => {
      this.#changed = new Map(before);
    };
  }

  throwFailure(): void {
    this.#cache.throwFailure();
  }

  /** About what the bundle's commit has to write, in characters. */
  get characters(): number {
    if (this.#changed.size === 0) return 0;
    let characters = 0;
    for (const body of this.#changed.values()) characters += body?.length ?? 0;
    return characters;
  }

  /** What the bundle's commit has to write; from then on the parts count as stored. */
  take(): PartChanges {
    if (this.#changed.size === 0) return NO_CHANGES;
    const sets: Document[] = [];
    const deletes: DocumentName[] = [];
    let characters = 0;
    for (const [id, body] of this.#changed) {
      const name = this.#name(id);
      if (body === null) {
        this.#cache.drop(name);
        deletes.push({ collection: 'parts', id: name });
        continue;
      }
      this.#cache.put(name, body);
      sets.push({ collection: 'parts', id: name, body });
      characters += body.length;
    }
    this.#changed.clear();
    return { sets, deletes, characters };
  }

  #known(id: string): string | undefined {
    const changed = this.#changed.get(id);
    if (changed === null) throw new CorruptionError(`part ${this.#name(id)} is read after it was deleted`);
    return changed ?? this.#cache.get(this.#name(id));
  }

  #name(id: string): string {
    return `${this.#cell}~${id}`;
  }
}

const NO_CHANGES: PartChanges = { sets: [], deletes: [], characters: 0 };
