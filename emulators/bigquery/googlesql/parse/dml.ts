/** INSERT, UPDATE, DELETE, TRUNCATE and MERGE. */
import type { Expression } from '../ast/expression.ts';
import type {
  Assignment,
  Delete,
  Insert,
  InsertSource,
  Merge,
  MergeAction,
  MergeClause,
  TableName,
  Truncate,
  Update,
} from '../ast/statement.ts';
import { SqlError } from '../sql-error.ts';
import { optionalAlias } from './alias.ts';
import { startsQuery } from './expression.ts';
import { fromClause, fromItem, tablePath } from './from.ts';
import type { TokenStream } from './token-stream.ts';

export function tableName(stream: TokenStream): TableName {
  const at = stream.at;
  return { path: tablePath(stream), at };
}

export function insert(stream: TokenStream): Insert {
  const at = stream.at;
  stream.expectWords('INSERT');
  stream.acceptWords('INTO');
  const table = tableName(stream);
  const columns =
    stream.isSymbol('(') && !startsQuery(stream) ? stream.parenthesizedList(() => stream.identifier()) : undefined;
  const source: InsertSource = stream.acceptWords('VALUES')
    ? { kind: 'values', rows: stream.list(() => stream.parenthesizedList(() => stream.expression())) }
    : { kind: 'query', query: stream.query() };
  return { kind: 'insert', table, source, at, ...(columns && { columns }) };
}

function assignment(stream: TokenStream): Assignment {
  const at = stream.at;
  const path = [stream.identifier()];
  while (stream.acceptSymbol('.')) path.push(stream.nameAfterDot());
  stream.expectSymbol('=');
  return { path, value: stream.expression(), at };
}

function requiredWhere(stream: TokenStream, statement: string): Expression {
  if (!stream.acceptWords('WHERE')) {
    throw new SqlError(`${statement} must have a WHERE clause`, stream.at);
  }
  return stream.expression();
}

export function update(stream: TokenStream): Update {
  const at = stream.at;
  stream.expectWords('UPDATE');
  const table = tableName(stream);
  const alias = stream.isWords('SET') ? undefined : optionalAlias(stream);
  stream.expectWords('SET');
  const assignments = stream.list(() => assignment(stream));
  const from = stream.acceptWords('FROM') ? fromClause(stream) : undefined;
  const where = requiredWhere(stream, 'UPDATE');
  return {
    kind: 'update',
    table,
    assignments,
    where,
    at,
    ...(alias !== undefined && { alias }),
    ...(from && { from }),
  };
}

export function deleteFrom(stream: TokenStream): Delete {
  const at = stream.at;
  stream.expectWords('DELETE');
  stream.acceptWords('FROM');
  const table = tableName(stream);
  const alias = optionalAlias(stream);
  const where = requiredWhere(stream, 'DELETE');
  return { kind: 'delete', table, where, at, ...(alias !== undefined && { alias }) };
}

export function truncate(stream: TokenStream): Truncate {
  const at = stream.at;
  stream.expectWords('TRUNCATE', 'TABLE');
  return { kind: 'truncate', table: tableName(stream), at };
}

export function merge(stream: TokenStream): Merge {
  const at = stream.at;
  stream.expectWords('MERGE');
  stream.acceptWords('INTO');
  const table = tableName(stream);
  const alias = optionalAlias(stream);
  stream.expectWords('USING');
  const source = fromItem(stream);
  stream.expectWords('ON');
  const on = stream.expression();
  const clauses: MergeClause[] = [];
  while (stream.isWords('WHEN')) clauses.push(mergeClause(stream));
  if (clauses.length === 0) throw stream.unexpected('keyword WHEN');
  return { kind: 'merge', table, source, on, clauses, at, ...(alias !== undefined && { alias }) };
}

function mergeClause(stream: TokenStream): MergeClause {
  const at = stream.at;
  stream.expectWords('WHEN');
  const when = matchedWords(stream);
  const condition = stream.acceptWords('AND') ? stream.expression() : undefined;
  stream.expectWords('THEN');
  const action = mergeAction(stream);
  const inserts = action.kind === 'insert' || action.kind === 'insertRow';
  if (inserts !== (when === 'NOT MATCHED BY TARGET')) {
    throw new SqlError(
      `Syntax error: ${action.kind === 'insertRow' ? 'INSERT' : action.kind.toUpperCase()} is not allowed in a WHEN ${when} clause`,
      at,
    );
  }
  return { when, action, at, ...(condition && { condition }) };
}

function matchedWords(stream: TokenStream): MergeClause['when'] {
  if (stream.acceptWords('MATCHED')) return 'MATCHED';
  stream.expectWords('NOT', 'MATCHED');
  if (stream.acceptWords('BY', 'SOURCE')) return 'NOT MATCHED BY SOURCE';
  stream.acceptWords('BY', 'TARGET');
  return 'NOT MATCHED BY TARGET';
}

function mergeAction(stream: TokenStream): MergeAction {
  if (stream.acceptWords('DELETE')) return { kind: 'delete' };
  if (stream.acceptWords('UPDATE')) {
    stream.expectWords('SET');
    return { kind: 'update', assignments: stream.list(() => assignment(stream)) };
  }
  stream.expectWords('INSERT');
  if (stream.acceptWords('ROW')) return { kind: 'insertRow' };
  const columns = stream.isSymbol('(') ? stream.parenthesizedList(() => stream.identifier()) : undefined;
  if (stream.acceptWords('ROW')) {
    if (columns)
      throw new SqlError(
        'INSERT ROW with a column list is not supported by this local BigQuery server: list the values',
        stream.at,
      );
    return { kind: 'insertRow' };
  }
  stream.expectWords('VALUES');
  return { kind: 'insert', values: stream.parenthesizedList(() => stream.expression()), ...(columns && { columns }) };
}
