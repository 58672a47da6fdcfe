/** What a bundle may write, whatever it holds: one document of each kind, and a second where one was full. */
import type { Batch, Collection } from '../../../functions/ports/store.ts';
import { Violation } from './violation.ts';

/** Documents of one commit. Cells go by keys, runs of views and of what waits for them by windows, letters by what fails. */
const MOST: Readonly<Partial<Record<Collection, number>>> = { roots: 1, outbox: 2, ids: 2, parts: 40 };

/** Where pieces are small there are more of them. */
const MOST_SMALL_PARTS = 200;

/**
 * @param hasOneRun whether what the stage keeps in runs is one document a bundle
 * @param smallCells whether cells are small, and so their parts
 */
export function checkCost({ sets }: Batch, root: string, hasOneRun: boolean, smallCells: boolean): void {
  const counts = new Map<Collection, number>();
  for (const { collection } of sets) counts.set(collection, (counts.get(collection) ?? 0) + 1);
  for (const [collection, count] of counts) {
    const isSmall = collection === 'parts' && smallCells;
    const most = collection === 'runs' && hasOneRun ? 1 : isSmall ? MOST_SMALL_PARTS : MOST[collection];
    if (most !== undefined && count > most)
      throw new Violation('a bundle costs what it must', `${root} writes ${count} documents of ${collection}`);
  }
}
