/** Names and fields: `x`, `t.x`, `t.x.field`, `(expr).field`, and members of JSON values. */
import type { FieldAccess, IndexAccess, Path } from '../googlesql/ast/expression.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { fieldName } from '../types/storage.ts';
import { INT64, JSON_TYPE, STRING, type Type, typeName } from '../types/type.ts';
import { coerceOrFail } from './coerce.ts';
import type { CompileContext } from './context.ts';
import { columnOf, lookUpFrom, type Name, type Scope } from './scope.ts';
import { stringLiteral } from './sql-text.ts';
import { type Typed, typed } from './typed.ts';

/** A field of a STRUCT, or a member of a JSON object. */
export function field(base: Typed, name: string, at: number): Typed {
  if (base.type.kind === 'JSON') return typed(`js_json_member_2(${base.sql}, ${stringLiteral(name)})`, JSON_TYPE);
  if (base.type.kind !== 'STRUCT')
    throw new SqlError(`Cannot access field ${name} on a value with type ${typeName(base.type)}`, at);
  const lower = name.toLowerCase();
  const matches = base.type.fields.flatMap((candidate, index) =>
    candidate.name.toLowerCase() === lower ? [{ type: candidate.type, index }] : [],
  );
  if (matches.length > 1) throw new SqlError(`Struct field name ${name} is ambiguous`, at);
  const match = matches[0];
  if (!match) throw new SqlError(`Field name ${name} does not exist in ${typeName(base.type)}`, at);
  return typed(`struct_extract(${base.sql}, '${fieldName(match.index)}')`, match.type);
}

interface Start {
  readonly value: Typed;
  /** How many names led to it. */
  readonly taken: number;
}

function start(name: Name, node: Path): Start {
  if (name.kind === 'value') return { value: name.value, taken: 1 };
  const second = node.names[1];
  if (second === undefined) return { value: name.range.row(), taken: 1 };
  const column = columnOf(name.range, second, node.at);
  if (column) return { value: column, taken: 2 };
  const row = name.range.row();
  if (row.type.kind === 'JSON') return { value: row, taken: 1 };
  throw new SqlError(`Name ${second} not found inside ${name.range.name}`, node.at);
}

/** Follows the rest of a path. After GROUP BY, the path or a part of its beginning must be a key. */
function follow(from: Start, node: Path, scope: Scope): Typed {
  const { grouping } = scope;
  let value = from.value;
  let key = grouping?.key(value);
  if (key) value = key;
  for (const name of node.names.slice(from.taken)) {
    value = field(value, name, node.at);
    if (grouping && !key) {
      key = grouping.key(value);
      if (key) value = key;
    }
  }
  if (grouping && !key) {
    throw new SqlError(
      `${scope.clause} expression references column ${node.names.join('.')} which is neither grouped nor aggregated`,
      node.at,
    );
  }
  return value;
}

function find(node: Path, scope: Scope): Typed | undefined {
  const [first = ''] = node.names;
  const alias = scope.aliases?.get(first.toLowerCase());
  if (alias && scope.aliasesFirst) return follow({ value: alias, taken: 1 }, node, withoutGrouping(scope));
  const name = lookUpFrom(scope.from, first, node.at);
  if (name) {
    try {
      return follow(start(name, node), node, scope);
    } catch (error) {
      // A column that is not grouped gives way to an alias of the same name: `SELECT MAX(x) AS x … HAVING x > 1`.
      if (!alias || !(error instanceof SqlError)) throw error;
    }
  }
  return alias && follow({ value: alias, taken: 1 }, node, withoutGrouping(scope));
}

/** Aliases stand for expressions that were checked where they were written. */
function withoutGrouping(scope: Scope): Scope {
  const { grouping: _, ...rest } = scope;
  return rest;
}

export function compilePath(node: Path, scope: Scope): Typed {
  for (let level: Scope | undefined = scope; level; level = level.outer) {
    const found = find(node, level);
    if (found) return found;
  }
  throw new SqlError(`Unrecognized name: ${node.names[0]}`, node.at);
}

export function compileField(node: FieldAccess, scope: Scope, context: CompileContext): Typed {
  return field(context.expression(node.base, scope), node.name, node.at);
}

export function compileIndex(node: IndexAccess, scope: Scope, context: CompileContext): Typed {
  const base = context.expression(node.base, scope);
  const index = context.expression(node.index, scope);
  if (base.type.kind === 'JSON') return jsonSubscript(base, index, node);
  if (base.type.kind !== 'ARRAY')
    throw new SqlError(`Element access using [] is not supported on values of type ${typeName(base.type)}`, node.at);
  const position = coerceOrFail(index, INT64, 'Array position', node.index.at);
  return element(base, base.type.element, position, node);
}

function jsonSubscript(base: Typed, index: Typed, node: IndexAccess): Typed {
  if (node.mode !== 'PLAIN')
    throw new SqlError(`Subscript access using [${node.mode}(…)] is not supported on values of type JSON`, node.at);
  if (index.type.kind === 'STRING')
    return typed(`js_json_member_2(${base.sql}, ${coerceOrFail(index, STRING, 'Subscript').sql})`, JSON_TYPE);
  return typed(
    `js_json_element_2(${base.sql}, ${coerceOrFail(index, INT64, 'Subscript', node.index.at).sql})`,
    JSON_TYPE,
  );
}

function element(base: Typed, type: Type, position: Typed, { mode }: IndexAccess): Typed {
  const fromZero = mode === 'PLAIN' || mode === 'OFFSET' || mode === 'SAFE_OFFSET';
  const safe = mode === 'SAFE_OFFSET' || mode === 'SAFE_ORDINAL';
  const ordinal = fromZero ? `(${position.sql} + 1)` : position.sql;
  const size = `CAST(len(${base.sql}) AS BIGINT)`;
  if (safe) return typed(`list_extract(${base.sql}, js_safe_ordinal_2(${ordinal}, ${size}))`, type);
  return typed(`list_extract(${base.sql}, js_checked_ordinal_3(${ordinal}, ${size}, ${fromZero}))`, type);
}
