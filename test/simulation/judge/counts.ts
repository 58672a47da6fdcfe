/** What instances have counted, held against what was committed: nothing is counted twice, or that never was. */
import type { DeadLetter } from '../../../functions/engine/dead-letter.ts';
import { countsOfStage } from '../../../functions/engine/protocol/counts.ts';
import type { Root } from '../../../functions/engine/protocol/root.ts';
import type { BundleCounts } from '../../../functions/engine/shard/work.ts';
import type { PipelineSpec } from '../scenario.ts';
import type { FaultCounts, FaultKind } from '../world/faults.ts';
import type { World } from '../world/world.ts';
import { paneRow } from './panes.ts';
import { Violation } from './violation.ts';

/** Who dies, or does not hear of a commit, counts nothing of it. */
const UNCOUNTED: readonly FaultKind[] = [
  'crashBefore',
  'crashInside',
  'crashAfter',
  'crashAtLast',
  'commitAnswerLost',
  'freeze',
  'deployed',
];

interface Total {
  elements: number;
  late: number;
  deadLetters: number;
  panes: number;
}

export class Counts {
  readonly #counted = new Map<string, Total>();
  readonly #taken = new Map<string, number>();

  /** An instance has counted a bundle of a stage. */
  counted(stage: string, { elements, late, deadLetters, panes }: BundleCounts): void {
    const total = this.#counted.get(stage) ?? { elements: 0, late: 0, deadLetters: 0, panes: 0 };
    total.elements += elements;
    total.late += late;
    total.deadLetters += deadLetters;
    total.panes += panes.EARLY + panes.ON_TIME + panes.LATE;
    this.#counted.set(stage, total);
  }

  /** A stage has taken elements in a commit. */
  taken(stage: string, elements: number): void {
    this.#taken.set(stage, (this.#taken.get(stage) ?? 0) + elements);
  }

  judge({ stages }: PipelineSpec, world: World, faults: FaultCounts): void {
    const isExact = UNCOUNTED.every((kind) => faults[kind] === undefined);
    const roots = world.store.truth.all('roots').map(({ body }) => body as Root);
    const letters = world.letters();
    for (const { id } of world.plan.stages) {
      const counted = this.#counted.get(id);
      const { panes, ...others } = countsOfStage(id, roots);
      const kept: Total = { ...others, panes: panes.EARLY + panes.ON_TIME + panes.LATE };
      const check = (what: keyof Total, is: number): void => {
        const count = counted?.[what] ?? 0;
        if (count > is || (isExact && count < is))
          throw new Violation('counters add up', `${id} has counted ${count} ${what} of ${is}`);
        // What is counted in the commits themselves is exact whatever happens.
        if (kept[what] !== is)
          throw new Violation('counters add up', `the roots of ${id} have counted ${kept[what]} ${what} of ${is}`);
      };
      const own = letters.filter(({ stage }) => stage === id);
      check('elements', this.#taken.get(id) ?? 0);
      check('deadLetters', sumOf(own.filter(({ kind }) => kind !== 'late')));
      const spec = stages.find(({ name }) => name === id);
      if (spec === undefined) continue;
      if (!spec.readsLate) check('late', sumOf(own.filter(({ kind }) => kind === 'late')));
      check('panes', world.rows(`${id}-panes`.replaceAll('-', '_')).map(paneRow).length);
    }
  }
}

function sumOf(letters: readonly DeadLetter[]): number {
  return letters.reduce((sum, { count }) => sum + count, 0);
}
