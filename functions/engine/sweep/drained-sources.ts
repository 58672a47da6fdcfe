import type { DrainControl } from '../control.ts';
import { type RootId, sourceOf } from '../protocol/names.ts';
import type { Root } from '../protocol/root.ts';
import { type EpochMillis, later, MAX_TIMESTAMP } from '../../model/time.ts';
import { openRoots } from './end-reading.ts';

/**
 * The watermarks of the sources of a pipeline that drains: at the end of time once reading has surely ended; where open
 * windows are waited for, they follow the clock first, for as long as any cell is left.
 * @param own the watermarks that the sources would have
 * @param roots of a snapshot that was read after the order
 * @param messages the sources of messages
 */
export function drainedSources(
  drain: DrainControl | undefined,
  own: Readonly<Record<string, EpochMillis>>,
  roots: ReadonlyMap<RootId, Root>,
  now: EpochMillis,
  messages: ReadonlySet<string>,
): Readonly<Record<string, EpochMillis>> {
  if (!drain?.closed) return own;
  const { closingEnds } = drain;
  const closing = closingEnds !== undefined && now < closingEnds && [...roots.values()].some(({ cells }) => cells > 0);
  const at = closing ? now : MAX_TIMESTAMP;
  const open = new Set(openRoots(roots, messages).map(({ id }) => sourceOf(id)));
  const ends = (source: string, watermark: EpochMillis): EpochMillis =>
    open.has(source) ? watermark : later(watermark, at);
  return Object.fromEntries(Object.entries(own).map(([source, watermark]) => [source, ends(source, watermark)]));
}
