/** What steps ask outside of the pipeline, while they run. */
import { RetryableError } from '../../../functions/model/errors.ts';
import type { Surroundings } from './surroundings.ts';

export interface Outside {
  /** What a store has under keys; `undefined` where it has nothing. @throws {RetryableError} when it is down */
  lookUp(keys: readonly string[]): Promise<(string | undefined)[]>;
}

export class SimulatedOutside implements Outside {
  readonly #around: Surroundings;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  async lookUp(keys: readonly string[]): Promise<(string | undefined)[]> {
    if (this.#around.faults.happens('lookUpFailed')) throw new RetryableError('the store that is looked up is down');
    return keys.map(contentOf);
  }
}

/** What the store has under a key: nothing under every third. */
export function contentOf(key: string): string | undefined {
  return Number(key.slice(1)) % 3 === 2 ? undefined : `what ${key} has`;
}
