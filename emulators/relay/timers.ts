/** Timers that end together. Once closed, no timer runs or starts. */
export class Timers {
  readonly #running = new Set<NodeJS.Timeout>();
  #closed = false;

  after(millis: number, run: () => void): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#running.delete(timer);
      run();
    }, millis);
    this.#running.add(timer);
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#running) clearTimeout(timer);
    this.#running.clear();
  }
}
