/** What the root of an ingest instance keeps beside its numbers, and what sweeps tell it. */
import { type EpochMillis, later, MIN_TIMESTAMP } from '../../model/time.ts';
import { ingestRootId, type RootId, sourceOf } from '../protocol/names.ts';
import type { SettledFacts } from '../protocol/root.ts';
import { foldedSlices, mergedSlices } from './publish-slices.ts';
import type { SourceActivity } from './source-watermark.ts';

const NOTHING: SourceActivity = { slices: [], active: MIN_TIMESTAMP };

export function messageState(root: { readonly extra?: unknown }): SourceActivity {
  return (root.extra as SourceActivity | undefined) ?? NOTHING;
}

/** What several instances know together. */
export function mergedActivity(states: readonly SourceActivity[]): SourceActivity {
  return {
    slices: mergedSlices(states.map(({ slices }) => slices)),
    active: states.reduce((latest, { active }) => later(latest, active), MIN_TIMESTAMP),
  };
}

/** The body of `settled/{root}`. */
export interface SettledBody {
  readonly settled: SettledFacts;
  /** Publish-time slices that end here or before count for ever, so they may become one. */
  readonly counted: EpochMillis;
}

/** What a retired instance knew, folded into what those before it knew. */
export function withRetired(folded: SourceActivity, retired: SourceActivity, counted: EpochMillis): SourceActivity {
  const { slices, active } = mergedActivity([folded, retired]);
  return { slices: foldedSlices(slices, counted), active };
}

const FOLDED = 'folded';

/**
 * The root in which a source's retired instances leave what they knew. It sends nothing and is never retired; being a
 * root, it is part of the snapshot from which the source's watermark is computed.
 */
export function foldedRootId(source: string): RootId {
  return ingestRootId(source, FOLDED);
}

export function isFoldedRoot(id: RootId): boolean {
  const source = sourceOf(id);
  return source !== undefined && id === foldedRootId(source);
}
