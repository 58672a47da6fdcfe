/**
 * Texts by key, in the order of their keys, in as many parts as they need: the leaves of a search tree whose only inner
 * node lies in the cell.
 *
 * Invariants: a leaf holds the keys from its own `from` up to the next leaf's, the first also all smaller ones; no leaf is
 * empty; what one call reads and writes is bounded by its budget. Keys and texts hold no tabs or line breaks.
 */
import type { CellParts } from '../shard/cell-parts.ts';

interface Leaf {
  /** No key in it is smaller; between two leaves as short as will tell them apart. */
  readonly from: string;
  readonly id: number;
  /** What the owner wants to know of it without reading it. */
  readonly summary: number;
}

export type Entry = readonly [key: string, text: string];

/** As it lies in the cell: the number of the next leaf, and the leaves. */
export type EncodedLeaves = readonly [next: number, leaves: readonly (readonly [string, number, number])[]];

/** A leaf that grows beyond this many characters is split. */
const MAX_LEAF = 16_000;

export class PartLeaves {
  readonly #prefix: string;
  readonly #parts: CellParts;
  readonly #summarize: (texts: readonly string[]) => number;
  #leaves: Leaf[];
  #next: number;

  /**
   * @param prefix begins the names of its parts, unique in the cell
   * @param summarize makes the summary of a leaf from its texts
   */
  constructor(
    prefix: string,
    parts: CellParts,
    summarize: (texts: readonly string[]) => number = () => 0,
    encoded: EncodedLeaves = [0, []],
  ) {
    this.#prefix = prefix;
    this.#parts = parts;
    this.#summarize = summarize;
    this.#next = encoded[0];
    this.#leaves = encoded[1].map(([from, id, summary]) => ({ from, id, summary }));
  }

  encode(): EncodedLeaves {
    return [this.#next, this.#leaves.map(({ from, id, summary }) => [from, id, summary])];
  }

  get isEmpty(): boolean {
    return this.#leaves.length === 0;
  }

  /** No key is smaller. Undefined when there is none. */
  get from(): string | undefined {
    return this.#leaves[0]?.from;
  }

  summaries(): readonly number[] {
    return this.#leaves.map(({ summary }) => summary);
  }

  /** Reads at most one part. */
  get(key: string): string | undefined | Promise<string | undefined> {
    if (this.#leaves.length === 0) return undefined;
    const body = this.#parts.read(this.#name(this.#leaves[this.#indexOf(key)]!));
    return typeof body === 'string' ? find(body, key) : body.then((read) => find(read, key));
  }

  /** Everything, in order. */
  async entries(): Promise<Entry[]> {
    const bodies = await this.#parts.readAll(this.#leaves.map((leaf) => this.#name(leaf)));
    return bodies.flatMap(parse);
  }

  /** Takes out the first leaf. */
  async takeFirst(): Promise<Entry[]> {
    const [first] = this.#leaves;
    if (first === undefined) return [];
    const entries = parse(await this.#parts.read(this.#name(first)));
    this.#parts.delete(this.#name(first));
    this.#leaves.shift();
    return entries;
  }

  /**
   * Applies changes, those first that share a leaf with the most others.
   * @param changes the new text of a key; null = it goes
   * @param budget about how many characters may be written
   * @returns the keys whose changes were applied
   */
  async absorb(changes: ReadonlyMap<string, string | null>, budget: number): Promise<string[]> {
    const applied: string[] = [];
    let written = 0;
    for (const { leaf, keys } of this.#groups(changes)) {
      if (written >= budget && written > 0) break;
      written += await this.#rewrite(leaf, keys, changes);
      applied.push(...keys);
    }
    return applied;
  }

  /** Removes the leaves whose summary is `unwanted`, unread. */
  dropWhere(unwanted: (summary: number) => boolean): boolean {
    const before = this.#leaves.length;
    this.#leaves = this.#leaves.filter((leaf) => {
      if (!unwanted(leaf.summary)) return true;
      this.#parts.delete(this.#name(leaf));
      return false;
    });
    return this.#leaves.length < before;
  }

  drop(): void {
    this.dropWhere(() => true);
  }

  /** The changes by leaf, largest groups first. Without leaves all are one group. */
  #groups(changes: ReadonlyMap<string, string | null>): { leaf: Leaf | undefined; keys: string[] }[] {
    const groups = new Map<Leaf | undefined, string[]>();
    for (const key of changes.keys()) {
      const leaf = this.#leaves.length === 0 ? undefined : this.#leaves[this.#indexOf(key)];
      const keys = groups.get(leaf);
      if (keys === undefined) groups.set(leaf, [key]);
      else keys.push(key);
    }
    return [...groups]
      .map(([leaf, keys]) => ({ leaf, keys }))
      .sort((a, b) => b.keys.length - a.keys.length || compare(a.leaf?.from ?? '', b.leaf?.from ?? ''));
  }

