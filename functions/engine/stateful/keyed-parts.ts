/**
 * Texts by key in parts. The base holds each key once; changes that reach too many of its leaves to be worked in at once
 * become runs beside it, written as they are, and are worked in later, a stretch of keys at a time.
 *
 * Invariants: of a key, a newer run holds a newer text than an older one, and any run than the base; the keys of a run
 * from its `start` on up to the cursor, around the end, are in the base already. What one call writes is bounded, however
 * large the whole is.
 */
import type { CellParts } from '../shard/cell-parts.ts';
import { type EncodedLeaves, type Entry, PartLeaves } from './part-leaves.ts';

interface Run {
  readonly id: number;
  /** Where the cursor stood when it was written. */
  readonly start: string;
  readonly leaves: PartLeaves;
}

/** As it lies in the cell. */
export type EncodedKeyedParts = readonly [
  base: EncodedLeaves,
  cursor: string,
  next: number,
  runs: readonly (readonly [id: number, start: string, EncodedLeaves])[],
];

/** Stands in runs for a text that was removed. No JSON text begins so. */
export const REMOVED = '-';

export class KeyedParts {
  readonly #prefix: string;
  readonly #parts: CellParts;
  readonly #summarize: (texts: readonly string[]) => number;
  readonly #base: PartLeaves;
  #cursor = '';
  #next = 0;
  /** The newest last. */
  #runs: Run[] = [];

  constructor(
    prefix: string,
    parts: CellParts,
    summarize: (texts: readonly string[]) => number,
    encoded?: EncodedKeyedParts,
  ) {
    this.#prefix = prefix;
    this.#parts = parts;
    this.#summarize = summarize;
    this.#base = this.#leaves('', encoded?.[0]);
    if (encoded === undefined) return;
    const [, cursor, next, runs] = encoded;
    this.#cursor = cursor;
    this.#next = next;
    this.#runs = runs.map(([id, start, leaves]) => ({ id, start, leaves: this.#leaves(`run${id}.`, leaves) }));
  }

  encode(): EncodedKeyedParts {
    const runs = this.#runs.map(({ id, start, leaves }) => [id, start, leaves.encode()] as const);
    return [this.#base.encode(), this.#cursor, this.#next, runs];
  }

  get isEmpty(): boolean {
    return this.#base.isEmpty && this.#runs.length === 0;
  }

  /** Reads at most one part of the base and of each run. */
  get(key: string): string | undefined | Promise<string | undefined> {
    if (this.#runs.length === 0) return this.#base.get(key);
    return this.#search(key);
  }

  /** Everything, in no order. */
  async entries(): Promise<Entry[]> {
    const found = new Map(await this.#base.entries());
    for (const run of this.#runs)
      for (const [key, text] of await run.leaves.entries()) {
        if (this.#isWorkedIn(run, key)) continue;
        if (text === REMOVED) found.delete(key);
        else found.set(key, text);
      }
    return [...found];
  }

  summaries(): readonly number[] {
    return [...this.#base.summaries(), ...this.#runs.flatMap(({ leaves }) => leaves.summaries())];
  }

  /** @param changes the new text of a key; null = it goes */
  async absorb(changes: ReadonlyMap<string, string | null>): Promise<void> {
    if (this.#runs.length === 0 && this.#base.reach(changes.keys()) <= this.#parts.limits.leavesAtOnce)
      return this.#base.absorb(changes);
    const id = this.#next++;
    const run = { id, start: this.#cursor, leaves: this.#leaves(`run${id}.`, undefined) };
    await run.leaves.absorb(new Map([...changes].map(([key, text]) => [key, text ?? REMOVED] as const)));
    this.#runs.push(run);
    if (this.#runs.length > this.#parts.limits.runs) await this.#workIn();
    return undefined;
  }

  /** Removes, unread, the leaves whose summary is `unwanted`. */
  dropWhere(unwanted: (summary: number) => boolean): void {
    this.#base.dropWhere(unwanted);
    for (const { leaves } of this.#runs) leaves.dropWhere(unwanted);
    this.#runs = this.#runs.filter(({ leaves }) => !leaves.isEmpty);
  }

  drop(): void {
    this.dropWhere(() => true);
  }

  async #search(key: string): Promise<string | undefined> {
    for (const run of this.#runs.toReversed()) {
      const text = this.#isWorkedIn(run, key) ? undefined : await run.leaves.get(key);
      if (text !== undefined) return text === REMOVED ? undefined : text;
    }
    return this.#base.get(key);
  }

  /** Moves the cursor over one stretch of keys, and what the runs hold of them into the base. */
  async #workIn(): Promise<void> {
    const from = this.#cursor;
    const bounds = [this.#base, ...this.#runs.map(({ leaves }) => leaves)]
      .flatMap((leaves) => leaves.bounds())
      .filter((bound) => bound > from)
      .sort();
    const to = bounds[this.#parts.limits.stretch];
    const changes = new Map<string, string | null>();
    for (const run of this.#runs)
      for (const [key, text] of await run.leaves.entries(from, to))
        if (!this.#isWorkedIn(run, key)) changes.set(key, text === REMOVED ? null : text);
    await this.#base.absorb(changes);
    this.#cursor = to ?? '';
    this.#runs = this.#runs.filter(({ start, leaves }) => {
      const isThrough = to === undefined ? start === '' || start > from : from < start && start <= to;
      if (isThrough) leaves.drop();
      return !isThrough;
    });
  }

  #isWorkedIn({ start }: Run, key: string): boolean {
    const cursor = this.#cursor;
    return start <= cursor ? start <= key && key < cursor : key >= start || key < cursor;
  }

  #leaves(name: string, encoded: EncodedLeaves | undefined): PartLeaves {
    return new PartLeaves(`${this.#prefix}${name}`, this.#parts, this.#summarize, encoded);
  }
}
