/** SELECT and its clauses. */
import type { Expression, WindowSpecification } from '../ast/expression.ts';
import type { GroupBy, Select, SelectItem } from '../ast/query.ts';
import { unsupported } from '../sql-error.ts';
import { optionalAlias } from './alias.ts';
import { orderItem } from './call.ts';
import { fromClause } from './from.ts';
import type { TokenStream } from './token-stream.ts';
import { windowSpecification } from './window.ts';

export function select(stream: TokenStream): Select {
  const at = stream.at;
  stream.expectWords('SELECT');
  if (stream.isWords('WITH')) throw unsupported('SELECT WITH (differential privacy, aggregation threshold)', stream.at);
  const distinct = stream.acceptWords('DISTINCT');
  if (!distinct) stream.acceptWords('ALL');
  const as = stream.acceptWords('AS', 'STRUCT') ? 'STRUCT' : stream.acceptWords('AS', 'VALUE') ? 'VALUE' : undefined;
  const items = selectList(stream);
  const from = stream.acceptWords('FROM') ? fromClause(stream) : undefined;
  const where = stream.acceptWords('WHERE') ? stream.expression() : undefined;
  const groupBy = stream.acceptWords('GROUP', 'BY') ? groupByClause(stream) : undefined;
  const having = stream.acceptWords('HAVING') ? stream.expression() : undefined;
  const qualify = stream.acceptWords('QUALIFY') ? stream.expression() : undefined;
  const windows = stream.acceptWords('WINDOW') ? windowClause(stream) : new Map<string, WindowSpecification>();
  return {
    kind: 'select',
    distinct,
    items,
    windows,
    at,
    ...(as && { as }),
    ...(from && { from }),
    ...(where && { where }),
    ...(groupBy && { groupBy }),
    ...(having && { having }),
    ...(qualify && { qualify }),
  };
}

/** A trailing comma is allowed, as in GoogleSQL. */
function selectList(stream: TokenStream): SelectItem[] {
  const items = [selectItem(stream)];
  while (stream.acceptSymbol(',')) {
    if (stream.peek().kind === 'end' || stream.isWords('FROM') || stream.isSymbol(')')) break;
    items.push(selectItem(stream));
  }
  return items;
}

function selectItem(stream: TokenStream): SelectItem {
  const at = stream.at;
  if (stream.acceptSymbol('*')) return starModifiers(stream, { kind: 'star', except: [], replace: [], at });
  const value = stream.expression();
  if (stream.isSymbol('.') && stream.isSymbol('*', 1)) {
    stream.next();
    stream.next();
    return starModifiers(stream, { kind: 'star', base: value, except: [], replace: [], at });
  }
  const alias = optionalAlias(stream);
  return { kind: 'expression', value, at, ...(alias !== undefined && { alias }) };
}

function starModifiers(stream: TokenStream, star: SelectItem & { kind: 'star' }): SelectItem {
  const except =
    stream.isSymbol('(', 1) && stream.acceptWords('EXCEPT') ? stream.parenthesizedList(() => stream.identifier()) : [];
  const replace =
    stream.isSymbol('(', 1) && stream.acceptWords('REPLACE') ? stream.parenthesizedList(() => replacement(stream)) : [];
  return { ...star, except, replace };
}

function replacement(stream: TokenStream): { name: string; value: Expression } {
  const value = stream.expression();
  stream.acceptWords('AS');
  return { name: stream.identifier(), value };
}

function groupByClause(stream: TokenStream): GroupBy {
  if (stream.acceptWords('ALL')) return { kind: 'ALL' };
  if (stream.acceptWords('ROLLUP'))
    return { kind: 'ROLLUP', keys: stream.parenthesizedList(() => stream.expression()) };
  if (stream.acceptWords('CUBE')) return { kind: 'CUBE', keys: stream.parenthesizedList(() => stream.expression()) };
  if (stream.acceptWords('GROUPING', 'SETS'))
    return { kind: 'SETS', sets: stream.parenthesizedList(() => groupingSet(stream)) };
  return { kind: 'keys', keys: stream.list(() => stream.expression()) };
}

function groupingSet(stream: TokenStream): Expression[] {
  if (stream.isWords('ROLLUP') || stream.isWords('CUBE'))
    throw unsupported('ROLLUP or CUBE inside GROUPING SETS', stream.at);
  if (!stream.isSymbol('(')) return [stream.expression()];
  stream.next();
  const keys = stream.isSymbol(')') ? [] : stream.list(() => stream.expression());
  stream.expectSymbol(')');
  return keys;
}

function windowClause(stream: TokenStream): Map<string, WindowSpecification> {
  const windows = new Map<string, WindowSpecification>();
  stream.list(() => {
    const name = stream.identifier();
    stream.expectWords('AS');
    const specification =
      stream.peek().kind === 'identifier'
        ? { base: stream.identifier(), partitionBy: [], orderBy: [] }
        : windowSpecification(stream, orderItem);
    windows.set(name.toLowerCase(), specification);
  });
  return windows;
}
