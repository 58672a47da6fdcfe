import { type EpochMillis, earlier } from '../../model/time.ts';
import type { Plan } from '../../plan/plan.ts';
import { isReplayRoot, type RootId, sourceOf } from '../protocol/names.ts';
import { covers } from '../protocol/ranges.ts';
import type { Root } from '../protocol/root.ts';

/**
 * Of each source of messages, the processing time before which everything that instances have taken in was taken by the
 * stages: when the oldest envelope that is still under way was given its number. What a replay has under way may be of any.
 * @param now processing time before the snapshot: the answer where nothing is under way
 */
export function takenTo(
  plan: Plan,
  roots: ReadonlyMap<RootId, Root>,
  now: EpochMillis,
): Readonly<Record<string, EpochMillis>> {
  const taken: Record<string, EpochMillis> = {};
  for (const { id, reader } of plan.sources) if (reader === 'messages') taken[id] = now;
  for (const root of roots.values()) {
    const source = sourceOf(root.id);
    const concerned = isReplayRoot(root.id)
      ? Object.keys(taken)
      : source !== undefined && source in taken
        ? [source]
        : [];
    if (concerned.length === 0) continue;
    const oldest = oldestUnderWay(root, roots, now);
    for (const each of concerned) taken[each] = earlier(taken[each]!, oldest);
  }
  return taken;
}

function oldestUnderWay(root: Root, roots: ReadonlyMap<RootId, Root>, now: EpochMillis): EpochMillis {
  let oldest = now;
  for (const target in root.open) {
    const done = roots.get(target)?.done[root.id];
    for (const { from, to, born } of root.open[target]!) if (!covers(done, from, to)) oldest = earlier(oldest, born);
  }
  return oldest;
}
