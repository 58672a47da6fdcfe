/**
 * An operator who replays dead letters with their elements mended, while what failed may still be delivered again; at times
 * two do so at once.
 */
import { replayLetters } from '../../../functions/operate/replay/replay-letters.ts';
import type { ReplaySetting } from '../../../functions/operate/replay/replayer.ts';
import { RetryableError } from '../../../functions/model/errors.ts';
import type { Instance } from './instance.ts';
import { Random } from './random.ts';
import type { Hosting } from './surroundings.ts';

/** How often an operator may want to, milliseconds. */
const EVERY = 15_000;
/** What is late stays late. */
const KINDS = ['source', 'element'] as const;

export class Replays {
  readonly #hosting: Hosting;
  readonly #random: Random;

  constructor(hosting: Hosting) {
    this.#hosting = hosting;
    this.#random = new Random(hosting.around.seed, 'replays');
    if (hosting.around.scenario.faults.replayed !== undefined) this.#thinkAgain();
  }

  #thinkAgain(): void {
    const { scheduler, faults } = this.#hosting.around;
    scheduler.after(EVERY, () => {
      if (faults.isOver) return false;
      if (faults.happens('replayed')) for (let i = this.#random.pick([1, 1, 2]); i > 0; i--) this.#replay();
      this.#thinkAgain();
      return true;
    });
  }

  #replay(): void {
    const { around, start, breaks } = this.#hosting;
    const instance = start('operator');
    around.tell(() => `${instance.name} replays what has failed`);
    this.#replayAll(instance).catch((error: unknown) => {
      if (!(error instanceof RetryableError)) breaks(error);
    });
  }

  async #replayAll(instance: Instance): Promise<void> {
    const { around, plan, settingOf } = this.#hosting;
    const { store, bus, clock, ids, topology, epoch, inputWatermarkOf } = settingOf(instance);
    const setting: ReplaySetting = {
      ...{ plan, store, bus, clock, ids, topology, inputWatermarkOf },
      ...(epoch === undefined ? {} : { epoch }),
      version: String(topology),
      patch: mended,
    };
    for (const kind of KINDS)
      for await (const outcome of replayLetters(setting, { filter: { kind }, name: 'mended' }))
        around.tell(() => `${instance.name}: ${JSON.stringify(outcome)}`);
  }
}

/** The value without what was wrong with it. */
function mended(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(mended);
  const { flaw: _, ...rest } = value as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, mended(inner)]));
}
