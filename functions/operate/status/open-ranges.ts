/** What is on its way to a stage: given a number, and not known to be taken. */
import { parseShardId, type RootId } from '../../engine/protocol/names.ts';
import { contains, covers } from '../../engine/protocol/ranges.ts';
import type { OpenRange } from '../../engine/protocol/open-ranges.ts';
import type { Survey } from './survey.ts';

export interface OpenEnvelopes {
  readonly sender: RootId;
  readonly target: RootId;
  readonly range: OpenRange;
  /** How many of the range's envelopes are not taken. */
  readonly count: number;
  /** The first of them. */
  readonly first: number;
}

/** Those that hold the watermark at the earliest instant first. */
export function openEnvelopes({ roots }: Survey, stage: string): OpenEnvelopes[] {
  const open: OpenEnvelopes[] = [];
  for (const root of roots.values())
    for (const target in root.open) {
      if (parseShardId(target).stage !== stage) continue;
      const done = roots.get(target)?.done[root.id];
      for (const range of root.open[target]!) {
        if (covers(done, range.from, range.to)) continue;
        const missing: number[] = [];
        for (let number = range.from; number <= range.to; number++) if (!contains(done, number)) missing.push(number);
        open.push({ sender: root.id, target, range, count: missing.length, first: missing[0]! });
      }
    }
  return open.sort((a, b) => a.range.earliest - b.range.earliest);
}
