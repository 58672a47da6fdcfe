import { shuffled } from '../seeded.ts';

/** A gathering that does not fill goes out after so long. */
const PATIENCE_MILLIS = 200;

/** Gathers items and lets them go in another order. Every item that is put in comes out once. */
export class Reorderer<T> {
  readonly #seed: number;
  readonly #release: (item: T) => void;
  #gathered: T[] = [];
  #rounds = 0;
  #patience: NodeJS.Timeout | undefined;

  constructor(seed: number, release: (item: T) => void) {
    this.#seed = seed;
    this.#release = release;
  }

  put(item: T, within: number): void {
    this.#gathered.push(item);
    if (this.#gathered.length >= within) this.flush();
    else this.#patience ??= setTimeout(() => this.flush(), PATIENCE_MILLIS);
  }

  flush(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    const items = shuffled(this.#seed, this.#gathered, 'reorder', this.#rounds++);
    this.#gathered = [];
    for (const item of items) this.#release(item);
  }
}
