/**
 * Reads the structure of HCL: blocks, labels, arguments and the comment above each. Expressions stay text. Enough to
 * hold terraform files against the code where terraform itself is not installed.
 */

export interface HclArgument {
  /** The expression as it is written. */
  readonly text: string;
  readonly line: number;
}

export interface HclBody {
  readonly arguments: Readonly<Record<string, HclArgument>>;
  readonly blocks: readonly HclBlock[];
}

export interface HclBlock extends HclBody {
  readonly type: string;
  readonly labels: readonly string[];
  /** The comment lines directly above, without their marks; empty when there is none. */
  readonly comment: string;
  readonly file: string;
  readonly line: number;
}

/** @throws {Error} naming file and line of what it cannot read */
export function parseHcl(text: string, file = '(text)'): HclBody {
  const reader = new Reader(text, file);
  const body = reader.body();
  reader.expectEnd();
  return body;
}

const IDENTIFIER = /[A-Za-z_][\w-]*/y;
const SPACE = /[ \t\r]*/y;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

class Reader {
  readonly #text: string;
  readonly #file: string;
  #at = 0;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
  }

  body(): HclBody {
    const values: Record<string, HclArgument> = {};
    const blocks: HclBlock[] = [];
    for (;;) {
      const comment = this.#skipToItem();
      const line = this.#line();
      const name = this.#match(IDENTIFIER);
      if (name === undefined) return { arguments: values, blocks };
      this.#match(SPACE);
      if (this.#text[this.#at] === '=' && this.#text[this.#at + 1] !== '=') {
        this.#at++;
        if (name in values) this.#fail(`'${name}' is set twice`);
        values[name] = { text: this.#expression(), line };
        continue;
      }
      const labels: string[] = [];
      while (this.#text[this.#at] !== '{') {
        const label = this.#text[this.#at] === '"' ? this.#string().slice(1, -1) : this.#match(IDENTIFIER);
        if (label === undefined) this.#fail(`expected '=', a label or '{' after '${name}'`);
        labels.push(label);
        this.#match(SPACE);
      }
      this.#at++;
      const body = this.body();
      if (this.#text[this.#at] !== '}') this.#fail(`the block '${name}' of line ${line} does not end`);
      this.#at++;
      blocks.push({ type: name, labels, comment, file: this.#file, line, ...body });
    }
  }

  expectEnd(): void {
    if (this.#at < this.#text.length) this.#fail(`unexpected '${this.#text[this.#at]}'`);
  }

  /** Skips blank lines and comments. @returns the comment that touches the next item */
  #skipToItem(): string {
    let lines: string[] = [];
    let blank = 0;
    for (;;) {
      this.#match(SPACE);
      if (this.#text[this.#at] === '\n') {
        this.#at++;
        if (++blank > 1) lines = [];
      } else if (this.#atComment()) {
        lines.push(this.#comment());
        blank = 0;
      } else return lines.join('\n');
    }
  }

  #atComment(): boolean {
    return this.#text[this.#at] === '#' || /^\/[/*]/.test(this.#text.slice(this.#at, this.#at + 2));
  }

  #comment(): string {
    const start = this.#at;
    if (this.#text.startsWith('/*', start)) {
      this.#at = this.#text.indexOf('*/', start) + 2;
      return this.#text.slice(start + 2, this.#at - 2).trim();
    }
    const end = this.#text.indexOf('\n', start);
    this.#at = end < 0 ? this.#text.length : end;
    return this.#text.slice(start, this.#at).replace(/^(#|\/\/)\s?/, '');
  }

  /** Up to the end of the line at which all brackets are closed. */
  #expression(): string {
    const start = this.#at;
    const open: string[] = [];
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]!;
      if (char === '"') this.#string();
      else if (this.#atComment()) this.#comment();
      else if (this.#text.startsWith('<<', this.#at) && open.at(-1) !== '"') this.#heredoc();
      else if (char in CLOSING) {
        open.push(CLOSING[char]!);
        this.#at++;
      } else if (char === open.at(-1)) {
        open.pop();
        this.#at++;
      } else if (open.length === 0 && (char === '\n' || char === '}')) break;
      else this.#at++;
    }
    return this.#text.slice(start, this.#at).trim();
  }

  #heredoc(): void {
    const mark = /<<[-~]?(\w+)\n/y;
    const opening = this.#match(mark);
    if (opening === undefined) this.#fail('expected a heredoc');
    const word = /\w+/.exec(opening)![0];
    const end = new RegExp(`^[ \\t]*${word}$`, 'm').exec(this.#text.slice(this.#at));
    if (end === null) this.#fail(`the heredoc '${word}' does not end`);
    this.#at += end.index + end[0].length;
  }

  /** A quoted string, with what is interpolated in it. */
  #string(): string {
    const start = this.#at++;
    while (this.#text[this.#at] !== '"') {
      if (this.#at >= this.#text.length || this.#text[this.#at] === '\n') this.#fail('the string does not end');
      if (this.#text[this.#at] === '\\') this.#at += 2;
      else if (/^[$%]\{/.test(this.#text.slice(this.#at, this.#at + 2)) && this.#text[this.#at - 1] !== '$')
        this.#interpolation();
      else this.#at++;
    }
    this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #interpolation(): void {
    this.#at += 2;
    for (let depth = 1; depth > 0; ) {
      const char = this.#text[this.#at];
      if (char === undefined) this.#fail('the interpolation does not end');
      if (char === '"') {
        this.#string();
        continue;
      }
      if (char === '{') depth++;
      if (char === '}') depth--;
      this.#at++;
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #line(): number {
    return this.#text.slice(0, this.#at).split('\n').length;
  }

  #fail(problem: string): never {
    throw new Error(`${this.#file}:${this.#line()}: ${problem}`);
  }
}
