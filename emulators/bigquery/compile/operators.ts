/** Unary and binary operators, AND, OR, BETWEEN, IN, LIKE, IS. */
import type {
  Between,
  Binary,
  Candidates,
  Expression,
  In,
  Is,
  IsDistinct,
  Like,
  Logical,
  QuantifiedLike,
  Unary,
} from '../googlesql/ast/expression.ts';
import { SqlError, unsupported } from '../googlesql/sql-error.ts';
import { BOOL, BYTES, INT64, STRING, type Type, typeName } from '../types/type.ts';
import { arithmetic, negate } from './arithmetic.ts';
import { castTo } from './cast.ts';
import { coerce, coerceOrFail } from './coerce.ts';
import { type Comparison, compare, unify } from './compare.ts';
import type { CompileContext } from './context.ts';
import type { Scope } from './scope.ts';
import { isNull, type Typed, typed } from './typed.ts';

/** Types that no STRING beside them makes a STRING. */
const KEPT: ReadonlySet<Type['kind']> = new Set(['STRING', 'BYTES', 'ARRAY', 'STRUCT', 'JSON']);

function boolean(node: Expression, scope: Scope, context: CompileContext, what: string): Typed {
  return coerceOrFail(context.expression(node, scope), BOOL, what, node.at);
}

export function compileLogical(node: Logical, scope: Scope, context: CompileContext): Typed {
  const operands = node.operands.map(
    (operand) => boolean(operand, scope, context, `An operand of ${node.operator}`).sql,
  );
  return typed(`(${operands.join(` ${node.operator} `)})`, BOOL);
}

export function compileUnary(node: Unary, scope: Scope, context: CompileContext): Typed {
  if (node.operator === 'NOT')
    return typed(`(NOT ${boolean(node.operand, scope, context, 'The operand of NOT').sql})`, BOOL);
  const operand = context.expression(node.operand, scope);
  if (node.operator === '~') {
    const value = coerceOrFail(operand, INT64, 'The operand of ~', node.at);
    return typed(`(~${value.sql})`, INT64);
  }
  return node.operator === '-' ? negate(operand, node.at) : operand;
}

export function compileBinary(node: Binary, scope: Scope, context: CompileContext): Typed {
  const left = context.expression(node.left, scope);
  const right = context.expression(node.right, scope);
  switch (node.operator) {
    case '+':
    case '-':
    case '*':
    case '/':
      return arithmetic(node.operator, left, right, node.at);
    case '||':
      return concatenate(left, right, node.at);
    case '<<':
    case '>>':
    case '&':
    case '|':
    case '^':
      return bitwise(node.operator, left, right, node.at);
    default:
      return compare(node.operator as Comparison, left, right, node.at);
  }
}

function bitwise(operator: '<<' | '>>' | '&' | '|' | '^', left: Typed, right: Typed, at: number): Typed {
  const [a, b] = [coerce(left, INT64), coerce(right, INT64)];
  if (!a || !b)
    throw new SqlError(
      `No matching signature for operator ${operator} for argument types: ${typeName(left.type)}, ${typeName(right.type)}`,
      at,
    );
  switch (operator) {
    case '<<':
      return typed(`js_shift_left_2(${a.sql}, ${b.sql})`, INT64);
    case '>>':
      return typed(`js_shift_right_2(${a.sql}, ${b.sql})`, INT64);
    case '^':
      return typed(`xor(${a.sql}, ${b.sql})`, INT64);
    default:
      return typed(`(${a.sql} ${operator} ${b.sql})`, INT64);
  }
}

/** Beside a STRING, a number, a date or a BOOL becomes one. */
function concatenate(left: Typed, right: Typed, at: number): Typed {
  const text = (value: Typed, other: Typed): Typed =>
    other.type.kind === 'STRING' && !KEPT.has(value.type.kind) && !isNull(value)
      ? castTo(value, STRING, false, at)
      : value;
  const { type, values } = unify([text(left, right), text(right, left)], 'operator ||', at);
  if (type.kind !== 'STRING' && type.kind !== 'BYTES' && type.kind !== 'ARRAY') {
    throw new SqlError(
      `No matching signature for operator || for argument types: ${typeName(left.type)}, ${typeName(right.type)}`,
      at,
    );
  }
  return typed(`(${values.map((value) => value.sql).join(' || ')})`, type);
}

export function compileBetween(node: Between, scope: Scope, context: CompileContext): Typed {
  const operands = [node.operand, node.low, node.high].map((operand) => context.expression(operand, scope));
  const { type, values } = unify(operands, 'operator BETWEEN', node.at);
  const [value, low, high] = values as [Typed, Typed, Typed];
  const sql =
    type.kind === 'FLOAT64' || type.kind === 'STRUCT'
      ? `(${compare('>=', value, low, node.at).sql} AND ${compare('<=', value, high, node.at).sql})`
      : `(${value.sql} BETWEEN ${low.sql} AND ${high.sql})`;
  return typed(node.negated ? `(NOT ${sql})` : sql, BOOL);
}

