/** Function calls with all that may stand inside or behind them: DISTINCT, IGNORE NULLS, HAVING, ORDER BY, LIMIT, OVER. */
import type { Call, Expression, OrderItem } from '../ast/expression.ts';
import type { TokenStream } from './token-stream.ts';
import { overClause } from './window.ts';

/** The name of a function when one is called next, possibly `SAFE.` or dotted; takes it, up to the parenthesis. */
export function functionName(stream: TokenStream): { readonly name: string; readonly safe: boolean } | undefined {
  const parts: string[] = [];
  let ahead = 0;
  for (;;) {
    const token = stream.peek(ahead);
    if (token.kind !== 'identifier' && !(token.kind === 'keyword' && parts.length > 0)) return undefined;
    parts.push(token.text.toUpperCase());
    if (stream.isSymbol('(', ahead + 1)) break;
    if (!stream.isSymbol('.', ahead + 1)) return undefined;
    ahead += 2;
  }
  for (let taken = 0; taken <= ahead; taken++) stream.next();
  const safe = parts[0] === 'SAFE' && parts.length > 1;
  return { name: (safe ? parts.slice(1) : parts).join('.'), safe };
}

/** `expr [ASC|DESC] [NULLS FIRST|LAST]`. */
export function orderItem(stream: TokenStream): OrderItem {
  const value = stream.expression();
  const descending = stream.acceptWords('DESC');
  if (!descending) stream.acceptWords('ASC');
  if (!stream.acceptWords('NULLS')) return { value, descending };
  const nullsFirst = stream.acceptWords('FIRST');
  if (!nullsFirst) stream.expectWords('LAST');
  return { value, descending, nullsFirst };
}

interface Arguments {
  readonly args: Expression[];
  readonly named: { name: string; value: Expression }[];
}

function argument(stream: TokenStream, into: Arguments): void {
  const at = stream.at;
  if (stream.peek().kind === 'identifier' && stream.isSymbol('=>', 1)) {
    const name = stream.identifier().toLowerCase();
    stream.next();
    into.named.push({ name, value: stream.expression() });
    return;
  }
  const lambda = lambdaParameters(stream);
  if (lambda) {
    into.args.push({ kind: 'lambda', parameters: lambda, body: stream.expression(), at });
    return;
  }
  if (stream.peek().kind === 'keyword' && stream.isWords('SELECT')) {
    // `ARRAY_LENGTH(SELECT …)`: GoogleSQL asks for a second pair of parentheses.
    throw stream.unexpected();
  }
  into.args.push(stream.expression());
}

/** `(a, b) ->`, taken when it is there. */
function lambdaParameters(stream: TokenStream): string[] | undefined {
  if (!stream.isSymbol('(')) return undefined;
  const mark = stream.mark();
  stream.next();
  const names: string[] = [];
  while (stream.peek().kind === 'identifier') {
    names.push(stream.identifier());
    if (!stream.acceptSymbol(',')) break;
  }
  if (names.length > 0 && stream.acceptSymbol(')') && stream.acceptSymbol('->')) return names;
  stream.rewind(mark);
  return undefined;
}

/** The arguments and all that follows them; the stream stands at the opening parenthesis. */
export function call(stream: TokenStream, name: string, safe: boolean, at: number): Call {
  stream.expectSymbol('(');
  const star = stream.isSymbol('*') && stream.isSymbol(')', 1);
  if (star) stream.next();
  const distinct = stream.acceptWords('DISTINCT');
  const into: Arguments = { args: [], named: [] };
  if (!star && !stream.isSymbol(')') && !endsArguments(stream)) {
    do argument(stream, into);
    while (stream.acceptSymbol(','));
  }
  let nulls = nullsModifier(stream);
  const having = stream.acceptWords('HAVING') ? havingModifier(stream) : undefined;
  const orderBy = stream.acceptWords('ORDER', 'BY') ? stream.list(() => orderItem(stream)) : [];
  const limit = stream.acceptWords('LIMIT') ? stream.expression() : undefined;
  stream.expectSymbol(')');
  nulls ??= nullsModifier(stream);
  const over = stream.acceptWords('OVER') ? overClause(stream, orderItem) : undefined;
  return {
    kind: 'call',
    name,
    safe,
    ...into,
    star,
    distinct,
    orderBy,
    at,
    ...(nulls && { nulls }),
    ...(having && { having }),
    ...(limit && { limit }),
    ...(over && { over }),
  };
}

function endsArguments(stream: TokenStream): boolean {
  return stream.isWords('ORDER') || stream.isWords('LIMIT') || stream.isWords('HAVING');
}

function nullsModifier(stream: TokenStream): 'IGNORE' | 'RESPECT' | undefined {
  for (const which of ['IGNORE', 'RESPECT'] as const) {
    if (stream.acceptWords(which, 'NULLS')) return which;
  }
  return undefined;
}

function havingModifier(stream: TokenStream): { which: 'MAX' | 'MIN'; value: Expression } {
  const which = stream.acceptWords('MAX') ? 'MAX' : 'MIN';
  if (which === 'MIN') stream.expectWords('MIN');
  return { which, value: stream.expression() };
}
