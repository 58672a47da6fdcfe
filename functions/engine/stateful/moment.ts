import { type EpochMillis, MIN_TIMESTAMP } from '../../model/time.ts';

/**
 * The callback that is under way in a cell. Invariant: state can be used only while a callback runs, so that nothing is
 * read or changed behind the back of a commit.
 */
export class Moment {
  processingTime: EpochMillis = MIN_TIMESTAMP;
  #open = false;
  #deferred: Promise<unknown>[] = [];

  /** @throws when no callback is under way */
  check(): void {
    if (!this.#open)
      throw new Error('state or a timer is used after its callback has returned; await what is read before returning');
  }

  /** Work that must be done before the callback counts as done, whether or not anybody waits for it. */
  defer(work: Promise<unknown>): void {
    this.#deferred.push(work);
    // Whoever awaits the callback gets the rejection; here it only must not count as unhandled.
    work.catch(() => {});
  }

  /** Runs a callback; takes no longer than the callback itself, and what it has deferred. */
  during(callback: () => void | Promise<void>): void | Promise<void> {
    this.#open = true;
    this.#deferred = [];
    let pending: void | Promise<void>;
    try {
      pending = callback();
    } catch (error) {
      if (this.#deferred.length > 0) return this.#finish(Promise.reject(error));
      this.#open = false;
      throw error;
    }
    if (pending !== undefined || this.#deferred.length > 0) return this.#finish(pending);
    this.#open = false;
    return undefined;
  }

  async #finish(pending: void | Promise<void>): Promise<void> {
    try {
      await pending;
      for (let next = this.#deferred.shift(); next !== undefined; next = this.#deferred.shift()) await next;
    } finally {
      // When it has failed, what it has done is taken back, and nothing may be done behind that.
      for (let next = this.#deferred.shift(); next !== undefined; next = this.#deferred.shift())
        await next.catch(() => {});
      this.#open = false;
    }
  }
}
