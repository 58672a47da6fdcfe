/**
 * What a stage does with its bundles, apart from the protocol: `Shard` takes numbers, commits, publishes and tries again;
 * a workspace turns envelopes into documents and products.
 */
import type { EpochMillis } from '../../model/time.ts';
import type { Envelope, ViewFact } from '../../ports/bus.ts';
import type { Document, DocumentName, Version } from '../../ports/store.ts';
import type { BundleOutput } from '../chain/bundle-output.ts';
import type { DeadLetter, DeadLetterPlace } from '../dead-letter.ts';
import type { Root, RootDraft } from '../protocol/root.ts';

/** What a bundle counted. */
export interface BundleCounts {
  elements: number;
  /** Elements of a source that were known already, and left out; `elements` counts them too. */
  duplicates: number;
  late: number;
  deadLetters: number;
  readonly panes: { EARLY: number; ON_TIME: number; LATE: number };
}

export function noCounts(): BundleCounts {
  return { elements: 0, duplicates: 0, late: 0, deadLetters: 0, panes: { EARLY: 0, ON_TIME: 0, LATE: 0 } };
}

/** The newest published watermarks of the stage, as known here. */
export interface KnownWatermarks {
  readonly inputWatermark: EpochMillis;
  readonly outputWatermark: EpochMillis;
  /** What ticks have told of views, by view. */
  readonly views: ReadonlyMap<string, ViewFact>;
  /** How many timers and windows may fire in a bundle that was too large with more. Absent: as many as usual. */
  readonly deliveries?: number;
  /** Of a bundle of one firing: where it comes to more characters than this, it is given up. */
  readonly refuseAbove?: number;
}

export interface BundleResult {
  readonly sets: readonly Document[];
  readonly deletes: readonly DocumentName[];
  /** Roughly what `sets` weigh. */
  readonly characters: number;
  readonly output: BundleOutput;
  readonly counts: BundleCounts;
  /** What failed for good; the shard writes it with the bundle and tells of it. */
  readonly letters?: readonly DeadLetter[];
  /** Whether there is more to do at once, without new envelopes. */
  readonly more: boolean;
}

/** Everything an instance has in memory for a shard. Thrown away when a commit fails. */
export interface Workspace {
  /**
   * Works on envelopes that were not taken before; takes their numbers into `draft`, adopts the watermarks, keeps holds
   * and due times. Pure but for reads of the store.
   */
  run(
    draft: RootDraft,
    envelopes: readonly Envelope[],
    known: KnownWatermarks,
    place: (i: number) => DeadLetterPlace,
  ): Promise<BundleResult>;
  /** The bundle was committed. */
  committed(root: Root): void;
  /** Whether what ticks have told is reason enough for a bundle without envelopes. Default: it is not. */
  isWoken?(known: KnownWatermarks): boolean;
}

export interface Work {
  /** Makes the memory of a shard whose root stands at `version`. */
  open(root: Root, version: Version | 'absent'): Workspace;
}
