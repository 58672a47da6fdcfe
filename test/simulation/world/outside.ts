/** What steps ask outside of the pipeline, while they run. */
import { RetryableError } from '../../../functions/model/errors.ts';
import type { Surroundings } from './surroundings.ts';

export interface Outside {
  /** What a store has under keys; `undefined` where it has nothing. @throws {RetryableError} when it is down */
  lookUp(keys: readonly string[]): Promise<(string | undefined)[]>;
  /** Whether what is done for an element goes wrong this time: every third element's does, so often. */
  goesWrong(token: string, times: number): boolean;
  /** Whether an operator has seen to what makes firings fail. */
  isMended: boolean;
}

export class SimulatedOutside implements Outside {
  isMended = false;
  readonly #around: Surroundings;
  readonly #wrong = new Map<string, number>();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  async lookUp(keys: readonly string[]): Promise<(string | undefined)[]> {
    if (this.#around.faults.happens('lookUpFailed')) throw new RetryableError('the store that is looked up is down');
    return keys.map(contentOf);
  }

  goesWrong(token: string, times: number): boolean {
    const before = this.#wrong.get(token) ?? 0;
    if (before >= times || Number(token.slice(1)) % 3 !== 0) return false;
    this.#wrong.set(token, before + 1);
    return true;
  }
}

/** What the store has under a key: nothing under every third. */
export function contentOf(key: string): string | undefined {
  return Number(key.slice(1)) % 3 === 2 ? undefined : `what ${key} has`;
}
