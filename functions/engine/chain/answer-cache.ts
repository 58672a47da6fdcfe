/** Answers of a look-up, for as long as they are good, those used last. */
import { type EpochMillis, plus } from '../../model/time.ts';
import type { LookUpCache } from '../../model/transforms/look-up.ts';

export interface Answer {
  /** `null` where the store has nothing. */
  readonly found: unknown;
}

interface Kept {
  readonly answer: Answer;
  /** Not good any more from this processing time on. */
  readonly until: EpochMillis;
}

export class AnswerCache {
  readonly #limits: LookUpCache;
  readonly #kept = new Map<string, Kept>();

  constructor(limits: LookUpCache) {
    this.#limits = limits;
  }

  get(key: string, now: EpochMillis): Answer | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    if (now >= kept.until) return undefined;
    this.#kept.set(key, kept);
    return kept.answer;
  }

  set(key: string, answer: Answer, now: EpochMillis): void {
    const { entries, ttl, negativeTtl } = this.#limits;
    if (entries === 0) return;
    this.#kept.delete(key);
    if (this.#kept.size >= entries)
      for (const oldest of this.#kept.keys()) {
        this.#kept.delete(oldest);
        break;
      }
    this.#kept.set(key, { answer, until: plus(now, answer.found === null ? negativeTtl : ttl) });
  }
}
