/**
 * The watermark of every source, from one snapshot. Invariant: the backlog's samples and the stored watermarks that take
 * part were read before the snapshot (see `source-watermark.ts`; and what a sweep has published before that, no element
 * that the snapshot lacks can be behind).
 */
import { RetryableError } from '../../model/errors.ts';
import { type EpochMillis, later, MIN_TIMESTAMP } from '../../model/time.ts';
import type { Plan, PlannedSource } from '../../plan/plan.ts';
import type { Backlog, BacklogSample } from '../../ports/backlog.ts';
import { mergedActivity, messageState } from '../ingest/message-state.ts';
import { type SourceProgress, type SourceTiming, sourceProgress } from '../ingest/source-watermark.ts';
import { type RootId, sourceOf } from '../protocol/names.ts';
import type { Root } from '../protocol/root.ts';

export type Samples = ReadonlyMap<string, BacklogSample>;

/** The newest sample of each source of messages; those that cannot be read now are left out. */
export async function takeSamples(plan: Plan, backlog: Backlog | undefined): Promise<Samples> {
  const samples = new Map<string, BacklogSample>();
  if (backlog === undefined) return samples;
  const take = async ({ id }: PlannedSource): Promise<void> => {
    try {
      const sample = await backlog.sample(id);
      if (sample !== undefined) samples.set(id, sample);
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
    }
  };
  await Promise.all(plan.sources.filter(({ reader }) => reader === 'messages').map(take));
  return samples;
}

/** How far each source of messages is known to be complete. */
export function progressOfSources(
  plan: Plan,
  roots: ReadonlyMap<RootId, Root>,
  samples: Samples,
  now: EpochMillis,
  timing?: SourceTiming,
): Map<string, SourceProgress> {
  const progress = new Map<string, SourceProgress>();
  for (const { id, node, reader } of plan.sources) {
    if (reader !== 'messages') continue;
    const activity = mergedActivity([...roots.values()].filter((root) => sourceOf(root.id) === id).map(messageState));
    progress.set(id, sourceProgress(node.source, activity, samples.get(id), now, timing));
  }
  return progress;
}

/** The watermarks that the progress gives, none behind what was published before the snapshot. */
export function watermarksOfMessages(
  progress: ReadonlyMap<string, SourceProgress>,
  published: Readonly<Record<string, EpochMillis>>,
): Record<string, EpochMillis> {
  const watermarks: Record<string, EpochMillis> = {};
  for (const [source, { watermark }] of progress)
    watermarks[source] = later(watermark, published[source] ?? MIN_TIMESTAMP);
  return watermarks;
}
