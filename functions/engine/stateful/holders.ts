import { describeInstant, MAX_TIMESTAMP } from '../../model/time.ts';
import type { Holder } from '../shard/cell.ts';
import type { CellContents } from './due-work.ts';

/** What of a cell holds the watermark, for people to read. */
export function holdersOf({ windows, parking, buffer }: CellContents): Holder[] {
  const holders = windows.holders();
  const parked = parking.hold();
  if (parked !== undefined) holders.push({ kind: 'retry', at: parked, what: `${parking.size} elements wait` });
  const next = buffer.next();
  if (next < MAX_TIMESTAMP)
    holders.push({ kind: 'window', at: next, what: `elements from ${describeInstant(next)} wait for their turn` });
  return holders.sort((a, b) => a.at - b.at);
}
