/** Views that are read a chunk at a time. What they give is read anew from its text each time, so nobody can change it. */
import type { Key } from '../../model/key.ts';
import { keyText } from '../../model/key.ts';
import type { SideMap, SideMultimap } from '../../model/views.ts';
import type { ChunkReader, Version } from './chunk-reader.ts';
import { bucketOf } from './content.ts';
import { keyOfLine, readEntry, readKeyedValue, readValue, splitLines } from './entries.ts';

/** The lines of a bucket by their key's text; several of one key with breaks between. */
type Bucket = ReadonlyMap<string, string>;

/** A map or multimap; undefined chunks = nothing in it. */
export class ChunkedMap implements Omit<SideMap<Key, unknown>, 'get'>, Omit<SideMultimap<Key, unknown>, 'get'> {
  readonly #chunks: ChunkReader | undefined;
  readonly #many: boolean;

  constructor(chunks: ChunkReader | undefined, many: boolean) {
    this.#chunks = chunks;
    this.#many = many;
  }

  get size(): number {
    return this.#chunks?.count ?? 0;
  }

  async get(key: Key): Promise<unknown> {
    const lines = await this.#linesOf(key);
    if (this.#many) return lines === undefined ? [] : splitLines(lines).map(readKeyedValue);
    return lines === undefined ? undefined : readKeyedValue(lines);
  }

  async has(key: Key): Promise<boolean> {
    return (await this.#linesOf(key)) !== undefined;
  }

  async *entries(): AsyncGenerator<readonly [key: Key, value: unknown]> {
    if (this.#chunks === undefined) return;
    for await (const lines of this.#chunks.each())
      for (const line of lines) yield readEntry(line) as readonly [Key, unknown];
  }

  async #linesOf(key: Key): Promise<string | undefined> {
    if (this.#chunks === undefined) return undefined;
    const text = keyText(key);
    const bucket = await this.#chunks.part((version) => bucketSpan(version, text), readBucket);
    return bucket.get(text);
  }
}

/** All elements, as often as they are asked for. */
export class ChunkedIterable implements AsyncIterable<unknown> {
  readonly #chunks: ChunkReader | undefined;

  constructor(chunks: ChunkReader | undefined) {
    this.#chunks = chunks;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    if (this.#chunks === undefined) return;
    for await (const lines of this.#chunks.each()) for (const line of lines) yield readValue(line);
  }
}

function bucketSpan({ starts }: Version, key: string): readonly [number, number] {
  const bucket = bucketOf(key, starts!.length - 1);
  return [starts![bucket]!, starts![bucket + 1]!];
}

function readBucket(lines: readonly string[]): Bucket {
  const bucket = new Map<string, string>();
  for (const line of lines) {
    const key = keyOfLine(line);
    const other = bucket.get(key);
    bucket.set(key, other === undefined ? line : `${other}\n${line}`);
  }
  return bucket;
}
