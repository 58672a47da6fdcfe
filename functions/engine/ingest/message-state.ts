/** What the root of an ingest instance keeps beside its numbers, and what sweeps tell it. */
import { type EpochMillis, later, MIN_TIMESTAMP } from '../../model/time.ts';
import type { Precondition, Store } from '../../ports/store.ts';
import { ingestRootId, type RootId, sourceOf } from '../protocol/names.ts';
import type { Root, SettledFacts } from '../protocol/root.ts';
import { foldedSlices, mergedSlices } from './publish-slices.ts';
import type { SourceActivity } from './source-watermark.ts';

const NOTHING: SourceActivity = { slices: [], active: MIN_TIMESTAMP };

export function messageState(root: { readonly extra?: unknown }): SourceActivity {
  return (root.extra as SourceActivity | undefined) ?? NOTHING;
}

/** What the root of an instance keeps. */
interface InstanceState extends SourceActivity {
  /** A drain has ended the reading: nobody writes the root again but to retire it. */
  readonly closed?: true;
}

export function isClosed({ extra }: { readonly extra?: unknown }): boolean {
  return (extra as InstanceState | undefined)?.closed === true;
}

/**
 * The root, closed. What is written has a new version, which no instance knows, so that none commits on it; the nonce stays,
 * so that an instance whose last commit's answer was lost knows that it was applied.
 */
export function closed(root: Root): Root {
  const extra: InstanceState = { ...messageState(root), closed: true };
  return { ...root, extra };
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

/** What the retired instances of a source knew. */
interface FoldedActivity extends SourceActivity {
  /** How many they are: each retirement changes the folded root, and so its version. Absent: none was counted. */
  readonly retired?: number;
}

/** What a retired instance knew, folded into what those before it knew. */
export function withRetired(folded: SourceActivity, retired: SourceActivity, counted: EpochMillis): SourceActivity {
  const { slices, active } = mergedActivity([folded, retired]);
  const next: FoldedActivity = {
    slices: foldedSlices(slices, counted),
    active,
    retired: ((folded as FoldedActivity).retired ?? 0) + 1,
  };
  return next;
}

const FOLDED = 'folded';

/**
 * The root in which a source's retired instances leave what they knew. It sends nothing and is never retired; being a
 * root, it is part of the snapshot from which the source's watermark is computed.
 */
export function foldedRootId(source: string): RootId {
  return ingestRootId(source, FOLDED);
}

/**
 * What the first commit of an instance's root asks beside its absence: that no root of the source was retired since this
 * was read, which is before that commit was first sent. Otherwise the root may be among them, and the commit, sent
 * again or late on its way, would make it anew and give its numbers twice.
 */
export async function retirementFence(store: Store, source: string): Promise<Precondition> {
  const id = foldedRootId(source);
  const [stored] = await store.get('roots', [id]);
  return { collection: 'roots', id, version: stored?.version ?? 'absent' };
}

export function isFoldedRoot(id: RootId): boolean {
  const source = sourceOf(id);
  return source !== undefined && id === foldedRootId(source);
}
