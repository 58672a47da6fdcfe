/** What the lexer hands to the parser. */
export type TokenKind =
  | 'identifier'
  | 'keyword'
  | 'integer'
  | 'float'
  | 'string'
  | 'bytes'
  | 'parameter'
  | 'symbol'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** Identifiers without backticks, keywords in upper case, numbers as written, parameters without `@` (`''` for `?`). */
  readonly text: string;
  /** Set on bytes literals only. */
  readonly bytes?: Uint8Array;
  /** True for an identifier that was written in backticks: it never acts as a word of the grammar. */
  readonly quoted?: boolean;
  /** First offset of the token, and the first offset after it. */
  readonly at: number;
  readonly end: number;
}

/** The token as a parser's complaint names it: `keyword FROM`, `identifier "x"`, `end of script`. */
export function describeToken(token: Token): string {
  switch (token.kind) {
    case 'end':
      return 'end of script';
    case 'keyword':
      return `keyword ${token.text}`;
    case 'identifier':
      return token.quoted ? `identifier \`${token.text}\`` : `identifier "${token.text}"`;
    case 'integer':
      return `integer literal "${token.text}"`;
    case 'float':
      return `floating point literal "${token.text}"`;
    case 'string':
      return 'string literal';
    case 'bytes':
      return 'bytes literal';
    case 'parameter':
      return `"${token.text === '' ? '?' : '@'}"`;
    case 'symbol':
      return `"${token.text}"`;
  }
}
