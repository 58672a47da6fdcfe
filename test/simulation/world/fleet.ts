/** The instances of one service: the platform starts one where there is none, and others now and then. */
import type { Instance } from './instance.ts';
import type { Random } from './random.ts';

/** A service keeps no more instances than these at a time. */
const MOST_INSTANCES = 3;

export class Fleet<T extends { readonly instance: Instance }> {
  readonly #start: () => T;
  readonly #random: Random;
  readonly #wantsMore: () => boolean;
  #instances: T[] = [];

  /** @param wantsMore asked at each request: whether another instance is to be started beside those that there are */
  constructor(start: () => T, random: Random, wantsMore: () => boolean) {
    this.#start = start;
    this.#random = random;
    this.#wantsMore = wantsMore;
  }

  /** An instance for a request. @param attempt counts from 1; where nobody has answered, another instance is started */
  pick(attempt: number): T {
    this.#instances = this.#instances.filter(({ instance }) => instance.isAlive);
    const doNotAnswer = attempt > 1 && this.#instances.every(({ instance }) => instance.isFrozen);
    const wantsMore = this.#wantsMore() || doNotAnswer;
    if (this.#instances.length === 0 || (wantsMore && this.#instances.length < MOST_INSTANCES))
      this.#instances.push(this.#start());
    return this.#random.pick(this.#instances);
  }

  /** Those that are alive. */
  get instances(): readonly Instance[] {
    return this.#instances.map(({ instance }) => instance).filter(({ isAlive }) => isAlive);
  }

  /** Requests go to new instances from now on. What the old ones are at, they go on with. */
  replace(): void {
    this.#instances = [];
  }
}
