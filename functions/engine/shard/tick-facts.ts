/**
 * What ticks have told a shard and no commit has used yet. Every part of it is a fact that never becomes false, so all of
 * it may be lost, and any of it may be applied at any time.
 */
import { type EpochMillis, later, MIN_TIMESTAMP } from '../../model/time.ts';
import type { Tick, ViewFact } from '../../ports/bus.ts';
import type { RootId, ShardId } from '../protocol/names.ts';
import { type Ranges, union } from '../protocol/ranges.ts';
import { hasDueTimers, type Root, type RootDraft } from '../protocol/root.ts';
import type { KnownWatermarks } from './work.ts';

/** Facts that wait this long for a commit of other work get one of their own; milliseconds. */
export const SETTLE_AFTER = 10_000;

export class TickFacts implements KnownWatermarks {
  inputWatermark: EpochMillis = MIN_TIMESTAMP;
  outputWatermark: EpochMillis = MIN_TIMESTAMP;
  #processingTime: EpochMillis = MIN_TIMESTAMP;
  readonly views = new Map<string, ViewFact>();
  #settled = new Map<ShardId, Ranges>();
  #gone = new Set<RootId>();
  #published = new Set<number>();

  note(root: Root, ticks: readonly Tick[]): void {
    for (const tick of ticks) {
      this.inputWatermark = later(this.inputWatermark, tick.inputWatermark);
      this.outputWatermark = later(this.outputWatermark, tick.outputWatermark);
      this.#processingTime = later(this.#processingTime, tick.processingTime);
      for (const view in tick.views) this.views.set(view, newest(this.views.get(view), tick.views[view]!));
      for (const target in tick.settled)
        if (root.open[target] !== undefined)
          this.#settled.set(target, union(this.#settled.get(target) ?? [], tick.settled[target]!));
      for (const sender of tick.gone) if (root.done[sender] !== undefined) this.#gone.add(sender);
    }
  }

  /** Messages of an outbox document for topics outside were accepted. */
  published(document: number): void {
    this.#published.add(document);
  }

  /** The outbox documents whose messages for topics outside are known to be accepted. */
  get publishedDocuments(): readonly number[] {
    return [...this.#published];
  }

  apply(draft: RootDraft): void {
    if (this.#settled.size > 0) draft.settle(Object.fromEntries(this.#settled));
    for (const sender of this.#gone) draft.forget(sender);
    for (const document of this.#published) draft.published(document);
  }

  /** Whether what is known is reason enough for a commit without envelopes. */
  worthCommit(root: Root, clock: EpochMillis): boolean {
    const now = later(later(root.processingTime, clock), this.#processingTime);
    if (hasDueTimers(root, later(root.inputWatermark, this.inputWatermark), now)) return true;
    return this.#settled.size + this.#gone.size + this.#published.size > 0 && now - root.written >= SETTLE_AFTER;
  }

  /** A commit has used it all. */
  committed(): void {
    // Replaced, not cleared: see `LiftingOutlet`.
    if (this.#settled.size > 0) this.#settled = new Map();
    if (this.#gone.size > 0) this.#gone = new Set();
    if (this.#published.size > 0) this.#published = new Set();
  }
}

function newest(known: ViewFact | undefined, told: ViewFact): ViewFact {
  if (known === undefined) return told;
  return {
    revision: Math.max(known.revision, told.revision),
    watermark: later(known.watermark, told.watermark),
    passed: later(known.passed, told.passed),
  };
}
