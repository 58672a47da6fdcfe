/**
 * What an instance knows of a shard. Invariant: valid exactly as long as the root's version is the stored one; when a
 * commit fails, all of it is forgotten.
 */
import { CorruptionError } from '../../model/errors.ts';
import { type EpochMillis, MAX_TIMESTAMP, plus } from '../../model/time.ts';
import { CELLS_BY_EVENT_DUE, CELLS_BY_PROCESSING_DUE } from '../../ports/queries.ts';
import type { Document, DocumentName, Store, StoredDocument, Version } from '../../ports/store.ts';
import { keyHash } from '../chain/outlet.ts';
import type { ShardId } from '../protocol/names.ts';
import type { Root } from '../protocol/root.ts';
import type { Cell, CellProgram } from './cell.ts';
import type { CellLimits } from './cell-limits.ts';
import { BufferedParts, PartCache, type PartChanges } from './cell-parts.ts';
import { DueQueue } from './due-queue.ts';
import type { KnownWatermarks } from './work.ts';

/** The body of a cell's document. */
export interface CellBody {
  readonly key: string;
  /** The stamp that this cell has put into the root's holds. */
  readonly hold: EpochMillis | null;
  readonly state: string;
}

export interface CachedCell {
  readonly key: string;
  readonly documentId: string;
  cell: Cell;
  readonly parts: BufferedParts;
  /** The stamp in the root's holds. */
  hold: EpochMillis | undefined;
  /** Whether the store has a document of it. */
  stored: boolean;
  /** How long its text was when it was last read or written, with its key. */
  characters: number;
}

/** What a bundle's commit has to write of a cell. */
export interface CellChange {
  readonly set?: Document;
  readonly delete?: DocumentName;
  readonly parts: PartChanges;
  readonly characters: number;
}

const DUE_PAGE = 500;
/** Cells beyond this are dropped from memory, down to half of it, those first that were read first. */
const MAX_CELLS = 50_000;
/** The same of the characters of their texts, to which what they hold alive is in proportion. */
const MAX_CHARACTERS = 16_000_000;

export class CellCache {
  readonly eventDue: DueQueue;
  readonly processingDue: DueQueue;
  readonly #cells = new Map<string, CachedCell>();
  readonly #program: CellProgram;
  readonly #store: Store;
  readonly #parts: PartCache;
  readonly #shard: ShardId;
  /** Memory holds every cell of the shard, so a key that it does not know has none. */
  #complete: boolean;
  /** Of all cells in memory. */
  #characters = 0;

  /** @param limits default: the engine's own */
  constructor(root: Root, version: Version | 'absent', program: CellProgram, store: Store, limits?: CellLimits) {
    this.#complete = version === 'absent';
    this.#program = program;
    this.#store = store;
    this.#parts = new PartCache(store, limits);
    this.#shard = root.id;
    this.eventDue = new DueQueue(root.eventDue);
    this.processingDue = new DueQueue(root.processingDue);
  }

