/** Streams of random numbers, each from a seed and a name, so that one more draw from one stream changes no other. */
export class Random {
  #state: number;

  /** @param name tells the stream from others of the same seed */
  constructor(seed: number, name: string) {
    let hash = 0x811c9dc5 ^ seed;
    for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
    this.#state = Math.imul(hash ^ (hash >>> 16) ^ seed, 0x85ebca6b) >>> 0;
  }

  /** A number in [0, 1); mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Whether something of this probability happens. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** A number in [low, high) whose logarithm is evenly spread: mostly small, sometimes large. `low` above 0. */
  spread(low: number, high: number): number {
    return low * (high / low) ** this.next();
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)]!;
  }
}
