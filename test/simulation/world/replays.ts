/**
 * An operator who replays dead letters with their elements mended, while what failed may still be delivered again; at times
 * two do so at once.
 */
import type { DeadLetter } from '../../../functions/engine/dead-letter.ts';
import { replayLetters } from '../../../functions/operate/replay/replay-letters.ts';
import type { ReplaySetting } from '../../../functions/operate/replay/replayer.ts';
import { RetryableError } from '../../../functions/model/errors.ts';
import type { Instance } from './instance.ts';
import type { Outside } from './outside.ts';
import { Random } from './random.ts';
import type { Hosting } from './surroundings.ts';
import { REFUSED } from './warehouse.ts';

/** How often an operator may want to, milliseconds. */
const EVERY = 15_000;
/** What is late stays late. */
const KINDS: readonly DeadLetter['kind'][] = ['source', 'element'];

export class Replays {
  readonly #hosting: Hosting;
  readonly #outside: Outside;
  readonly #own: () => readonly string[] | undefined;
  readonly #random: Random;

  /** @param own the ids of those that may be replayed; undefined: of all */
  constructor(hosting: Hosting, outside: Outside, own: () => readonly string[] | undefined) {
    this.#hosting = hosting;
    this.#outside = outside;
    this.#own = own;
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

  #kinds(): readonly DeadLetter['kind'][] {
    const { keeper, stored } = this.#hosting.around.scenario.pipeline;
    if (stored !== undefined) return [...KINDS, 'row'];
    return keeper?.failsFirings === true ? [...KINDS, 'firing'] : KINDS;
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
    this.#outside.isMended = true;
    const own = this.#own();
    for (const kind of this.#kinds()) {
      const filter = own === undefined ? { kind } : { kind, ids: own };
      for await (const outcome of replayLetters(setting, { filter, name: 'mended' }))
        around.tell(() => `${instance.name}: ${JSON.stringify(outcome)}`);
    }
  }
}

/** The value without what was wrong with it. */
function mended(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(mended);
  const { flaw: _, ...rest } = value as Record<string, unknown>;
  if (rest['note'] === REFUSED) rest['note'] = 'mended';
  return Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, mended(inner)]));
}
