/**
 * The one way in which a root is written and what it produced leaves. Everybody who owns a root (shards, readers of
 * sources, replays) goes through here.
 *
 * Invariants: the batch is fenced by the root's version; an answer that was lost, or a stranger that seems to have won, is
 * told from a real loss by the nonce; nothing is published before its commit; a bus that is down only delays what is
 * committed until a sweep sends it again.
 */
import { OutdatedError, RetryableError } from '../../model/errors.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Document, DocumentName, Precondition, Store, StoredDocument, Version } from '../../ports/store.ts';
import { outboxId, type RootId } from './names.ts';
import type { Outbox } from './outbox.ts';
import { newRoot, type Root, type RootDraft } from './root.ts';

/** A root as it is stored. */
export interface StoredRoot {
  readonly root: Root;
  readonly version: Version | 'absent';
}

/**
 * A root as it was read, or a new one.
 * @throws {OutdatedError} when a newer deployment has written it
 */
export function openRoot(stored: StoredDocument | undefined, id: RootId, topology: number): StoredRoot {
  if (stored === undefined) return { root: newRoot(id, topology), version: 'absent' };
  const root = stored.body as Root;
  if (root.topology > topology)
    throw new OutdatedError(`${id} was written by topology ${root.topology}; this instance is of topology ${topology}`);
  return { root, version: stored.version };
}

/** What a commit writes beside the root. */
export interface Changes {
  readonly sets: readonly Document[];
  readonly deletes: readonly DocumentName[];
  /** What must hold beside the root's version. */
  readonly preconditions?: readonly Precondition[];
}

/**
 * Commits the draft's root and the changes in one batch.
 * @throws {ContentionError} when another instance has committed; nothing was written
 */
export async function commitRoot(
  store: Store,
  draft: RootDraft,
  version: Version | 'absent',
  nonce: string,
  topology: number,
  changes: Changes,
): Promise<StoredRoot> {
  const root = draft.finish(nonce, topology);
  const { id } = root;
  const dropped = draft
    .documentsToDelete()
    .map((document): DocumentName => ({ collection: 'outbox', id: outboxId(id, document) }));
  try {
    const [written] = await store.commit({
      preconditions: [{ collection: 'roots', id, version }, ...(changes.preconditions ?? [])],
      sets: [{ collection: 'roots', id, body: root }, ...changes.sets],
      deletes: [...changes.deletes, ...dropped],
    });
    return { root, version: written! };
  } catch (error) {
    const [stored] = await store.get('roots', [id]);
    if ((stored?.body as Root | undefined)?.nonce !== nonce) throw error;
    return { root: stored!.body as Root, version: stored!.version };
  }
}

/** Publishes what was committed. @returns the outbox documents whose messages for topics outside were accepted */
export async function publishOutbox(bus: Bus, { envelopes, outside }: Outbox): Promise<number[]> {
  const published: number[] = [];
  try {
    if (envelopes.length > 0) await bus.send(envelopes);
    for (const { document, messages } of outside) {
      await bus.publish(messages);
      published.push(document);
    }
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
  }
  return published;
}
