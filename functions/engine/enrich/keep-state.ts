import type { EnrichNode } from '../../model/graph.ts';
import { type EpochMillis, earlier, MAX_TIMESTAMP } from '../../model/time.ts';
import type { HoldsDraft } from '../protocol/holds.ts';
import type { RootDraft } from '../protocol/root.ts';
import { dueTime, type EnrichState, enrichState, holdsOf } from './enrich-state.ts';

/**
 * Puts a state into the root, with its holds and due time.
 * @param idsDue when ids are next to be forgotten; absent: as it was
 */
export function keepState(draft: RootDraft, state: EnrichState, node: EnrichNode, idsDue?: EpochMillis): void {
  const before = enrichState(draft);
  moveHolds(draft.holds, holdsOf(before), holdsOf(state));
  const kept: EnrichState = { ...state, idsDue: idsDue ?? state.idsDue };
  draft.extra = kept;
  draft.eventDue = MAX_TIMESTAMP;
  draft.processingDue = earlier(dueTime(kept, node.batch), kept.idsDue);
}

/** Takes away the stamps that are gone and puts in the new ones; what stays is not touched. */
function moveHolds(holds: HoldsDraft, before: readonly EpochMillis[], after: readonly EpochMillis[]): void {
  const change = new Map<EpochMillis, number>();
  for (const at of after) change.set(at, (change.get(at) ?? 0) + 1);
  for (const at of before) change.set(at, (change.get(at) ?? 0) - 1);
  for (const [at, count] of change) for (let i = 0; i < count; i++) holds.move(undefined, at);
  for (const [at, count] of change) for (let i = 0; i > count; i--) holds.move(at, undefined);
}
