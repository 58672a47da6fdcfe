import type { OutboxBody } from '../../../../functions/engine/protocol/outbox.ts';
import type { Root } from '../../../../functions/engine/protocol/root.ts';
import type { WaitingRow } from '../../../../functions/engine/sink/rows.ts';
import type { Batch } from '../../../../functions/ports/store.ts';
import { Violation } from '../violation.ts';

/** No timer of the keeper fires before its time has come on the clock of its shard. */
export function checkTimers({ sets }: Batch, { id, inputWatermark, processingTime }: Root): void {
  for (const { collection, body } of sets) {
    if (collection !== 'outbox') continue;
    for (const envelope of (body as OutboxBody).envelopes)
      for (const [, [, , , kind, firedAt]] of JSON.parse(envelope.body) as readonly WaitingRow[]) {
        const clock = kind === 'called' ? processingTime : inputWatermark;
        if (clock <= (firedAt as number))
          throw new Violation('no timer fires before its time', `${id} at ${clock}: ${kind} at ${firedAt}`);
      }
  }
}
