/** What an epoch leaves in tables stays there, or is replaced by what is newer. */
import type { World } from '../world/world.ts';
import { Violation } from './violation.ts';

export function checkLeft({ before, warehouse }: World): void {
  for (const { table, place, row } of before.placed) {
    const there = warehouse.rowsAt(table, place);
    if (!there.includes(row) && !there.some((other) => Number(other['pane_epoch']) > Number(row['pane_epoch'])))
      throw new Violation('what an epoch has written stays', `${table} has lost ${JSON.stringify(row)}`);
  }
}
