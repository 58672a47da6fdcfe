import type { ViewNode } from '../../model/graph.ts';
import type { Store } from '../../ports/store.ts';
import { splitLines } from './entries.ts';
import { chunkPrefix, runPrefix } from './names.ts';
import type { Lines } from './pointer.ts';
import type { PendingPane, ViewWindow } from './view-state.ts';

/** Documents read at a time. */
const PAGE = 16;

/**
 * All lines of a pane: its runs, and of an accumulating window the version that is shown, which holds what came before.
 * @returns undefined when documents are gone, since somebody has shown a newer version
 */
export async function readPane(
  store: Store,
  shard: string,
  { name, strategy }: ViewNode,
  { runs, shown }: ViewWindow,
  { from, to }: PendingPane,
): Promise<string[] | undefined> {
  const lines: string[] = [];
  const base = strategy.accumulation === 'accumulating' ? shown : null;
  const prefix = runPrefix(shard);
  const wanted = runs.filter(({ ordinal }) => ordinal >= from && ordinal <= to && ordinal > (base?.through ?? 0));
  const chunks = Array.from({ length: base?.chunks ?? 0 }, (_, i) => `${chunkPrefix(name, base!.version)}${i}`);
  const runIds = wanted.map(({ number }) => `${prefix}${number}`);
  for (const [collection, ids] of [
    ['views', chunks],
    ['runs', runIds],
  ] as const)
    for (let at = 0; at < ids.length; at += PAGE) {
      const documents = await store.get(collection, ids.slice(at, at + PAGE));
      for (const document of documents) {
        if (document === undefined) return undefined;
        for (const line of splitLines((document.body as Lines).lines)) lines.push(line);
      }
    }
  return lines;
}
