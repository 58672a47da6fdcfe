import { type BundleCounts, noCounts } from '../../engine/shard/work.ts';

/** What the stages and sources of an instance have counted since it started. */
export class StageCounts {
  readonly #counts = new Map<string, BundleCounts>();

  add(stage: string, bundle: BundleCounts): void {
    const total = this.#counts.get(stage) ?? noCounts();
    this.#counts.set(stage, total);
    total.elements += bundle.elements;
    total.late += bundle.late;
    total.duplicates += bundle.duplicates;
    total.deadLetters += bundle.deadLetters;
    for (const timing of ['EARLY', 'ON_TIME', 'LATE'] as const) total.panes[timing] += bundle.panes[timing];
  }

  all(): Readonly<Record<string, BundleCounts>> {
    return Object.fromEntries(this.#counts);
  }
}
