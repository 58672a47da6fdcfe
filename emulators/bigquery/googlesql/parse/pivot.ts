/** PIVOT and UNPIVOT. */
import type { Expression } from '../ast/expression.ts';
import type { FromItem, Pivot, Unpivot } from '../ast/query.ts';
import { SqlError } from '../sql-error.ts';
import { optionalAlias } from './alias.ts';
import type { TokenStream } from './token-stream.ts';

export function pivot(stream: TokenStream, input: FromItem): Pivot {
  const at = stream.at;
  stream.expectWords('PIVOT');
  stream.expectSymbol('(');
  const aggregates = stream.list(() => {
    const call = stream.expression();
    if (call.kind !== 'call') throw new SqlError('PIVOT expression must be an aggregate function call', call.at);
    const alias = optionalAlias(stream);
    return { call, ...(alias !== undefined && { alias }) };
  });
  stream.expectWords('FOR');
  const column = pivotColumn(stream);
  stream.expectWords('IN');
  const values = stream.parenthesizedList(() => {
    const value = stream.expression();
    const alias = optionalAlias(stream);
    return { value, ...(alias !== undefined && { alias }) };
  });
  stream.expectSymbol(')');
  const alias = optionalAlias(stream);
  return { kind: 'pivot', input, aggregates, column, values, at, ...(alias !== undefined && { alias }) };
}

/** The column before IN. Read as a name and its fields, since a whole expression would take the IN with it. */
function pivotColumn(stream: TokenStream): Expression {
  const at = stream.at;
  const names = [stream.identifier()];
  while (stream.acceptSymbol('.')) names.push(stream.nameAfterDot());
  return { kind: 'path', names, at };
}

export function unpivot(stream: TokenStream, input: FromItem): Unpivot {
  const at = stream.at;
  stream.expectWords('UNPIVOT');
  const includeNulls = stream.acceptWords('INCLUDE', 'NULLS');
  if (!includeNulls) stream.acceptWords('EXCLUDE', 'NULLS');
  stream.expectSymbol('(');
  const values = stream.isSymbol('(') ? stream.parenthesizedList(() => stream.identifier()) : [stream.identifier()];
  stream.expectWords('FOR');
  const name = stream.identifier();
  stream.expectWords('IN');
  const columns = stream.parenthesizedList(() => {
    const group = stream.isSymbol('(') ? stream.parenthesizedList(() => stream.identifier()) : [stream.identifier()];
    if (group.length !== values.length) {
      throw new SqlError(
        `UNPIVOT groups have ${group.length} columns where ${values.length} value columns are named`,
        at,
      );
    }
    stream.acceptWords('AS');
    const labelled = stream.peek().kind === 'string' || stream.peek().kind === 'integer';
    return { columns: group, ...(labelled && { label: stream.expression() }) };
  });
  stream.expectSymbol(')');
  const alias = optionalAlias(stream);
  return { kind: 'unpivot', input, includeNulls, values, name, columns, at, ...(alias !== undefined && { alias }) };
}
