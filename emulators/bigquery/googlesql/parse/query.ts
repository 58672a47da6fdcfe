/** Queries: WITH, set operations, ORDER BY, LIMIT. */
import type { CommonTable, Query, QueryBody, SetOperator } from '../ast/query.ts';
import { SqlError, unsupported } from '../sql-error.ts';
import { orderItem } from './call.ts';
import { select } from './select.ts';
import type { TokenStream } from './token-stream.ts';

export function query(stream: TokenStream): Query {
  const at = stream.at;
  const withClause = stream.acceptWords('WITH');
  const recursive = withClause && stream.acceptWords('RECURSIVE');
  const tables = withClause ? stream.list(() => commonTable(stream)) : [];
  if (stream.isWords('FROM')) throw unsupported('Pipe syntax', stream.at);
  const body = setOperations(stream);
  const orderBy = stream.acceptWords('ORDER', 'BY') ? stream.list(() => orderItem(stream)) : [];
  const limit = stream.acceptWords('LIMIT') ? stream.expression() : undefined;
  const offset = limit && stream.acceptWords('OFFSET') ? stream.expression() : undefined;
  if (stream.isSymbol('|>')) throw unsupported('Pipe syntax', stream.at);
  return {
    kind: 'query',
    recursive,
    with: tables,
    body,
    orderBy,
    at,
    ...(limit && { limit }),
    ...(offset && { offset }),
  };
}

function commonTable(stream: TokenStream): CommonTable {
  const at = stream.at;
  const name = stream.identifier();
  stream.expectWords('AS');
  stream.expectSymbol('(');
  const inner = stream.query();
  stream.expectSymbol(')');
  return { name, query: inner, at };
}

function operand(stream: TokenStream): QueryBody {
  if (stream.acceptSymbol('(')) {
    const inner = stream.query();
    stream.expectSymbol(')');
    return inner;
  }
  return select(stream);
}

function setOperator(stream: TokenStream): SetOperator | undefined {
  const at = stream.at;
  for (const side of ['LEFT', 'FULL', 'INNER', 'OUTER'] as const) {
    if (stream.isWords(side)) throw unsupported(`A set operation by name (${side})`, at);
  }
  if (stream.acceptWords('UNION')) {
    if (stream.acceptWords('ALL')) return refuseByName(stream, 'UNION ALL');
    stream.expectWords('DISTINCT');
    return refuseByName(stream, 'UNION DISTINCT');
  }
  for (const name of ['INTERSECT', 'EXCEPT'] as const) {
    if (stream.acceptWords(name)) {
      if (stream.isWords('ALL')) throw unsupported(`${name} ALL`, at);
      stream.expectWords('DISTINCT');
      return refuseByName(stream, `${name} DISTINCT`);
    }
  }
  return undefined;
}

function refuseByName(stream: TokenStream, operator: SetOperator): SetOperator {
  if (stream.isWords('BY', 'NAME') || stream.isWords('CORRESPONDING'))
    throw unsupported(`${operator} BY NAME`, stream.at);
  return operator;
}

function setOperations(stream: TokenStream): QueryBody {
  const first = operand(stream);
  const at = stream.at;
  const operator = setOperator(stream);
  if (!operator) return first;
  const operands = [first, operand(stream)];
  for (;;) {
    const nextAt = stream.at;
    const next = setOperator(stream);
    if (!next) return { kind: 'set', operator, operands, at };
    if (next !== operator || operator === 'EXCEPT DISTINCT') {
      throw new SqlError(
        'Syntax error: Different set operations cannot be used in the same query without using parentheses for grouping',
        nextAt,
      );
    }
    operands.push(operand(stream));
  }
}
