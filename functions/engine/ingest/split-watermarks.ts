import { type EpochMillis, earlier, MAX_TIMESTAMP } from '../../model/time.ts';
import { type RootId, sourceOf } from '../protocol/names.ts';
import type { Root } from '../protocol/root.ts';
import { splitState } from './split-reader.ts';

/** The watermark of each source that is read by splits: the earliest of its splits'. */
export function splitWatermarks(roots: ReadonlyMap<RootId, Root>): Record<string, EpochMillis> {
  const watermarks: Record<string, EpochMillis> = {};
  for (const root of roots.values()) {
    const source = sourceOf(root.id);
    if (source !== undefined)
      watermarks[source] = earlier(watermarks[source] ?? MAX_TIMESTAMP, splitState(root).watermark);
  }
  return watermarks;
}
