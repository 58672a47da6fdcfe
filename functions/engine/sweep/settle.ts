/**
 * Telling senders what was taken. Shards hear it in their ticks; ingest instances and replays, which no message reaches,
 * read it in `settled/{root}` at their next commit. A fact never becomes false, so a document may be old or overwritten.
 */
import { type EpochMillis, MIN_TIMESTAMP, plus } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Document, Store } from '../../ports/store.ts';
import { foldedSlices } from '../ingest/publish-slices.ts';
import { messageState, type SettledBody } from '../ingest/message-state.ts';
import type { RootId } from '../protocol/names.ts';
import { covers } from '../protocol/ranges.ts';
import type { Root, SettledFacts } from '../protocol/root.ts';

/** What of each root's open ranges the targets' `done` cover; roots of which that is nothing are left out. */
export function settledFactsOf(roots: ReadonlyMap<RootId, Root>): Map<RootId, SettledFacts> {
  const settled = new Map<RootId, SettledFacts>();
  for (const root of roots.values()) {
    const facts = settledFacts(root, roots);
    if (facts !== undefined) settled.set(root.id, facts);
  }
  return settled;
}

function settledFacts(root: Root, roots: ReadonlyMap<RootId, Root>): SettledFacts | undefined {
  let facts: Record<RootId, (readonly [number, number])[]> | undefined;
  for (const target in root.open) {
    const done = roots.get(target)?.done[root.id];
    for (const { from, to } of root.open[target]!) {
      if (!covers(done, from, to)) continue;
      facts ??= {};
      facts[target] ??= [];
      facts[target].push([from, to]);
    }
  }
  return facts;
}

/**
 * A root that is not written for so long has nobody who reads; milliseconds. Far below the time after which roots are
 * retired, so that a sweep that is delayed writes for none that is gone.
 */
const READ_WITHIN = 120_000;
/**
 * A sweep that stood still for longer since its snapshot writes none: roots may have been retired meanwhile, and nobody
 * would delete what it writes for them; milliseconds.
 */
const WRITTEN_WITHIN = 240_000;
/** Documents of one commit. */
const MAX_SETTLED = 200;

/** Writes the documents of the roots that read them, each when it says something new. */
export class SettledWriter {
  readonly #written = new Map<RootId, string>();

  /**
   * @param counted how far each source's publish-time slices count
   * @param readers the roots that read such documents
   * @param now processing time before the snapshot
   */
  async write(
    store: Store,
    readers: readonly Root[],
    settled: ReadonlyMap<RootId, SettledFacts>,
    counted: (root: RootId) => EpochMillis,
    now: EpochMillis,
    clock: Clock,
  ): Promise<void> {
    const news: { readonly text: string; readonly document: Document }[] = [];
    for (const root of readers) {
      if (plus(root.written, READ_WITHIN) < now) continue;
      const body: SettledBody = { settled: settled.get(root.id) ?? {}, counted: counted(root.id) };
      if (!saysSomething(root, body)) continue;
      const text = JSON.stringify(body);
      if (this.#written.get(root.id) === text) continue;
      news.push({ text, document: { collection: 'settled', id: root.id, body } });
    }
    const present = new Set(readers.map(({ id }) => id));
    for (const id of this.#written.keys()) if (!present.has(id)) this.#written.delete(id);
    for (let from = 0; from < news.length && clock.now() < plus(now, WRITTEN_WITHIN); from += MAX_SETTLED) {
      const some = news.slice(from, from + MAX_SETTLED);
      await store.commit({ preconditions: [], sets: some.map(({ document }) => document), deletes: [] });
      for (const { text, document } of some) this.#written.set(document.id, text);
    }
  }
}

function saysSomething(root: Root, { settled, counted }: SettledBody): boolean {
  if (Object.keys(settled).length > 0) return true;
  const { slices } = messageState(root);
  return counted > MIN_TIMESTAMP && foldedSlices(slices, counted) !== slices;
}