  /** Writes a leaf anew, as several when it has grown too large. @returns the characters written */
  async #rewrite(
    leaf: Leaf | undefined,
    keys: readonly string[],
    changes: ReadonlyMap<string, string | null>,
  ): Promise<number> {
    const entries = new Map(leaf === undefined ? [] : parse(await this.#parts.read(this.#name(leaf))));
    for (const key of keys) {
      const text = changes.get(key);
      if (text === null || text === undefined) entries.delete(key);
      else entries.set(key, text);
    }
    const chunks = split([...entries].sort(([a], [b]) => compare(a, b)));
    const at = leaf === undefined ? 0 : this.#leaves.indexOf(leaf);
    let written = 0;
    const leaves = chunks.map((chunk, i): Leaf => {
      const from = i === 0 ? lowerBound(leaf, chunk, at) : separator(chunks[i - 1]!.at(-1)![0], chunk[0]![0]);
      const id = i === 0 && leaf !== undefined ? leaf.id : this.#next++;
      const made = { from, id, summary: this.#summarize(chunk.map(([, text]) => text)) };
      const body = chunk.map(([key, text]) => `\n${key}\t${text}`).join('');
      this.#parts.write(this.#name(made), body);
      written += body.length;
      return made;
    });
    if (leaf !== undefined && chunks.length === 0) this.#parts.delete(this.#name(leaf));
    this.#leaves.splice(at, leaf === undefined ? 0 : 1, ...leaves);
    return written;
  }

  /** The last leaf that begins at or before the key, or the first. */
  #indexOf(key: string): number {
    let low = 0;
    let high = this.#leaves.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#leaves[middle]!.from <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #name({ id }: Leaf): string {
    return `${this.#prefix}${id}`;
  }
}

/** The first leaf's bound follows its smallest key; that of another leaf stays, since it parts it from its neighbour. */
function lowerBound(leaf: Leaf | undefined, chunk: readonly Entry[], at: number): string {
  return leaf === undefined || at === 0 ? chunk[0]![0] : leaf.from;
}

function find(body: string, key: string): string | undefined {
  const at = body.indexOf(`\n${key}\t`);
  if (at < 0) return undefined;
  const end = body.indexOf('\n', at + 1);
  return body.slice(at + key.length + 2, end < 0 ? undefined : end);
}

function parse(body: string): Entry[] {
  return body
    .split('\n')
    .slice(1)
    .map((line): Entry => {
      const tab = line.indexOf('\t');
      return [line.slice(0, tab), line.slice(tab + 1)];
    });
}

/** Even pieces of at most `MAX_LEAF` characters, or of one entry. */
function split(entries: readonly Entry[]): Entry[][] {
  const total = entries.reduce((sum, [key, text]) => sum + key.length + text.length + 2, 0);
  const pieces = Math.ceil(total / MAX_LEAF);
  const wanted = total / Math.max(1, pieces);
  const chunks: Entry[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const size = entry[0].length + entry[1].length + 2;
    if (characters >= wanted || characters + size > MAX_LEAF) {
      chunks.push([]);
      characters = 0;
    }
    chunks.at(-1)!.push(entry);
    characters += size;
  }
  return chunks;
}

/** The shortest beginning of `next` that sorts after `last`. */
function separator(last: string, next: string): string {
  let length = 1;
  while (next.slice(0, length) <= last) length += 1;
  return next.slice(0, length);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
