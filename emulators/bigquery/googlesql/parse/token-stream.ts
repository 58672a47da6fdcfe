/**
 * A cursor over tokens with the few moves that a recursive-descent parser needs. Expressions contain queries and queries
 * contain expressions: the stream carries the way into both, so that no two grammar files import each other.
 */
import type { Expression } from '../ast/expression.ts';
import type { Query } from '../ast/query.ts';
import { SqlError } from '../sql-error.ts';
import { describeToken, type Token } from '../token.ts';

/** How deep parentheses, subqueries and operators may nest. A limit and not the stack ends a hostile query. */
export const MAX_NESTING = 150;

export interface Grammar {
  readonly expression: (stream: TokenStream) => Expression;
  readonly query: (stream: TokenStream) => Query;
}

export class TokenStream {
  readonly text: string;
  readonly #tokens: readonly Token[];
  readonly #grammar: Grammar;
  #index = 0;
  #depth = 0;
  /** How many `?` were read so far. */
  positional = 0;

  constructor(text: string, tokens: readonly Token[], grammar: Grammar) {
    this.text = text;
    this.#tokens = tokens;
    this.#grammar = grammar;
  }

  expression(): Expression {
    return this.nested(() => this.#grammar.expression(this));
  }

  query(): Query {
    return this.nested(() => this.#grammar.query(this));
  }

  /** Runs a rule one level deeper. @throws {SqlError} beyond `MAX_NESTING`. */
  nested<T>(rule: () => T): T {
    if (++this.#depth > MAX_NESTING) {
      throw new SqlError(
        `The query is too complex: it nests deeper than ${MAX_NESTING} levels`,
        this.at,
        'resourcesExceeded',
      );
    }
    try {
      return rule();
    } finally {
      this.#depth--;
    }
  }

  /** The token `ahead` places on, without taking it. */
  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#index + ahead, this.#tokens.length - 1)] as Token;
  }

  next(): Token {
    const token = this.peek();
    if (this.#index < this.#tokens.length - 1) this.#index++;
    return token;
  }

  /** Where the next token begins. */
  get at(): number {
    return this.peek().at;
  }

  /** Where the last token taken ended. */
  get previousEnd(): number {
    return this.#tokens[this.#index - 1]?.end ?? 0;
  }

  /** A place to come back to with `rewind`. */
  mark(): number {
    return this.#index;
  }

  rewind(mark: number): void {
    this.#index = mark;
  }

  /** True when the next tokens are these words, reserved or not, and none in backticks. */
  isWords(...words: readonly string[]): boolean {
    return words.every((word, ahead) => isWord(this.peek(ahead), word));
  }

  /** Takes the words when all of them follow. */
  acceptWords(...words: readonly string[]): boolean {
    if (!this.isWords(...words)) return false;
    for (const _ of words) this.next();
    return true;
  }

  expectWords(...words: readonly string[]): void {
    for (const word of words) {
      if (!this.acceptWords(word)) throw this.unexpected(`keyword ${word}`);
    }
  }

  isSymbol(symbol: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === 'symbol' && token.text === symbol;
  }

  acceptSymbol(symbol: string): boolean {
    if (!this.isSymbol(symbol)) return false;
    this.next();
    return true;
  }

  expectSymbol(symbol: string): void {
    if (!this.acceptSymbol(symbol)) throw this.unexpected(`"${symbol}"`);
  }

  /** An identifier, in backticks or not reserved. */
  identifier(what = 'identifier'): string {
    const token = this.peek();
    if (token.kind !== 'identifier') throw this.unexpected(what);
    this.next();
    return token.text;
  }

  /** What may follow a dot: an identifier, a reserved word, or a name that begins with digits. */
  nameAfterDot(): string {
    const token = this.peek();
    if (token.kind !== 'identifier' && token.kind !== 'keyword' && token.kind !== 'integer')
      throw this.unexpected('identifier');
    this.next();
    if (token.kind === 'keyword') return this.text.slice(token.at, token.end);
    return token.text;
  }

  string(what = 'string literal'): string {
    const token = this.peek();
    if (token.kind !== 'string') throw this.unexpected(what);
    this.next();
    return token.text;
  }

  /** `rule` once or more, separated by commas. */
  list<T>(rule: () => T): T[] {
    const items = [rule()];
    while (this.acceptSymbol(',')) items.push(rule());
    return items;
  }

  /** `( rule, rule … )`, once or more. */
  parenthesizedList<T>(rule: () => T): T[] {
    this.expectSymbol('(');
    const items = this.list(rule);
    this.expectSymbol(')');
    return items;
  }

  /** The complaint about the next token. */
  unexpected(expected?: string): SqlError {
    const token = this.peek();
    const message = expected
      ? `Expected ${expected} but got ${describeToken(token)}`
      : `Unexpected ${describeToken(token)}`;
    return new SqlError(`Syntax error: ${message}`, token.at);
  }
}

/** True when a token is this word and was not written in backticks. */
export function isWord(token: Token, word: string): boolean {
  if (token.kind === 'keyword') return token.text === word;
  return token.kind === 'identifier' && !token.quoted && token.text.toUpperCase() === word;
}
