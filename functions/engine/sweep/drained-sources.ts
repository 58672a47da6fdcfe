import type { DrainControl } from '../control.ts';
import { earliestHold } from '../protocol/holds.ts';
import { type RootId, sourceOf } from '../protocol/names.ts';
import type { Root } from '../protocol/root.ts';
import { type EpochMillis, later, MAX_TIMESTAMP } from '../../model/time.ts';
import { openRoots } from './end-reading.ts';
import { isSettled } from './retire.ts';

/**
 * The watermarks of the sources of a pipeline that drains: at the end of time once reading has surely ended; where open
 * windows are waited for, they follow the clock first, for as long as one is open, or may be by what is under way.
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
  const closing =
    closingEnds !== undefined &&
    now < closingEnds &&
    [...roots.values()].some((root) => isWaitedFor(root, roots, closingEnds));
  const at = closing ? now : MAX_TIMESTAMP;
  const open = new Set(openRoots(roots, messages).map(({ id }) => sourceOf(id)));
  const ends = (source: string, watermark: EpochMillis): EpochMillis =>
    open.has(source) ? watermark : later(watermark, at);
  return Object.fromEntries(Object.entries(own).map(([source, watermark]) => [source, ends(source, watermark)]));
}

/**
 * Whether a root has windows, or what will come into some: on its way, or waiting without a cell, as for a view. A hold beyond
 * the end of the closing, as of a view's global window, is not waited for: the clock does not come to it before.
 */
function isWaitedFor(root: Root, roots: ReadonlyMap<RootId, Root>, closingEnds: EpochMillis): boolean {
  return root.cells > 0 || earliestHold(root.holds) < closingEnds || !isSettled(root, roots);
}
