/** A row that the warehouse refused, on its way to its table's sink again. */
import type { Outgoing } from '../../engine/chain/bundle-output.ts';
import type { DeadLetter } from '../../engine/dead-letter.ts';
import { shardId } from '../../engine/protocol/names.ts';
import { replayIdText } from '../../engine/replay-id.ts';
import type { WaitingRow } from '../../engine/sink/rows.ts';
import { GUARD_COLUMNS } from '../../model/table.ts';
import { MAX_TIMESTAMP } from '../../model/time.ts';
import type { Stage } from '../../plan/plan.ts';
import { CannotReplay } from './cannot-replay.ts';

/**
 * @param value the row by column name, in JSON form, with the guard's columns
 * @throws {CannotReplay} when it is no row of the table
 */
export function rowText(letter: DeadLetter, value: unknown, { id, head }: Stage): Outgoing[] {
  if (head.kind !== 'writeBigQuery') throw new CannotReplay(`stage '${id}' writes no table any more`);
  if (typeof value !== 'object' || value === null)
    throw new CannotReplay(`the letter holds no row; expected an object with the columns of table '${head.table}'`);
  const row = value as Readonly<Record<string, unknown>>;
  const known = [...head.columns, ...GUARD_COLUMNS].map(({ name }) => name);
  const stranger = Object.keys(row).find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new CannotReplay(`table '${head.table}' has no column '${stranger}'; its columns are ${known.join(', ')}`);
  const values = head.columns.map(({ name }) => row[name] ?? null);
  const { pane_epoch: epoch = 0, pane_sequence: sequence = 0 } = row as { pane_epoch?: number; pane_sequence?: number };
  const { origin, generation, firstFailedAt } = letter;
  const replayed = { id: replayIdText({ origin, generation, firstFailedAt }), epoch };
  const waiting: WaitingRow = [sequence, values, replayed];
  return [{ target: shardId(id, 0), text: JSON.stringify(waiting), earliest: MAX_TIMESTAMP, count: 1 }];
}
