/** Keeps what was used last, up to a number of bytes. */
interface Kept {
  readonly value: unknown;
  readonly bytes: number;
}

export class ByteCache {
  readonly #capacity: number;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** @param capacity bytes; a single value above it is kept until the next one comes */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): unknown {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.value;
  }

  set(key: string, value: unknown, bytes: number): void {
    this.#drop(key);
    for (const [oldest] of this.#kept) {
      if (this.#bytes + bytes <= this.#capacity) break;
      this.#drop(oldest);
    }
    this.#kept.set(key, { value, bytes });
    this.#bytes += bytes;
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
}
