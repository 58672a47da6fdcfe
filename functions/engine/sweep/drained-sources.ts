import type { DrainControl } from '../control.ts';
import type { RootId } from '../protocol/names.ts';
import type { Root } from '../protocol/root.ts';
import { type EpochMillis, later, MAX_TIMESTAMP } from '../../model/time.ts';

/**
 * The watermarks of the sources of a pipeline that drains: at the end of time once reading has surely ended; where open
 * windows are waited for, they follow the clock first, for as long as any cell is left.
 * @param own the watermarks that the sources would have
 */
export function drainedSources(
  drain: DrainControl | undefined,
  own: Readonly<Record<string, EpochMillis>>,
  roots: ReadonlyMap<RootId, Root>,
  now: EpochMillis,
): Readonly<Record<string, EpochMillis>> {
  if (drain === undefined || now < drain.readingEnds) return own;
  const { closingEnds } = drain;
  const closing = closingEnds !== undefined && now < closingEnds && [...roots.values()].some(({ cells }) => cells > 0);
  const at = closing ? now : MAX_TIMESTAMP;
  return Object.fromEntries(Object.entries(own).map(([source, watermark]) => [source, later(watermark, at)]));
}
