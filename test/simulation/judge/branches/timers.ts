import type { OutboxBody } from '../../../../functions/engine/protocol/outbox.ts';
import type { Root } from '../../../../functions/engine/protocol/root.ts';
import type { WaitingRow } from '../../../../functions/engine/sink/rows.ts';
import type { Batch } from '../../../../functions/ports/store.ts';
import { failsWhenCalled, type KeeperRow } from '../../world/branches/keeper.ts';
import { Violation } from '../violation.ts';

/** When a row of the keeper was told. */
export interface Telling {
  /** Its place among all rows. */
  readonly number: number;
  /** On the clock of its shard. */
  readonly processingTime: number;
}

/** No timer of the keeper fires before its time has come on the clock of its shard, and those of a bundle fire in order. */
export class Timers {
  readonly #tellings = new Map<string, Telling>();
  readonly #mayFail: boolean;

  /** @param mayFail whether some timers fail, and are set again when they are replayed: those come when they come */
  constructor(mayFail: boolean) {
    this.#mayFail = mayFail;
  }

  committed({ sets }: Batch, { id, inputWatermark, processingTime }: Root): void {
    const reached = new Map<string, number>();
    for (const { collection, body } of sets) {
      if (collection !== 'outbox') continue;
      for (const envelope of (body as OutboxBody).envelopes)
        for (const [, values] of JSON.parse(envelope.body) as readonly WaitingRow[]) {
          const [key, start, , kind, firedAt, round, tokens] = values;
          if (kind === 'saw') continue;
          const clock = kind === 'called' ? processingTime : inputWatermark;
          if (clock <= (firedAt as number))
            throw new Violation('no timer fires before its time', `${id} at ${clock}: ${kind} at ${firedAt}`);
          const sort = `${key} ${start} ${kind}`;
          const wasReplayed =
            this.#mayFail && kind === 'called' && failsWhenCalled((tokens as string[])[0]!.split('@')[0]!);
          if (
            !wasReplayed &&
            (firedAt as number) < (reached.get(sort) ?? Number.NEGATIVE_INFINITY) &&
            kind === 'called'
          )
            throw new Violation('timers fire in order', `${id} ${sort} at ${firedAt} after ${reached.get(sort)}`);
          if (!wasReplayed) reached.set(sort, firedAt as number);
          const name = nameOf(key, start, kind, kind === 'called' ? (tokens as string[])[0] : round);
          this.#tellings.set(name, { number: this.#tellings.size, processingTime });
        }
    }
  }

  /** When this row was told. */
  tellingOf({ k, window_start, kind, round, tokens }: KeeperRow): Telling | undefined {
    return this.#tellings.get(nameOf(k, window_start, kind, kind === 'called' ? tokens[0] : round));
  }
}

/** Of one key and window each round is told once, and each element called once. */
function nameOf(...parts: readonly unknown[]): string {
  return parts.join(' ');
}
