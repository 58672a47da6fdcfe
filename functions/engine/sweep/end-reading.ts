/**
 * How a drain ends the reading of sources of messages.
 *
 * Invariants: first the order is closed, and from then on nobody creates the root of an ingest instance (`readingFence`).
 * Then each such root in a snapshot is closed under its version, so that whoever has messages in hand fails to commit them,
 * however long he stood still. So in a snapshot that was read after the order was closed, a source of which every root is
 * closed gets nothing more; what was not committed stays with the source, for what is deployed after the drain.
 */
import { ContentionError } from '../../model/errors.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Store } from '../../ports/store.ts';
import { type DrainControl, type StoredControl, writeControl } from '../control.ts';
import { closed, isClosed, isFoldedRoot } from '../ingest/message-state.ts';
import { type RootId, sourceOf } from '../protocol/names.ts';
import type { Root } from '../protocol/root.ts';
import type { Snapshot } from './retire.ts';

/** Roots closed by one sweep. */
const MAX_CLOSED = 200;

/** Closes the order when its time has come. @returns the order that holds */
export async function closedOrder(
  store: Store,
  drain: StoredControl<DrainControl> | undefined,
  now: EpochMillis,
): Promise<DrainControl | undefined> {
  if (drain === undefined || drain.body.closed || now < drain.body.readingEnds) return drain?.body;
  const order: DrainControl = { ...drain.body, closed: true };
  return (await isWritten(writeControl(store, 'drain', order, drain))) ? order : drain.body;
}

/** Closes the roots of instances that are still open. @returns how many have been */
export async function closeRoots(
  store: Store,
  { roots, versions }: Snapshot,
  sources: ReadonlySet<string>,
): Promise<number> {
  let count = 0;
  for (const root of openRoots(roots, sources).slice(0, MAX_CLOSED)) {
    const name = { collection: 'roots', id: root.id } as const;
    const preconditions = [{ ...name, version: versions.get(root.id)! }];
    const written = store.commit({ preconditions, sets: [{ ...name, body: closed(root) }], deletes: [] });
    if (await isWritten(written)) count += 1;
  }
  return count;
}

/** The roots of ingest instances that may still be written by them. @param sources those of messages */
export function openRoots(roots: ReadonlyMap<RootId, Root>, sources: ReadonlySet<string>): Root[] {
  return [...roots.values()].filter(
    (root) => sources.has(sourceOf(root.id) ?? '') && !isFoldedRoot(root.id) && !isClosed(root),
  );
}

/** False when somebody else was first; the next sweep looks again. */
async function isWritten(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ContentionError) return false;
    throw error;
  }
}
