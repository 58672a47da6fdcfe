import type { OutboxBody } from '../../../../functions/engine/protocol/outbox.ts';
import type { Root } from '../../../../functions/engine/protocol/root.ts';
import type { WaitingRow } from '../../../../functions/engine/sink/rows.ts';
import type { Batch } from '../../../../functions/ports/store.ts';
import { Violation } from '../violation.ts';

/** No timer of the keeper fires before its time has come on the clock of its shard, and those of a bundle fire in order. */
export function checkTimers({ sets }: Batch, { id, inputWatermark, processingTime }: Root): void {
  const reached = new Map<string, number>();
  for (const { collection, body } of sets) {
    if (collection !== 'outbox') continue;
    for (const envelope of (body as OutboxBody).envelopes)
      for (const [, [key, start, , kind, firedAt]] of JSON.parse(envelope.body) as readonly WaitingRow[]) {
        const clock = kind === 'called' ? processingTime : inputWatermark;
        if (clock <= (firedAt as number))
          throw new Violation('no timer fires before its time', `${id} at ${clock}: ${kind} at ${firedAt}`);
        const sort = `${key} ${start} ${kind}`;
        if ((firedAt as number) < (reached.get(sort) ?? Number.NEGATIVE_INFINITY) && kind === 'called')
          throw new Violation('timers fire in order', `${id} ${sort} at ${firedAt} after ${reached.get(sort)}`);
        reached.set(sort, firedAt as number);
      }
  }
}
