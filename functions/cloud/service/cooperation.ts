/**
 * Sweeps of busy instances: while requests come anyway, one of them looks now and then whether a sweep is due, and whoever
 * wins the conditional write of its time makes it. Invariant: a request is never failed by this; a sweep is a hint.
 */
import { PIPELINE_DOCUMENT } from '../../engine/pipeline-document.ts';
import type { Sweep } from './sweep-host.ts';
import { ContentionError } from '../../model/errors.ts';
import { type EpochMillis, MIN_TIMESTAMP, plus } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import type { Log } from './log.ts';

/** When somebody last took it on to sweep; a field of a document of its own, which nothing else writes. */
const TURN = { collection: PIPELINE_DOCUMENT.collection, id: 'turn' } as const;

export interface CooperationSetting {
  readonly store: Store;
  readonly sweep: Sweep;
  readonly clock: Clock;
  readonly log: Log;
  /** In milliseconds; 0 = never. */
  readonly every: number;
}

export class Cooperation {
  readonly #setting: CooperationSetting;
  #looked: EpochMillis = MIN_TIMESTAMP;

  constructor(setting: CooperationSetting) {
    this.#setting = setting;
  }

  /** Called with each request. Most of the time it does nothing. */
  async whileBusy(): Promise<void> {
    const { every, clock, log } = this.#setting;
    const now = clock.now();
    if (every === 0 || now < plus(this.#looked, every)) return;
    this.#looked = now;
    try {
      await this.#takeTurn(now);
    } catch (error) {
      if (!(error instanceof ContentionError)) log.warning('a sweep beside other work failed', { error });
    }
  }

  async #takeTurn(now: EpochMillis): Promise<void> {
    const { store, sweep, every } = this.#setting;
    const [turn] = await store.get(TURN.collection, [TURN.id]);
    const taken = (turn?.body as { readonly at: EpochMillis } | undefined)?.at ?? MIN_TIMESTAMP;
    if (now < plus(taken, every)) {
      await sweep.learn();
      return;
    }
    const preconditions = [{ ...TURN, version: turn?.version ?? ('absent' as const) }];
    await store.commit({ preconditions, sets: [{ ...TURN, body: { at: now } }], deletes: [] });
    await sweep.run();
  }
}
