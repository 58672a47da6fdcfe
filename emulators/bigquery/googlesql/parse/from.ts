/** The FROM clause: tables, subqueries, UNNEST, joins, PIVOT and UNPIVOT. */
import type { FromItem, JoinType } from '../ast/query.ts';
import { SqlError, unsupported } from '../sql-error.ts';
import type { Token } from '../token.ts';
import { pivot, unpivot } from './pivot.ts';
import type { TokenStream } from './token-stream.ts';

/** How many items one FROM clause may join. */
const MAX_JOINS = 100;

export function fromClause(stream: TokenStream): FromItem {
  let left = joined(stream);
  for (let items = 1; stream.isSymbol(','); items++) {
    const at = stream.next().at;
    if (items > MAX_JOINS)
      throw new SqlError(`The query is too complex: more than ${MAX_JOINS} joins`, at, 'resourcesExceeded');
    left = { kind: 'join', type: 'CROSS', left, right: joined(stream), at };
  }
  return left;
}

function joined(stream: TokenStream): FromItem {
  let left = fromItem(stream);
  for (let joins = 0; ; joins++) {
    const at = stream.at;
    const type = joinType(stream);
    if (!type) return left;
    if (joins > MAX_JOINS)
      throw new SqlError(`The query is too complex: more than ${MAX_JOINS} joins`, at, 'resourcesExceeded');
    const right = fromItem(stream);
    const on = stream.acceptWords('ON') ? stream.expression() : undefined;
    const using = !on && stream.acceptWords('USING') ? stream.parenthesizedList(() => stream.identifier()) : undefined;
    if (type === 'CROSS' && (on || using))
      throw new SqlError('Syntax error: CROSS JOIN cannot have an ON or USING clause', at);
    left = { kind: 'join', type, left, right, at, ...(on && { on }), ...(using && { using }) };
  }
}

function joinType(stream: TokenStream): JoinType | undefined {
  if (stream.acceptWords('JOIN')) return 'INNER';
  if (stream.acceptWords('INNER', 'JOIN')) return 'INNER';
  if (stream.acceptWords('CROSS', 'JOIN')) return 'CROSS';
  for (const side of ['LEFT', 'RIGHT', 'FULL'] as const) {
    if (stream.isWords(side, 'JOIN') || stream.isWords(side, 'OUTER', 'JOIN')) {
      stream.next();
      stream.acceptWords('OUTER');
      stream.next();
      return side;
    }
  }
  return undefined;
}

/** One item with what may follow it: an alias, WITH OFFSET, PIVOT, UNPIVOT. */
export function fromItem(stream: TokenStream): FromItem {
  return stream.nested(() => {
    let item = bareItem(stream);
    for (;;) {
      if (stream.isSymbol('(', 1) && stream.isWords('PIVOT')) item = pivot(stream, item);
      else if (stream.isWords('UNPIVOT') && !isAliasOnly(stream)) item = unpivot(stream, item);
      else if (stream.isWords('TABLESAMPLE')) throw unsupported('TABLESAMPLE', stream.at);
      else if (stream.isWords('FOR', 'SYSTEM_TIME') || stream.isWords('FOR', 'SYSTEM'))
        throw unsupported('FOR SYSTEM_TIME AS OF', stream.at);
      else return item;
    }
  });
}

function isAliasOnly(stream: TokenStream): boolean {
  return !stream.isSymbol('(', 1) && !(stream.isWords('UNPIVOT', 'INCLUDE') || stream.isWords('UNPIVOT', 'EXCLUDE'));
}

