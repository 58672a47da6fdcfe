/**
 * What fails while a file is read, and is worth trying again: there is nobody who would deliver its record again, so the
 * reader itself gives the step its element again, after growing waits. What fails every time is a dead letter that says how
 * often it was tried. Its record is committed with that, and with all that it was read with.
 */
import { RetryableError } from '../../model/errors.ts';
import type { Millis } from '../../model/time.ts';
import type { Clock, Ids } from '../../ports/clock.ts';
import type { StepFailure } from '../chain/bundle-output.ts';
import type { Chain } from '../chain/chain.ts';
import type { Element } from '../element.ts';

/** Tries of one element in one step, in all. */
const MOST_TRIES = 5;
/** Before the second try, at most, and at least half of it; twice as long before each further one. Milliseconds. */
const FIRST_WAIT = 200;

export class ElementRetries {
  /** How often a step has failed on an element, where that was more than once. */
  readonly #tries = new Map<string, Map<Element, number>>();

  /** Gives steps of the bundle under way their elements again as long as it may help. */
  async run(chain: Chain, clock: Clock, ids: Ids): Promise<void> {
    for (let wait = FIRST_WAIT; ; wait *= 2) {
      const failed = chain.takeFailures((failure) => this.#isWorthIt(failure));
      if (failed.length === 0) return;
      await clock.sleep(Math.ceil(((1 + ids.random()) / 2) * wait) as Millis);
      for (const failure of failed) {
        this.#note(failure);
        const pending = chain.again(failure);
        if (pending !== undefined) await pending;
      }
    }
  }

  /** How often an element was tried that has failed. */
  triesOf({ step, element }: StepFailure): number {
    return (this.#tries.get(step)?.get(element) ?? 0) + 1;
  }

  #isWorthIt(failure: StepFailure): boolean {
    return failure.error instanceof RetryableError && this.triesOf(failure) < MOST_TRIES;
  }

  #note(failure: StepFailure): void {
    const { step, element } = failure;
    const ofStep = this.#tries.get(step) ?? new Map<Element, number>();
    ofStep.set(element, this.triesOf(failure));
    this.#tries.set(step, ofStep);
  }
}
