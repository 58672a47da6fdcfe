/** Requests a minute, as a bucket of tokens that is filled evenly. Invariant: never more than `burst` are saved up. */

export interface QuotaOptions {
  readonly requestsPerMinute: number;
  /** Requests that may come at once after a rest. Default: a sixth of a minute's, at least 1. */
  readonly burst?: number;
  /** Whether a refusal says when to come again. Vertex AI documents no Retry-After. Default true. */
  readonly retryAfter?: boolean;
}

export class Quota {
  readonly #perMilli: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  constructor({ requestsPerMinute, burst }: QuotaOptions, now: number) {
    this.#perMilli = requestsPerMinute / 60_000;
    this.#burst = burst ?? Math.max(1, requestsPerMinute / 6);
    this.#tokens = this.#burst;
    this.#at = now;
  }

  /** Takes one token. @returns 0 when there was one, else the milliseconds until there is */
  take(now: number): number {
    this.#tokens = Math.min(this.#burst, this.#tokens + Math.max(0, now - this.#at) * this.#perMilli);
    this.#at = Math.max(this.#at, now);
    if (this.#tokens < 1) return (1 - this.#tokens) / this.#perMilli;
    this.#tokens--;
    return 0;
  }
}
