/** A model that is served elsewhere: throttles, is slow, answers in part, and refuses what it does not understand. */
import type { Millis } from '../../../functions/model/time.ts';
import type { PredictAnswer, Predictor } from '../../../functions/ports/predictor.ts';
import type { Instance } from './instance.ts';
import { Random } from './random.ts';
import type { Surroundings } from './surroundings.ts';
import type { Item } from './tokens.ts';

type Asked = Pick<Item, 'token' | 'flaw'>;

const CALL_TIME = 300;

export class SimulatedModel {
  /** When requests came in. */
  readonly requests: number[] = [];
  readonly #around: Surroundings;
  readonly #random: Random;

  constructor(around: Surroundings) {
    this.#around = around;
    this.#random = new Random(around.seed, 'model');
  }

  /** The port of one instance. */
  portOf(instance: Instance): Predictor {
    return {
      predict: ({ instances, signal }) =>
        Promise.race([
          instance.call('predict', this.#callTime(), async () => this.#answer(instances as readonly Asked[])),
          aborted(signal),
        ]),
      close: async () => undefined,
    };
  }

  #callTime(): number {
    return this.#around.faults.happens('modelSlow') ? this.#random.spread(2_000, 60_000) : CALL_TIME;
  }

  #answer(instances: readonly Asked[]): PredictAnswer {
    const { faults, scheduler } = this.#around;
    this.requests.push(scheduler.now);
    const retryAfter = this.#random.chance(0.5) ? (this.#random.whole(100, 5_000) as Millis) : undefined;
    if (faults.happens('modelThrottles')) return { state: 'throttled', retryAfter, reason: 'quota exceeded' };
    if (faults.happens('modelUnavailable')) return { state: 'unavailable', retryAfter, reason: '503' };
    if (instances.some(({ flaw }) => flaw === 'model'))
      return { state: 'refused', reason: 'no such instance', answer: { error: 'no such instance' } };
    const predictions = instances.map(({ token }) => ({ of: token }));
    // What it never answers by itself is given up in the end.
    if (instances.length > 1 && faults.happens('modelAnswersInPart')) predictions.pop();
    return { state: 'answered', predictions };
  }
}

function aborted(signal: AbortSignal): Promise<PredictAnswer> {
  return new Promise((resolve) =>
    signal.addEventListener(
      'abort',
      () => resolve({ state: 'unavailable', retryAfter: undefined, reason: 'deadline' }),
      {
        once: true,
      },
    ),
  );
}
