/** What the server has seen. Times are the server's clock; a minute is a whole one, by the start it is named after. */

export interface KeyCount {
  /** Requests that carried the key, whatever came of them. */
  readonly calls: number;
  /** How often the work was done for it; above 1, somebody paid twice. */
  readonly served: number;
}

export interface VertexCounters {
  /** Requests that came, refused ones included. */
  readonly calls: number;
  /** Requests whose work was done, lost answers included. */
  readonly served: number;
  /** Instances, texts or contents whose work was done. */
  readonly instances: number;
  /** Refused by the quota or by a fault with 429. */
  readonly throttled: number;
  readonly lost: number;
  readonly partial: number;
  /** Requests by status answered; `lost` ones have none. */
  readonly byStatus: Readonly<Record<string, number>>;
  /** Requests by endpoint or model. */
  readonly byTarget: Readonly<Record<string, number>>;
  /** By the `idempotency-key` header. */
  readonly byKey: Readonly<Record<string, KeyCount>>;
  /** Requests by minute of arrival, e.g. `'2026-03-01T10:04:00.000Z'`. */
  readonly perMinute: Readonly<Record<string, number>>;
  /** The most requests that came within any 60 s, wherever they begin. */
  readonly mostInAnyMinute: number;
  /** The most requests that were open at once. */
  readonly mostOpen: number;
  /** Instances served by number of instances a request: how full the batches were. */
  readonly batchSizes: Readonly<Record<string, number>>;
}

const MINUTE = 60_000;

export class Counters {
  #calls = 0;
  #served = 0;
  #instances = 0;
  #throttled = 0;
  #lost = 0;
  #partial = 0;
  #open = 0;
  #mostOpen = 0;
  readonly #byStatus = new Map<string, number>();
  readonly #byTarget = new Map<string, number>();
  readonly #byKey = new Map<string, { calls: number; served: number }>();
  readonly #batchSizes = new Map<string, number>();
  readonly #arrivals: number[] = [];

  arrived(target: string, key: string | undefined, now: number): void {
    this.#calls++;
    this.#arrivals.push(now);
    this.#mostOpen = Math.max(this.#mostOpen, ++this.#open);
    add(this.#byTarget, target, 1);
    if (key !== undefined) this.#ofKey(key).calls++;
  }

  served(instances: number, key: string | undefined): void {
    this.#served++;
    this.#instances += instances;
    add(this.#batchSizes, String(instances), 1);
    if (key !== undefined) this.#ofKey(key).served++;
  }

  partial(): void {
    this.#partial++;
  }

  /** @param status undefined when the answer was lost */
  ended(status: number | undefined): void {
    this.#open--;
    if (status === undefined) this.#lost++;
    else add(this.#byStatus, String(status), 1);
    if (status === 429) this.#throttled++;
  }

  read(): VertexCounters {
    return {
      calls: this.#calls,
      served: this.#served,
      instances: this.#instances,
      throttled: this.#throttled,
      lost: this.#lost,
      partial: this.#partial,
      byStatus: Object.fromEntries(this.#byStatus),
      byTarget: Object.fromEntries(this.#byTarget),
      byKey: Object.fromEntries([...this.#byKey].map(([key, count]) => [key, { ...count }])),
      perMinute: this.#perMinute(),
      mostInAnyMinute: mostWithin(this.#arrivals, MINUTE),
      mostOpen: this.#mostOpen,
      batchSizes: Object.fromEntries(this.#batchSizes),
    };
  }

  #ofKey(key: string): { calls: number; served: number } {
    const count = this.#byKey.get(key) ?? { calls: 0, served: 0 };
    this.#byKey.set(key, count);
    return count;
  }

  #perMinute(): Record<string, number> {
    const minutes = new Map<string, number>();
    for (const at of this.#arrivals) add(minutes, new Date(Math.floor(at / MINUTE) * MINUTE).toISOString(), 1);
    return Object.fromEntries(minutes);
  }
}

/** The most of these instants that lie within any stretch of `millis`, its end excluded. */
export function mostWithin(instants: readonly number[], millis: number): number {
  const sorted = [...instants].sort((a, b) => a - b);
  let most = 0;
  let from = 0;
  for (const [n, at] of sorted.entries()) {
    while (sorted[from]! <= at - millis) from++;
    most = Math.max(most, n - from + 1);
  }
  return most;
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}
