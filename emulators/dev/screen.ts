/** Lines that stay, and below them a few that are drawn anew; plain lines where nobody watches. */
export class Screen {
  readonly #out: NodeJS.WriteStream;
  #shown = 0;
  #last = '';

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  /** Writes lines that stay. */
  print(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#erase();
    this.#out.write(`${lines.join('\n')}\n`);
    this.#last = '';
  }

  /** Replaces what was shown before. Where nobody watches, only what has changed is written. */
  show(lines: readonly string[]): void {
    const text = lines.join('\n');
    if (!this.#out.isTTY && text === this.#last) return;
    this.#erase();
    this.#out.write(`${text}\n`);
    this.#last = text;
    this.#shown = lines.length;
  }

  /** Leaves what is shown where it is. */
  end(): void {
    this.#shown = 0;
  }

  #erase(): void {
    if (this.#out.isTTY && this.#shown > 0) this.#out.write(`\u001b[${this.#shown}A\u001b[0J`);
    this.#shown = 0;
  }
}
