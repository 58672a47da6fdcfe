/**
 * Texts by key, in the order of their keys, in as many parts as they need: the leaves of a search tree whose only inner
 * node lies in the cell.
 *
 * Invariants: a leaf holds the keys from its own `from` up to the next leaf's, the first also all smaller ones; no leaf is
 * empty. Keys and texts hold no tabs or line breaks.
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

  /** Of each leaf in order: no key in it is smaller. */
  bounds(): readonly string[] {
    return this.#leaves.map(({ from }) => from);
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

  /** In order, all whose key is at least `from` and below `to`. */
  async entries(from = '', to?: string): Promise<Entry[]> {
    if (this.#leaves.length === 0) return [];
    const first = this.#indexOf(from);
    const last = to === undefined ? this.#leaves.length - 1 : this.#indexOf(to);
    const bodies = await this.#parts.readAll(this.#leaves.slice(first, last + 1).map((leaf) => this.#name(leaf)));
    const all = bodies.flatMap(parse);
    if (from === '' && to === undefined) return all;
    return all.filter(([key]) => key >= from && (to === undefined || key < to));
  }

  /** The entries of the first leaf. */
  async first(): Promise<Entry[]> {
    const [first] = this.#leaves;
    return first === undefined ? [] : parse(await this.#parts.read(this.#name(first)));
  }

  dropFirst(): void {
    const first = this.#leaves.shift();
    if (first !== undefined) this.#parts.delete(this.#name(first));
  }

  /** Sets the first leaf's summary, when part of it no longer counts. */
  summarizeFirst(texts: readonly string[]): void {
    const [first, ...others] = this.#leaves;
    if (first !== undefined) this.#leaves = [{ ...first, summary: this.#summarize(texts) }, ...others];
  }

  /** How many leaves these keys fall into. */
  reach(keys: Iterable<string>): number {
    const reached = new Set<number>();
    if (this.#leaves.length > 0) for (const key of keys) reached.add(this.#indexOf(key));
    return reached.size;
  }

  /** Applies changes. @param changes the new text of a key; null = it goes */
  async absorb(changes: ReadonlyMap<string, string | null>): Promise<void> {
    const groups = new Map<Leaf | undefined, string[]>();
    for (const key of changes.keys()) {
      const leaf = this.#leaves.length === 0 ? undefined : this.#leaves[this.#indexOf(key)];
      const keys = groups.get(leaf);
      if (keys === undefined) groups.set(leaf, [key]);
      else keys.push(key);
    }
    for (const [leaf, keys] of groups) await this.#rewrite(leaf, keys, changes);
  }

  /** Removes the leaves whose summary is `unwanted`, unread. */
  dropWhere(unwanted: (summary: number) => boolean): void {
    this.#leaves = this.#leaves.filter((leaf) => {
      if (!unwanted(leaf.summary)) return true;
      this.#parts.delete(this.#name(leaf));
      return false;
    });
  }

  drop(): void {
    this.dropWhere(() => true);
  }

  /** Writes a leaf anew, as several when it has grown too large. */
  async #rewrite(
    leaf: Leaf | undefined,
    keys: readonly string[],
    changes: ReadonlyMap<string, string | null>,
  ): Promise<void> {
    const entries = new Map(leaf === undefined ? [] : parse(await this.#parts.read(this.#name(leaf))));
    for (const key of keys) {
      const text = changes.get(key);
      if (text === null || text === undefined) entries.delete(key);
      else entries.set(key, text);
    }
    const chunks = split(
      [...entries].sort(([a], [b]) => (a < b ? -1 : 1)),
      this.#parts.limits.leaf,
    );
    const at = leaf === undefined ? 0 : this.#leaves.indexOf(leaf);
    const leaves = chunks.map((chunk, i): Leaf => {
      const from = i === 0 ? lowerBound(leaf, chunk, at) : separator(chunks[i - 1]!.at(-1)![0], chunk[0]![0]);
      const id = i === 0 && leaf !== undefined ? leaf.id : this.#next++;
      const made = { from, id, summary: this.#summarize(chunk.map(([, text]) => text)) };
      this.#parts.write(this.#name(made), chunk.map(([key, text]) => `\n${key}\t${text}`).join(''));
      return made;
    });
    if (leaf !== undefined && chunks.length === 0) this.#parts.delete(this.#name(leaf));
    this.#leaves.splice(at, leaf === undefined ? 0 : 1, ...leaves);
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

/** Even pieces of at most so many characters, or of one entry. */
function split(entries: readonly Entry[], most: number): Entry[][] {
  const total = entries.reduce((sum, [key, text]) => sum + key.length + text.length + 2, 0);
  const wanted = total / Math.max(1, Math.ceil(total / most));
  const chunks: Entry[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const size = entry[0].length + entry[1].length + 2;
    if (characters >= wanted || characters + size > most) {
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