function bareItem(stream: TokenStream): FromItem {
  const at = stream.at;
  if (stream.isWords('UNNEST') && stream.isSymbol('(', 1)) {
    stream.next();
    stream.next();
    const array = stream.expression();
    stream.expectSymbol(')');
    return { kind: 'unnest', array, ...aliases(stream), at };
  }
  if (stream.isWords('LATERAL')) throw unsupported('LATERAL', at);
  if (stream.acceptSymbol('(')) {
    if (isQuery(stream)) {
      const query = stream.query();
      stream.expectSymbol(')');
      const alias = tableAlias(stream);
      return { kind: 'subquery', query, at, ...(alias !== undefined && { alias }) };
    }
    const item = fromClause(stream);
    stream.expectSymbol(')');
    return { kind: 'parenthesized', item, at };
  }
  const path = tablePath(stream);
  if (stream.isSymbol('(')) throw unsupported(`The table function ${path.join('.').toUpperCase()}`, at);
  return { kind: 'table', path, ...aliases(stream), at };
}

/** Inside a parenthesis: a query, or joins? A parenthesis proves nothing, so the first word behind all of them decides. */
function isQuery(stream: TokenStream): boolean {
  let ahead = 0;
  while (stream.isSymbol('(', ahead)) ahead++;
  const token = stream.peek(ahead);
  if (token.kind !== 'keyword' || !['SELECT', 'WITH', 'FROM'].includes(token.text)) return false;
  if (ahead === 0) return true;
  // `((SELECT …) UNION ALL …)` is a query, `((SELECT …) AS a JOIN …)` is not: what follows the inner parenthesis tells.
  let depth = 0;
  for (let index = 0; ; index++) {
    const next = stream.peek(index);
    if (next.kind === 'end') return true;
    if (next.kind !== 'symbol') continue;
    if (next.text === '(') depth++;
    if (next.text === ')' && --depth === 0) return endsParenthesizedQuery(stream.peek(index + 1));
  }
}

function endsParenthesizedQuery(token: Token): boolean {
  if (token.kind === 'symbol') return token.text === ')';
  return token.kind === 'keyword' && ['UNION', 'INTERSECT', 'EXCEPT', 'ORDER', 'LIMIT'].includes(token.text);
}

function tableAlias(stream: TokenStream): string | undefined {
  if (stream.acceptWords('AS')) return stream.identifier();
  const token = stream.peek();
  if (token.kind !== 'identifier') return undefined;
  const word = token.quoted ? '' : token.text.toUpperCase();
  if (word === 'PIVOT' && stream.isSymbol('(', 1)) return undefined;
  if (word === 'UNPIVOT' && !isAliasOnly(stream)) return undefined;
  return stream.identifier();
}

function aliases(stream: TokenStream): { alias?: string; offset?: string } {
  const alias = tableAlias(stream);
  const result = alias === undefined ? {} : { alias };
  if (!stream.acceptWords('WITH', 'OFFSET')) return result;
  if (stream.acceptWords('AS')) return { ...result, offset: stream.identifier() };
  return { ...result, offset: stream.peek().kind === 'identifier' ? stream.identifier() : 'offset' };
}

/** A table's name: parts by dots, one part in backticks for all of them, and dashes in the project's part. */
export function tablePath(stream: TokenStream): string[] {
  const first = stream.peek();
  if (first.kind === 'parameter')
    throw new SqlError('Query parameters cannot be used in place of table names', first.at);
  const start = stream.identifier('a table name');
  if (first.quoted && start.includes('.')) return [...start.split('.'), ...dottedParts(stream)];
  return [dashed(stream, start), ...dottedParts(stream)];
}

/** Joins `my-project-1`: parts with nothing but dashes between them. */
function dashed(stream: TokenStream, start: string): string {
  let name = start;
  while (stream.isSymbol('-') && stream.at === stream.previousEnd) {
    const part = stream.peek(1);
    if (part.at !== stream.at + 1 || !['identifier', 'integer', 'keyword'].includes(part.kind)) break;
    stream.next();
    stream.next();
    name += `-${stream.text.slice(part.at, part.end)}`;
  }
  return name;
}

function dottedParts(stream: TokenStream): string[] {
  const parts: string[] = [];
  while (stream.acceptSymbol('.')) {
    const quoted = stream.peek().quoted === true;
    const part = stream.nameAfterDot();
    parts.push(...(quoted ? part.split('.') : [part]));
  }
  return parts;
}
