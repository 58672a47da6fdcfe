/**
 * Loads the chunks of one version, through the cache that all readers of a process share. A chunk that is missing was
 * replaced: the pointer is read again, and reading goes on in the version that it names now.
 */
import { CorruptionError, messageOf, RetryableError } from '../../model/errors.ts';
import type { Store, StoredDocument } from '../../ports/store.ts';
import type { ByteCache } from './byte-cache.ts';
import { splitLines } from './entries.ts';
import { chunkPrefix } from './names.ts';
import type { Lines, Pointer } from './pointer.ts';

/** A view could not be read just now. It is no fault of the element that reads it: its bundle runs again. */
export class ViewUnreadableError extends RetryableError {
  override readonly code = 'VIEW_UNREADABLE';
}

export type Version = Extract<Pointer, { version: string }>;

/** Documents read at a time. */
const PAGE = 16;

export class ChunkReader {
  readonly #view: string;
  readonly #store: Store;
  readonly #cache: ByteCache;
  readonly #next: () => Promise<Version | undefined>;
  #version: Version;

  constructor(
    view: string,
    version: Version,
    store: Store,
    cache: ByteCache,
    next: () => Promise<Version | undefined>,
  ) {
    this.#view = view;
    this.#version = version;
    this.#store = store;
    this.#cache = cache;
    this.#next = next;
  }

  get count(): number {
    return this.#version.count;
  }

  /** All lines, read as one value that is kept. */
  whole<T extends object>(read: (lines: string[]) => T): Promise<T> {
    return this.#current((version) => this.#kept('values', version, 0, version.chunks, read));
  }

  /**
   * The lines of a part, read as one value that is kept.
   * @param partOf the part's first chunk and the one after its last
   */
  part<T extends object>(
    partOf: (version: Version) => readonly [from: number, to: number],
    read: (lines: string[]) => T,
  ): Promise<T> {
    return this.#current((version) => this.#kept('part', version, ...partOf(version), read));
  }

  /** The lines of one chunk after the other, all of the version in which it began. */
  async *each(): AsyncGenerator<readonly string[]> {
    const linesOf = (version: Version, chunk: number) =>
      this.#kept('lines', version, chunk, chunk + 1, (lines) => lines);
    const version = await this.#current(async (current) =>
      current.chunks === 0 || (await linesOf(current, 0)) !== undefined ? current : undefined,
    );
    for (let chunk = 0; chunk < version.chunks; chunk++) {
      const lines = await linesOf(version, chunk);
      if (lines === undefined)
        throw new ViewUnreadableError(`view '${this.#view}' was replaced while it was being read; it is read again`);
      yield lines;
    }
  }

  /** @param read gives undefined when a chunk is missing */
  async #current<T>(read: (version: Version) => Promise<T | undefined>): Promise<T> {
    for (;;) {
      const version = this.#version;
      const value = await read(version);
      if (value !== undefined) return value;
      const next = await this.#next();
      if (next === undefined)
        throw new ViewUnreadableError(
          `view '${this.#view}' was removed while it was being read; it is looked for again`,
        );
      if (next.version === version.version)
        throw new CorruptionError(`view '${this.#view}' shows version ${version.version}, of which a chunk is missing`);
      this.#version = next;
    }
  }

  /** A part in the form in which it is used, from memory where it is there; undefined when a chunk is missing. */
  async #kept<T extends object>(
    form: 'values' | 'part' | 'lines',
    version: Version,
    from: number,
    to: number,
    read: (lines: string[]) => T,
  ): Promise<T | undefined> {
    const key = `${version.version}~${form}~${from}~${to}`;
    const kept = this.#cache.get(key);
    if (kept !== undefined) return kept as T;
    const lines = await this.#lines(version, from, to);
    if (lines === undefined) return undefined;
    const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0);
    const value = read(lines);
    this.#cache.set(key, value, bytes);
    return value;
  }

  async #lines(version: Version, from: number, to: number): Promise<string[] | undefined> {
    const prefix = chunkPrefix(this.#view, version.version);
    const lines: string[] = [];
    for (let at = from; at < to; at += PAGE) {
      const ids = Array.from({ length: Math.min(PAGE, to - at) }, (_, i) => `${prefix}${at + i}`);
      for (const document of await this.#documents(ids)) {
        if (document === undefined) return undefined;
        for (const line of splitLines((document.body as Lines).lines)) lines.push(line);
      }
    }
    return lines;
  }

  async #documents(ids: readonly string[]): Promise<readonly (StoredDocument | undefined)[]> {
    try {
      return await this.#store.get('views', ids);
    } catch (cause) {
      if (!(cause instanceof RetryableError)) throw cause;
      throw new ViewUnreadableError(`view '${this.#view}' cannot be read: ${messageOf(cause)}`, { cause });
    }
  }
}
