/**
 * A handle on something that is read later: Beam's ReadableState. Invariant: it is live; what it gives is what holds at
 * the moment it is awaited, not when the handle was made (catalogue S03, S05).
 */
export class Readable<T> implements PromiseLike<T> {
  readonly #read: () => T | Promise<T>;

  /** @internal */
  constructor(read: () => T | Promise<T>) {
    this.#read = read;
  }

  /** Reads now. The result is a snapshot: what is changed later does not show in it. */
  async read(): Promise<T> {
    return this.#read();
  }

  /** Reads when it is awaited: `await handle` is `await handle.read()`. */
  // biome-ignore lint/suspicious/noThenProperty: being awaited is what a handle is for
  then<A = T, B = never>(
    onRead?: ((value: T) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.read().then(onRead, onError);
  }
}
