/** Splits GoogleSQL into tokens. Invariant: every character of the text belongs to a token, to white space or to a comment. */
import { RESERVED_KEYWORDS } from './keywords.ts';
import { SqlError } from './sql-error.ts';
import { decodeBytes, decodeString } from './string-literal.ts';
import type { Token, TokenKind } from './token.ts';

const SKIP = /(?:\s+|--[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const QUOTE = /([rR]?[bB]?|[bB][rR])("""|'''|"|')/y;
const SYMBOL = /@@|\|\||\|>|<<|>>|<=|>=|<>|!=|=>|->|\+=|-=|[-+*/~&|^<>=().,;:?@[\]{}!$%]/y;

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The end of a quoted literal's body: the first closing quote that no backslash escapes. */
function closingQuote(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text.startsWith(quote, at)) return at;
    else if (quote.length === 1 && (text[at] === '\n' || text[at] === '\r')) break;
  }
  return -1;
}

function quotedLiteral(text: string, at: number, prefix: string, quote: string): Token {
  const from = at + prefix.length + quote.length;
  const close = closingQuote(text, from, quote);
  if (close < 0) {
    const kind = quote.length === 3 ? 'triple-quoted ' : '';
    throw new SqlError(`Syntax error: Unclosed ${kind}string literal`, at);
  }
  const body = text.slice(from, close).replaceAll('\r\n', '\n');
  const raw = /r/i.test(prefix);
  const end = close + quote.length;
  if (/b/i.test(prefix)) return { kind: 'bytes', text: '', bytes: decodeBytes(body, raw, from), at, end };
  return { kind: 'string', text: decodeString(body, raw, from), at, end };
}

function backticked(text: string, at: number): Token {
  const close = closingQuote(text, at + 1, '`');
  if (close < 0) throw new SqlError('Syntax error: Unclosed identifier literal', at);
  const name = decodeString(text.slice(at + 1, close), false, at + 1);
  if (name === '') throw new SqlError('Syntax error: Invalid empty identifier', at);
  return { kind: 'identifier', text: name, quoted: true, at, end: close + 1 };
}

function number(text: string, at: number, previous: Token | undefined): Token {
  const found = match(NUMBER, text, at)?.[0] ?? '';
  // After a dot digits are a name (`t.1st`), so `a.0.5` is not read as a fraction.
  const digits = previous?.kind === 'symbol' && previous.text === '.' ? (/^[0-9]+/.exec(found)?.[0] ?? found) : found;
  const end = at + digits.length;
  if (/[A-Za-z_]/.test(text[end] ?? '')) {
    throw new SqlError('Syntax error: Missing whitespace between literal and alias', end);
  }
  const integer = /^(0[xX][0-9a-fA-F]+|[0-9]+)$/.test(digits);
  return { kind: integer ? 'integer' : 'float', text: digits, at, end };
}

function nextToken(text: string, at: number, previous: Token | undefined): Token {
  const character = text[at] ?? '';
  const quote = match(QUOTE, text, at);
  if (quote) return quotedLiteral(text, at, quote[1] ?? '', quote[2] ?? '');
  if (character === '`') return backticked(text, at);
  const word = match(WORD, text, at)?.[0];
  if (word !== undefined) {
    const upper = word.toUpperCase();
    const kind: TokenKind = RESERVED_KEYWORDS.has(upper) ? 'keyword' : 'identifier';
    return { kind, text: kind === 'keyword' ? upper : word, at, end: at + word.length };
  }
  if (
    /[0-9]/.test(character) ||
    (character === '.' && /[0-9]/.test(text[at + 1] ?? '') && !endsOperand(previous, at))
  ) {
    return number(text, at, previous);
  }
  const symbol = match(SYMBOL, text, at)?.[0];
  if (symbol === undefined) {
    throw new SqlError(
      `Syntax error: Illegal input character "${String.fromCodePoint(text.codePointAt(at) ?? 0)}"`,
      at,
    );
  }
  return { kind: 'symbol', text: symbol, at, end: at + symbol.length };
}

/** True when a dot here would select a field of what was just read, rather than begin a number. */
function endsOperand(previous: Token | undefined, at: number): boolean {
  if (!previous || previous.end !== at) return false;
  return previous.kind === 'identifier' || previous.text === ')' || previous.text === ']';
}

/** A parameter token for `@name`, or `undefined` when the `@` begins something else. */
function parameter(text: string, at: number): Token | undefined {
  if (text[at] === '?') return { kind: 'parameter', text: '', at, end: at + 1 };
  if (text[at] !== '@' || text[at + 1] === '@' || text[at + 1] === '{') return undefined;
  if (text[at + 1] === '`') {
    const name = backticked(text, at + 1);
    return { kind: 'parameter', text: name.text, at, end: name.end };
  }
  const word = match(WORD, text, at + 1)?.[0];
  if (word === undefined) throw new SqlError('Syntax error: Unexpected "@"', at);
  return { kind: 'parameter', text: word, at, end: at + 1 + word.length };
}

/**
 * All tokens of a text, ending in one of kind `end`.
 * @throws {SqlError} on an unclosed literal or comment, a bad escape, or a character that GoogleSQL does not have.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at += match(SKIP, text, at)?.[0].length ?? 0;
    if (at >= text.length) break;
    if (text.startsWith('/*', at)) throw new SqlError('Syntax error: Unclosed comment', at);
    const token = parameter(text, at) ?? nextToken(text, at, tokens.at(-1));
    tokens.push(token);
    at = token.end;
  }
  tokens.push({ kind: 'end', text: '', at: text.length, end: text.length });
  return tokens;
}
