/** What was given up: a dead letter, unless it was taken. */
import type { DeadLetter } from '../../../functions/engine/dead-letter.ts';
import type { RecordSpec } from '../scenario.ts';
import { tokenIn } from '../world/tokens.ts';
import { Violation } from './violation.ts';

export function isUndelivered({ id }: DeadLetter): boolean {
  return id.includes('~undelivered~');
}

/** @returns the records that were taken, or have been brought back since */
export function checkUndelivered(
  records: readonly RecordSpec[],
  letters: readonly DeadLetter[],
  wasTaken: (record: RecordSpec) => boolean,
): RecordSpec[] {
  const own = Map.groupBy(letters.filter(isUndelivered), ({ value }) => String(tokenIn(value)));
  return records.filter((record) => {
    const given = own.get(record.id) ?? [];
    const isSure = given.some(({ message }) => !message.includes('not known'));
    // What cannot be read has no elements by which it would be known.
    if (given.length > 1 || (isSure && wasTaken(record) && record.flaw === undefined))
      throw new Violation('what is given up is one dead letter', `${record.id} has ${given.length}, and was taken`);
    return wasTaken(record) || given.some(({ status }) => status === 'replayed');
  });
}
