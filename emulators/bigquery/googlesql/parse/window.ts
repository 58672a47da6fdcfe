/** Windows: the OVER clause and the WINDOW clause's definitions. */
import type { FrameBound, OrderItem, WindowSpecification } from '../ast/expression.ts';
import type { TokenStream } from './token-stream.ts';

type OrderRule = (stream: TokenStream) => OrderItem;

/** After OVER: a name, or a specification in parentheses. */
export function overClause(stream: TokenStream, orderItem: OrderRule): WindowSpecification {
  if (stream.peek().kind === 'identifier') return { base: stream.identifier(), partitionBy: [], orderBy: [] };
  return windowSpecification(stream, orderItem);
}

export function windowSpecification(stream: TokenStream, orderItem: OrderRule): WindowSpecification {
  stream.expectSymbol('(');
  const base = stream.peek().kind === 'identifier' ? stream.identifier() : undefined;
  const partitionBy = stream.acceptWords('PARTITION', 'BY') ? stream.list(() => stream.expression()) : [];
  const orderBy = stream.acceptWords('ORDER', 'BY') ? stream.list(() => orderItem(stream)) : [];
  const unit = stream.acceptWords('ROWS') ? 'ROWS' : stream.acceptWords('RANGE') ? 'RANGE' : undefined;
  const frame = unit && frameBounds(stream, unit);
  stream.expectSymbol(')');
  return { partitionBy, orderBy, ...(base !== undefined && { base }), ...(frame && { frame }) };
}

function frameBounds(stream: TokenStream, unit: 'ROWS' | 'RANGE'): NonNullable<WindowSpecification['frame']> {
  if (!stream.acceptWords('BETWEEN')) return { unit, start: frameBound(stream) };
  const start = frameBound(stream);
  stream.expectWords('AND');
  return { unit, start, end: frameBound(stream) };
}

function frameBound(stream: TokenStream): FrameBound {
  if (stream.acceptWords('UNBOUNDED', 'PRECEDING')) return { kind: 'UNBOUNDED PRECEDING' };
  if (stream.acceptWords('UNBOUNDED', 'FOLLOWING')) return { kind: 'UNBOUNDED FOLLOWING' };
  if (stream.acceptWords('CURRENT', 'ROW')) return { kind: 'CURRENT ROW' };
  const offset = stream.expression();
  if (stream.acceptWords('PRECEDING')) return { kind: 'PRECEDING', offset };
  stream.expectWords('FOLLOWING');
  return { kind: 'FOLLOWING', offset };
}
