/** What a model has answered lately, by the instance. In memory only: forgetting it costs a call. */
import { type EpochMillis, plus } from '../../model/time.ts';

export interface CacheLimits {
  readonly keepFor: number;
  readonly entries: number;
}

export class AnswerCache {
  readonly #limits: CacheLimits | undefined;
  readonly #answers = new Map<string, { readonly answer: unknown; readonly at: EpochMillis }>();

  /** @param limits undefined: nothing is kept */
  constructor(limits: CacheLimits | undefined) {
    this.#limits = limits;
  }

  get(hash: string, now: EpochMillis): { readonly answer: unknown } | undefined {
    const kept = this.#answers.get(hash);
    if (kept === undefined || this.#limits === undefined) return undefined;
    if (now < plus(kept.at, this.#limits.keepFor)) return kept;
    this.#answers.delete(hash);
    return undefined;
  }

  /** The oldest goes when there are too many. */
  put(hash: string, answer: unknown, at: EpochMillis): void {
    if (this.#limits === undefined) return;
    this.#answers.delete(hash);
    this.#answers.set(hash, { answer, at });
    if (this.#answers.size > this.#limits.entries) this.#answers.delete(this.#answers.keys().next().value!);
  }
}