/** The one column of a subquery whose values are looked among. */
function singleColumn(
  candidates: Candidates & { kind: 'query' },
  scope: Scope,
  context: CompileContext,
  at: number,
): { readonly sql: string; readonly type: Type } {
  const relation = context.query(candidates.query, scope);
  const [column] = relation.columns;
  if (relation.columns.length !== 1 || !column)
    throw new SqlError('Subquery of type IN must have only one output column', at);
  return { sql: relation.sql, type: column.type };
}

export function compileIn(node: In, scope: Scope, context: CompileContext): Typed {
  const operand = context.expression(node.operand, scope);
  const sql = inSql(operand, node.candidates, node, scope, context);
  return typed(node.negated ? `(NOT ${sql})` : sql, BOOL);
}

function inSql(operand: Typed, candidates: Candidates, node: In, scope: Scope, context: CompileContext): string {
  if (candidates.kind === 'list') {
    const items = candidates.items.map((item) => context.expression(item, scope));
    const { type, values } = unify([operand, ...items], 'operator IN', node.at);
    const [value, ...rest] = values as [Typed, ...Typed[]];
    if (type.kind === 'STRUCT' || type.kind === 'FLOAT64' || type.kind === 'JSON' || type.kind === 'ARRAY') {
      return `(${rest.map((item) => compare('=', value, item, node.at).sql).join(' OR ')})`;
    }
    return `(${value.sql} IN (${rest.map((item) => item.sql).join(', ')}))`;
  }
  const among =
    candidates.kind === 'query'
      ? singleColumn(candidates, scope, context, node.at)
      : elements(context.expression(candidates.array, scope), node.at);
  const alias = context.uniqueName('i');
  const { values } = unify([operand, typed(`${alias}.c0`, among.type)], 'operator IN', node.at);
  const [value, candidate] = values as [Typed, Typed];
  return `(${value.sql} IN (SELECT ${candidate.sql} FROM (${among.sql}) AS ${alias}))`;
}

function elements(array: Typed, at: number): { readonly sql: string; readonly type: Type } {
  if (array.type.kind !== 'ARRAY')
    throw new SqlError(
      `Values referenced in UNNEST must be arrays. UNNEST contains expression of type ${typeName(array.type)}`,
      at,
    );
  return { sql: `SELECT unnest(${array.sql}) AS c0`, type: array.type.element };
}

function likeSql(value: Typed, pattern: Typed, at: number): string {
  const [a, b] = [coerce(value, STRING), coerce(pattern, STRING)];
  if (a && b) return `(${a.sql} LIKE ${b.sql} ESCAPE '\\')`;
  const [bytes, bytePattern] = [coerce(value, BYTES), coerce(pattern, BYTES)];
  if (bytes && bytePattern) return `js_bytes_like_2(${bytes.sql}, ${bytePattern.sql})`;
  throw new SqlError(
    `No matching signature for operator LIKE for argument types: ${typeName(value.type)}, ${typeName(pattern.type)}`,
    at,
  );
}

export function compileLike(node: Like, scope: Scope, context: CompileContext): Typed {
  const sql = likeSql(context.expression(node.operand, scope), context.expression(node.pattern, scope), node.at);
  return typed(node.negated ? `(NOT ${sql})` : sql, BOOL);
}

export function compileQuantifiedLike(node: QuantifiedLike, scope: Scope, context: CompileContext): Typed {
  if (node.candidates.kind !== 'list') throw unsupported('LIKE ANY or ALL with a subquery or UNNEST', node.at);
  const operand = context.expression(node.operand, scope);
  const parts = node.candidates.items.map((item) => {
    const sql = likeSql(operand, context.expression(item, scope), node.at);
    return node.negated ? `(NOT ${sql})` : sql;
  });
  return typed(`(${parts.join(node.quantifier === 'ANY' ? ' OR ' : ' AND ')})`, BOOL);
}

export function compileIs(node: Is, scope: Scope, context: CompileContext): Typed {
  const operand = context.expression(node.operand, scope);
  const not = node.negated ? 'NOT ' : '';
  if (node.what === 'NULL') return typed(`(${operand.sql} IS ${not}NULL)`, BOOL);
  const value = coerceOrFail(operand, BOOL, `The operand of IS ${node.what}`, node.at);
  if (node.what === 'UNKNOWN') return typed(`(${value.sql} IS ${not}NULL)`, BOOL);
  return typed(`(${value.sql} IS ${node.negated ? '' : 'NOT '}DISTINCT FROM ${node.what})`, BOOL);
}

export function compileIsDistinct(node: IsDistinct, scope: Scope, context: CompileContext): Typed {
  const { values } = unify(
    [context.expression(node.left, scope), context.expression(node.right, scope)],
    'operator IS DISTINCT FROM',
    node.at,
  );
  const [left, right] = values as [Typed, Typed];
  return typed(`(${left.sql} IS ${node.negated ? 'NOT ' : ''}DISTINCT FROM ${right.sql})`, BOOL);
}
