/**
 * When the cells of a shard are next due, on one clock. Invariant: it knows every cell of the shard whose due time is at
 * most `completeTo`; for later ones the store must be asked.
 */
import { type EpochMillis, MAX_TIMESTAMP, plus } from '../../model/time.ts';

interface Entry {
  readonly due: EpochMillis;
  readonly key: string;
}

export class DueQueue {
  /** The due time of each known cell, undefined once it was taken; the heap may hold older entries, which are passed over. */
  readonly #due = new Map<string, EpochMillis | undefined>();
  readonly #heap: Entry[] = [];
  #completeTo: EpochMillis;

  /** @param nothingBefore no cell is due before this (a root's lower bound); `MAX_TIMESTAMP` = there is none at all */
  constructor(nothingBefore: EpochMillis) {
    this.#completeTo = nothingBefore >= MAX_TIMESTAMP ? MAX_TIMESTAMP : plus(nothingBefore, -1);
  }

  get completeTo(): EpochMillis {
    return this.#completeTo;
  }

  /** A page of the store's index has been read in, up to here. */
  completeUpTo(at: EpochMillis): void {
    if (at > this.#completeTo) this.#completeTo = at;
  }

  /** Sets when a cell is next due; `MAX_TIMESTAMP` = never. */
  set(key: string, due: EpochMillis): void {
    if (due >= MAX_TIMESTAMP) {
      this.#due.delete(key);
      return;
    }
    if (this.#due.get(key) === due) return;
    this.#due.set(key, due);
    this.#push({ due, key });
    if (this.#heap.length > 64 && this.#heap.length > 4 * this.#due.size) this.#rebuild();
  }

  /** A lower bound of the next due time, or `MAX_TIMESTAMP`. */
  next(): EpochMillis {
    this.#dropStale();
    const first = this.#heap[0]?.due ?? MAX_TIMESTAMP;
    return this.#completeTo < first ? plus(this.#completeTo, 1) : first;
  }

  /** Takes the cells that are due at `at`, earliest first, at most `limit`. They are not known until they are set again. */
  take(at: EpochMillis, limit: number): string[] {
    const taken: string[] = [];
    while (taken.length < limit) {
      this.#dropStale();
      const first = this.#heap[0];
      if (first === undefined || first.due > at) break;
      this.#pop();
      // Not deleted: it is set again soon, and a map of which much is deleted is made anew again and again.
      this.#due.set(first.key, undefined);
      taken.push(first.key);
    }
    return taken;
  }

  #dropStale(): void {
    while (this.#heap.length > 0 && this.#due.get(this.#heap[0]!.key) !== this.#heap[0]!.due) this.#pop();
  }

  #rebuild(): void {
    this.#heap.length = 0;
    for (const [key, due] of this.#due) if (due !== undefined) this.#push({ due, key });
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.due <= entry.due) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.due < heap[child]!.due) child += 1;
      if (heap[child]!.due >= last.due) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}
