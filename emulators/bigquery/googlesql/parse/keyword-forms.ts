/** The forms that look like calls and are grammar: CAST, SAFE_CAST, EXTRACT, INTERVAL. */
import type { Expression } from '../ast/expression.ts';
import { unsupported } from '../sql-error.ts';
import type { TokenStream } from './token-stream.ts';
import { typeName } from './type-name.ts';

export function cast(stream: TokenStream, safe: boolean): Expression {
  const at = stream.next().at;
  stream.expectSymbol('(');
  const operand = stream.expression();
  stream.expectWords('AS');
  const type = typeName(stream);
  const format = stream.acceptWords('FORMAT') ? stream.expression() : undefined;
  const timeZone = stream.acceptWords('AT', 'TIME', 'ZONE') ? stream.expression() : undefined;
  if (stream.isWords('COLLATE')) throw unsupported('COLLATE', stream.at);
  stream.expectSymbol(')');
  return { kind: 'cast', operand, type, safe, at, ...(format && { format }), ...(timeZone && { timeZone }) };
}

/** A date part: `MONTH`, `WEEK(MONDAY)`. Upper case, without spaces. */
export function datePart(stream: TokenStream): string {
  const name = stream.identifier('a date part').toUpperCase();
  if (!stream.acceptSymbol('(')) return name;
  const weekday = stream.identifier('a weekday').toUpperCase();
  stream.expectSymbol(')');
  return `${name}(${weekday})`;
}

export function extract(stream: TokenStream): Expression {
  const at = stream.next().at;
  stream.expectSymbol('(');
  const part = datePart(stream);
  stream.expectWords('FROM');
  const operand = stream.expression();
  const timeZone = stream.acceptWords('AT', 'TIME', 'ZONE') ? stream.expression() : undefined;
  stream.expectSymbol(')');
  return { kind: 'extract', part, operand, at, ...(timeZone && { timeZone }) };
}

export function interval(stream: TokenStream): Expression {
  const at = stream.next().at;
  const value = stream.expression();
  const from = stream.identifier('a date part').toUpperCase();
  const to = stream.acceptWords('TO') ? stream.identifier('a date part').toUpperCase() : undefined;
  return { kind: 'interval', value, from, at, ...(to !== undefined && { to }) };
}
