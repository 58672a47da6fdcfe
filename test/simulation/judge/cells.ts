/** Sees that what a shard's root says of its cells is so: their holds, and when the next of them is due. */
import type { Root } from '../../../functions/engine/protocol/root.ts';
import type { Batch } from '../../../functions/ports/store.ts';
import { Violation } from './violation.ts';

interface CellFacts {
  readonly hold: number | null;
  readonly eventDue: number;
  readonly processingDue: number;
}

export class Cells {
  readonly #shards = new Map<string, Map<string, CellFacts>>();
  /** What roots hold at themselves, whose elements wait elsewhere than in cells. */
  readonly #roots = new Map<string, number>();

  /** @param inCells whether all that holds the watermark in the shard is in cells */
  committed(batch: Batch, { id, holds, eventDue, processingDue }: Root, inCells: boolean): void {
    if (!inCells) {
      this.#roots.set(id, holds[0]?.low ?? Number.POSITIVE_INFINITY);
      return;
    }
    const cells = this.#of(id);
    for (const document of batch.sets) {
      if (document.collection !== 'cells') continue;
      const { hold } = document.body as { hold: number | null };
      const due = (clock: string): number =>
        (document.index?.[clock] as number | undefined) ?? Number.POSITIVE_INFINITY;
      cells.set(document.id, { hold, eventDue: due('eventDue'), processingDue: due('processingDue') });
    }
    for (const document of batch.deletes) if (document.collection === 'cells') cells.delete(document.id);
    if (cells.size === 0 && holds.length === 0) return;
    let held = 0;
    for (const cell of cells.values()) {
      if (cell.eventDue < eventDue)
        throw new Violation('a root knows when its cells are due', `${id} event ${cell.eventDue} < ${eventDue}`);
      if (cell.processingDue < processingDue)
        throw new Violation(
          'a root knows when its cells are due',
          `${id} processing ${cell.processingDue} < ${processingDue}`,
        );
      if (cell.hold === null) continue;
      held += 1;
      if (!holds.some(({ low, high }) => low <= cell.hold! && cell.hold! <= high))
        throw new Violation('a root holds for each of its cells', `${id} does not hold at ${cell.hold}`);
    }
    const count = holds.reduce((sum, bucket) => sum + bucket.count, 0);
    if (count !== held)
      throw new Violation('a root holds for each of its cells', `${id} has ${count} holds for ${held} cells`);
  }

  /** The earliest hold of a stage, or infinity. */
  earliestHold(stage: string): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const [shard, hold] of this.#roots) if (shard.startsWith(`${stage}~`)) earliest = Math.min(earliest, hold);
    for (const [shard, cells] of this.#shards)
      if (shard.startsWith(`${stage}~`))
        for (const { hold } of cells.values()) if (hold !== null && hold < earliest) earliest = hold;
    return earliest;
  }

  #of(shard: string): Map<string, CellFacts> {
    let cells = this.#shards.get(shard);
    if (cells === undefined) {
      cells = new Map();
      this.#shards.set(shard, cells);
    }
    return cells;
  }
}