  /** Makes sure that the cells of these keys are in memory; a key without a document gets a new cell. */
  async load(keys: Iterable<string>): Promise<void> {
    const missing: string[] = [];
    for (const key of keys) if (!this.#cells.has(key)) missing.push(key);
    if (missing.length === 0) return;
    if (this.#complete) for (const key of missing) this.#adopt(key, undefined);
    else {
      const ids = missing.map((key) => cellId(this.#shard, key));
      const documents = await this.#store.get('cells', ids);
      for (const [i, key] of missing.entries()) this.#adopt(key, documents[i]);
    }
  }

  /** A loaded cell. */
  cell(key: string): CachedCell {
    const cached = this.#cells.get(key);
    if (cached === undefined) throw new Error(`cell ${key} of ${this.#shard} was not loaded`);
    return cached;
  }

  /** A cell as it stood before the bundle; after user code has left it half-changed. */
  async reload(key: string): Promise<CachedCell> {
    const { documentId, stored } = this.cell(key);
    const [document] = stored ? await this.#store.get('cells', [documentId]) : [];
    return this.#adopt(key, document);
  }

  /** Remembers how a cell stands; the function that it gives puts it back so. */
  checkpoint(cached: CachedCell): () => void {
    const state = cached.cell.encode();
    const undo = cached.parts.checkpoint();
    return () => {
      undo();
      cached.cell = this.#program.open(JSON.parse(cached.key), state, cached.parts);
    };
  }

  /** A bundle begins. */
  begin(known: KnownWatermarks, processingTime: EpochMillis): void {
    this.#program.begin?.(known, processingTime);
  }

  /** Throws what a read of the store has thrown while user code ran, if one has. @param error what it has thrown itself */
  throwFailure(error: unknown): void {
    this.#parts.throwFailure();
    this.#program.throwFailure?.(error);
  }

  /** Reads a page of the store's due index unless everything due at `at` is known. */
  async findDue(clock: 'event' | 'processing', at: EpochMillis): Promise<void> {
    const queue = clock === 'event' ? this.eventDue : this.processingDue;
    if (queue.completeTo >= at) return;
    const query = clock === 'event' ? CELLS_BY_EVENT_DUE : CELLS_BY_PROCESSING_DUE;
    const { documents, last } = await this.#store.query(query, { shard: this.#shard }, { limit: DUE_PAGE });
    for (const document of documents) this.#adoptDue(document);
    // As stored: this bundle may have moved it. Cells with the very due time of the last one may stand on the next page.
    queue.completeUpTo(last === undefined ? MAX_TIMESTAMP : plus(last as EpochMillis, -1));
  }

  /** A cell that was taken from the queues of what is due, and left for the next bundle. */
  stillDue(key: string): void {
    const { cell } = this.cell(key);
    this.eventDue.set(key, cell.eventDue());
    this.processingDue.set(key, cell.processingDue());
  }

  /** Notes what a bundle did to a cell, and returns what to write. */
  changed(cached: CachedCell): CellChange {
    const { cell, key } = cached;
    const eventDue = cell.eventDue();
    const processingDue = cell.processingDue();
    this.eventDue.set(key, eventDue);
    this.processingDue.set(key, processingDue);
    const state = cell.encode();
    const parts = cached.parts.take();
    if (state === undefined) {
      this.#drop(key);
      const { characters } = parts;
      return cached.stored
        ? { delete: { collection: 'cells', id: cached.documentId }, parts, characters }
        : { parts, characters };
    }
    cached.stored = true;
    const body: CellBody = { key, hold: cached.hold ?? null, state };
    const index: Record<string, string | number> = { shard: this.#shard };
    if (eventDue < MAX_TIMESTAMP) index['eventDue'] = eventDue;
    if (processingDue < MAX_TIMESTAMP) index['processingDue'] = processingDue;
    this.#characters += state.length + key.length - cached.characters;
    cached.characters = state.length + key.length;
    const characters = cached.characters + parts.characters;
    return { set: { collection: 'cells', id: cached.documentId, body, index }, parts, characters };
  }

  /** Keeps memory bounded; between bundles only. */
  trim(): void {
    if (this.#cells.size <= MAX_CELLS && this.#characters <= MAX_CHARACTERS) return;
    this.#complete = false;
    for (const key of this.#cells.keys()) {
      if (this.#cells.size <= MAX_CELLS / 2 && this.#characters <= MAX_CHARACTERS / 2) break;
      this.#drop(key);
    }
  }

  /** How many cells are in memory, and characters of their texts. */
  get kept(): { readonly cells: number; readonly characters: number } {
    return { cells: this.#cells.size, characters: this.#characters };
  }

  #drop(key: string): void {
    this.#characters -= this.#cells.get(key)?.characters ?? 0;
    this.#cells.delete(key);
  }

  #adopt(key: string, document: StoredDocument | undefined): CachedCell {
    const body = document?.body as CellBody | undefined;
    if (body !== undefined && body.key !== key)
      throw new CorruptionError(`cell ${document!.id} belongs to key ${body.key}, not ${key}`);
    const documentId = document?.id ?? cellId(this.#shard, key);
    const parts = new BufferedParts(documentId, this.#parts);
    const cached: CachedCell = {
      key,
      documentId,
      cell: this.#program.open(JSON.parse(key), body?.state, parts),
      parts,
      hold: body?.hold ?? undefined,
      stored: body !== undefined,
      characters: (body?.state.length ?? 0) + key.length,
    };
    this.#characters += cached.characters - (this.#cells.get(key)?.characters ?? 0);
    this.#cells.set(key, cached);
    return cached;
  }

  #adoptDue(document: StoredDocument): void {
    const { key } = document.body as CellBody;
    const { cell } = this.#cells.get(key) ?? this.#adopt(key, document);
    this.eventDue.set(key, cell.eventDue());
    this.processingDue.set(key, cell.processingDue());
  }
}

/** The name of a key's document. */
export function cellId(shard: ShardId, key: string): string {
  return `${shard}~${keyHash(key)}`;
}
