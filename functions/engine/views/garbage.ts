/**
 * Documents of a view that nobody needs any more, kept in its root until they are deleted, a few in a commit: Firestore
 * counts what a commit deletes as part of its size.
 */
import type { EpochMillis } from '../../model/time.ts';
import { maxTimestamp, type Window } from '../../model/windows.ts';
import type { DocumentName } from '../../ports/store.ts';
import { chunkPrefix, runPrefix } from './names.ts';
import type { ViewRun, ViewWindow } from './view-state.ts';

export interface Garbage {
  readonly collection: 'views' | 'runs';
  readonly prefix: string;
  /** The numbers after the prefix. */
  readonly from: number;
  readonly to: number;
  /** The processing time from which they may go. */
  readonly due: EpochMillis;
  /** The last instant of their window: once all readers are past it, they go at once. */
  readonly last: EpochMillis;
}

/** Documents deleted in one commit; one has at most about half a MiB. */
const PAGE = 12;

/** Collects garbage during one commit. */
export class GarbageBin {
  items: Garbage[];
  readonly #view: string;
  readonly #shard: string;

  constructor(items: readonly Garbage[], view: string, shard: string) {
    this.items = [...items];
    this.#view = view;
    this.#shard = shard;
  }

  /** Throws away the runs of a window that are to go, and returns those that stay. */
  runs({ runs, ...window }: ViewWindow, goes: (run: ViewRun) => boolean, due: EpochMillis): readonly ViewRun[] {
    const stays: ViewRun[] = [];
    const numbers: number[] = [];
    for (const run of runs)
      if (goes(run)) numbers.push(run.number);
      else stays.push(run);
    if (numbers.length === 0) return runs;
    for (const span of spans(numbers)) this.items.push(this.#item('runs', runPrefix(this.#shard), span, window, due));
    return stays;
  }

  /** Throws away a version. */
  chunks(window: Window, version: string, chunks: number, due: EpochMillis): void {
    if (chunks === 0) return;
    const span = { from: 0, to: chunks - 1 };
    this.items.push(this.#item('views', chunkPrefix(this.#view, version), span, window, due));
  }

  /** Takes out a page of what may be deleted now. @param passed all readers are past this instant */
  page(now: EpochMillis, passed: EpochMillis): DocumentName[] {
    const names: DocumentName[] = [];
    const rest: Garbage[] = [];
    for (const item of this.items) {
      const room = PAGE - names.length;
      const mayGo = item.due <= now || item.last < passed;
      const count = mayGo ? Math.min(room, item.to - item.from + 1) : 0;
      for (let i = 0; i < count; i++) names.push({ collection: item.collection, id: `${item.prefix}${item.from + i}` });
      if (item.from + count <= item.to) rest.push({ ...item, from: item.from + count });
    }
    this.items = rest;
    return names;
  }

  #item(
    collection: Garbage['collection'],
    prefix: string,
    { from, to }: { from: number; to: number },
    window: Window,
    due: EpochMillis,
  ): Garbage {
    return { collection, prefix, from, to, due, last: maxTimestamp(window) };
  }
}

/** Numbers as spans of neighbours. */
function spans(numbers: readonly number[]): { from: number; to: number }[] {
  const result: { from: number; to: number }[] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const open = result.at(-1);
    if (open !== undefined && open.to + 1 === number) open.to = number;
    else result.push({ from: number, to: number });
  }
  return result;
}

/** Whether some of it may be deleted now. */
export function hasDueGarbage(items: readonly Garbage[], now: EpochMillis, passed: EpochMillis): boolean {
  return items.some(({ due, last }) => due <= now || last < passed);
}
