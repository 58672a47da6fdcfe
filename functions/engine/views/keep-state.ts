import type { ViewNode } from '../../model/graph.ts';
import { type EpochMillis, earlier, MAX_TIMESTAMP } from '../../model/time.ts';
import type { RootDraft } from '../protocol/root.ts';
import { nextLoad } from './refresh.ts';
import type { ViewState } from './view-state.ts';

/** Puts a view's state into the root that is being made, with its hold and its due time. */
export function keepState(draft: RootDraft, node: ViewNode, next: ViewState): void {
  const { triggers, windows, claim, garbage, hold: before } = next;
  let { hold } = triggers;
  let due = earlier(triggers.due, nextLoad(node, next));
  let shownAt: EpochMillis = MAX_TIMESTAMP;
  for (const { pending } of windows) {
    if (pending === null) continue;
    hold = hold === null ? pending.hold : earlier(hold, pending.hold);
    shownAt = earlier(shownAt, pending.due);
  }
  // While one version is being written no other is begun.
  due = earlier(due, claim === null ? shownAt : claim.lease);
  for (const item of garbage) due = earlier(due, item.due);
  draft.holds.move(before ?? undefined, hold ?? undefined);
  draft.processingDue = due;
  draft.extra = { ...next, hold } satisfies ViewState;
}
