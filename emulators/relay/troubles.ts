/** The dice of a relay's troubles, one question a function. A subscription that a trouble is not for meets none of it. */
import { chance } from '../seeded.ts';
import type { Trouble, Troubles } from './settings.ts';

/** When the second copy of a push goes out: beside the first, or so long after the first was answered. */
export type SecondCopy = 'at once' | { readonly afterMillis: number };

const LATE_COPY_MILLIS = 1_000;

export class TroubleMaker {
  readonly #troubles: Troubles | undefined;
  readonly #subscription: string;

  constructor(troubles: Troubles | undefined, subscription: string) {
    this.#troubles = troubles;
    this.#subscription = subscription;
  }

  isDropped(messageId: string): boolean {
    return this.#meets(this.#troubles?.drop, 'drop', messageId);
  }

  /** Attempts after which the message is given up on, since no answer to it is heard; undefined where they are. */
  unheardAttempts(messageId: string): number | undefined {
    const unheard = this.#troubles?.unheard;
    return unheard && this.#meets(unheard, 'unheard', messageId) ? unheard.attempts : undefined;
  }

  /** Milliseconds to wait before the first attempt; 0 for none. */
  delayOf(messageId: string): number {
    const delay = this.#troubles?.delay;
    if (!delay || !this.#meets(delay, 'delay', messageId)) return 0;
    return Math.round(this.#chance('delay length', messageId) * delay.maxMillis);
  }

  secondCopyOf(messageId: string, attempt: number): SecondCopy | undefined {
    if (!this.#meets(this.#troubles?.duplicate, 'duplicate', messageId, attempt)) return undefined;
    const dice = this.#chance('copy', messageId, attempt);
    if (dice < 1 / 3) return 'at once';
    if (dice < 2 / 3) return { afterMillis: 0 };
    return { afterMillis: Math.round(this.#chance('copy delay', messageId, attempt) * LATE_COPY_MILLIS) };
  }

  /** How many messages are gathered and shuffled; undefined when this one keeps its place. */
  reorderWithin(messageId: string): number | undefined {
    const reorder = this.#troubles?.reorder;
    return reorder && this.#meets(reorder, 'reorder', messageId) ? reorder.within : undefined;
  }

  get seed(): number {
    return this.#troubles?.seed ?? 0;
  }

  #meets(trouble: Trouble | undefined, kind: string, messageId: string, attempt = 0): boolean {
    if (!trouble || (trouble.subscriptions && !trouble.subscriptions.includes(this.#subscription))) return false;
    return this.#chance(kind, messageId, attempt) < trouble.share;
  }

  #chance(...words: (string | number)[]): number {
    return chance(this.#troubles?.seed ?? 0, this.#subscription, ...words);
  }
}
