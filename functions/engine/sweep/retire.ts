/**
 * Retiring the roots of ingest instances and replays that nobody writes any more.
 *
 * Invariants: a root goes in one commit under its version, once every open range of it is covered, so whoever knows nothing
 * of it may take everything that it sent for done; what it knew of its source goes into the folded root in that very
 * commit. An instance that wakes fails its precondition, and starts a new root.
 */
import { ContentionError } from '../../model/errors.ts';
import { type EpochMillis, later, type Millis, plus } from '../../model/time.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Document, DocumentName, Precondition, Store, Version } from '../../ports/store.ts';
import { foldedRootId, messageState, withRetired } from '../ingest/message-state.ts';
import { MAX_DELETES } from '../protocol/commit-limits.ts';
import { outboxId, type RootId, sourceOf } from '../protocol/names.ts';
import { covers } from '../protocol/ranges.ts';
import { newRoot, type Root } from '../protocol/root.ts';
import { publishOutside } from './republish.ts';

export const RETIRE_AFTER = 600_000 as Millis;

/** Roots retired by one sweep. */
const MAX_RETIRED = 50;

/** The roots of a sweep's snapshot with their versions. */
export interface Snapshot {
  readonly roots: ReadonlyMap<RootId, Root>;
  readonly versions: ReadonlyMap<RootId, Version>;
}

export class Retirement {
  readonly #store: Store;
  readonly #bus: Bus;
  readonly #snapshot: Snapshot;
  readonly #counted: (root: RootId) => EpochMillis;
  /** The folded roots as this sweep has left them. */
  readonly #folded = new Map<RootId, { root: Root; version: Version | 'absent' }>();

  constructor(store: Store, bus: Bus, snapshot: Snapshot, counted: (root: RootId) => EpochMillis) {
    this.#store = store;
    this.#bus = bus;
    this.#snapshot = snapshot;
    this.#counted = counted;
  }

  /**
   * @param candidates roots of which nobody needs to read on
   * @returns the roots that are gone now
   */
  async retire(candidates: readonly Root[], now: EpochMillis, after: Millis): Promise<RootId[]> {
    const retired: RootId[] = [];
    const idle = candidates.filter((root) => plus(root.written, after) <= now && isSettled(root, this.#snapshot.roots));
    for (const root of idle.slice(0, MAX_RETIRED)) if (await this.#retireOne(root)) retired.push(root.id);
    return retired;
  }

  async #retireOne(root: Root): Promise<boolean> {
    for (const { document } of root.outside) await publishOutside(this.#store, this.#bus, root.id, document);
    const fence: Precondition = { collection: 'roots', id: root.id, version: this.#snapshot.versions.get(root.id)! };
    const documents = outboxOf(root);
    try {
      while (documents.length > MAX_DELETES)
        await this.#store.commit({ preconditions: [fence], sets: [], deletes: documents.splice(0, MAX_DELETES) });
      await this.#deleteRoot(root, fence, documents);
    } catch (error) {
      if (error instanceof ContentionError) return false;
      throw error;
    }
    return true;
  }

  async #deleteRoot(root: Root, fence: Precondition, documents: readonly DocumentName[]): Promise<void> {
    const source = sourceOf(root.id);
    const folded = source === undefined ? undefined : this.#foldedWith(foldedRootId(source), root);
    const sets: Document[] =
      folded === undefined ? [] : [{ collection: 'roots', id: folded.root.id, body: folded.root }];
    const preconditions = [fence];
    if (folded !== undefined) preconditions.push({ collection: 'roots', id: folded.root.id, version: folded.version });
    const own: DocumentName[] = [
      { collection: 'roots', id: root.id },
      { collection: 'settled', id: root.id },
    ];
    const [version] = await this.#store.commit({ preconditions, sets, deletes: [...own, ...documents] });
    if (folded !== undefined) this.#folded.set(folded.root.id, { root: folded.root, version: version! });
  }

  #foldedWith(id: RootId, retired: Root): { root: Root; version: Version | 'absent' } {
    const before = this.#folded.get(id) ?? {
      root: this.#snapshot.roots.get(id) ?? newRoot(id, retired.topology),
      version: this.#snapshot.versions.get(id) ?? 'absent',
    };
    const extra = withRetired(messageState(before.root), messageState(retired), this.#counted(id));
    const topology = Math.max(before.root.topology, retired.topology);
    return {
      root: { ...before.root, topology, written: later(before.root.written, retired.written), extra },
      version: before.version,
    };
  }
}

/** Whether all that a root has sent is known, from one snapshot, to be taken. */
export function isSettled(root: Root, roots: ReadonlyMap<RootId, Root>): boolean {
  return Object.entries(root.open).every(([target, open]) => {
    const done = roots.get(target)?.done[root.id];
    return open.every((range) => covers(done, range.from, range.to));
  });
}

/** Every outbox document that a root still names. */
export function outboxOf(root: Root): DocumentName[] {
  const numbers = new Set(root.outside.map(({ document }) => document));
  for (const range of Object.values(root.open).flat())
    for (let document = range.firstDocument; document <= range.lastDocument; document++) numbers.add(document);
  return [...numbers].map((document) => ({ collection: 'outbox', id: outboxId(root.id, document) }));
}
