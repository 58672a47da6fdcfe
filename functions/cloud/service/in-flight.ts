/**
 * The requests that are being worked on. Invariant: their number and bytes are bounded; after `drain` none is let in, and
 * it resolves when the last one has been answered.
 */

export interface InFlightLimits {
  readonly requests: number;
  readonly bytes: number;
}

export class InFlight {
  readonly #limits: InFlightLimits;
  #requests = 0;
  #bytes = 0;
  #draining: (() => void) | undefined;
  #drained: Promise<void> | undefined;

  constructor(limits: InFlightLimits) {
    this.#limits = limits;
  }

  /** Why a request of so many bytes cannot be let in now, if it cannot. */
  refusal(bytes: number): 'draining' | 'full' | undefined {
    if (this.#drained !== undefined) return 'draining';
    const full = this.#requests >= this.#limits.requests || this.#bytes + bytes > this.#limits.bytes;
    // One request alone is always let in, or a large one never would be.
    return full && this.#requests > 0 ? 'full' : undefined;
  }

  async during<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    this.#requests += 1;
    this.#bytes += bytes;
    try {
      return await work();
    } finally {
      this.#requests -= 1;
      this.#bytes -= bytes;
      if (this.#requests === 0) this.#draining?.();
    }
  }

  drain(): Promise<void> {
    this.#drained ??= new Promise((resolve) => {
      this.#draining = resolve;
      if (this.#requests === 0) resolve();
    });
    return this.#drained;
  }
}
