import { isShardRoot } from '../engine/protocol/names.ts';
import type { Root } from '../engine/protocol/root.ts';
import type { Survey } from './status/survey.ts';

/**
 * Whether a version was admitted and nothing has run since: no sweep has published a watermark, and no shard has taken anything.
 * So there is nothing that a drain could bring to its end, and nobody who would.
 */
export function isUntouched({ topology, moved, roots }: Survey): boolean {
  return topology !== undefined && Object.keys(moved).length === 0 && [...roots.values()].every(isEmpty);
}

function isEmpty({ id, done, open, cells, outside }: Root): boolean {
  const counted = cells + outside.length + Object.keys(done).length + Object.keys(open).length;
  return isShardRoot(id) && counted === 0;
}
