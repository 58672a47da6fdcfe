/** `*`, `t.*` and `expr.*`, with EXCEPT and REPLACE. */
import type { Expression } from '../googlesql/ast/expression.ts';
import type { SelectItem } from '../googlesql/ast/query.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { typeName } from '../types/type.ts';
import type { CompileContext } from './context.ts';
import { field } from './path.ts';
import { type Column, lookUpFrom, type Scope } from './scope.ts';
import type { Typed } from './typed.ts';

type Star = SelectItem & { readonly kind: 'star' };

export interface ExpandedItem {
  readonly name: string;
  /** The expression that REPLACE puts there. */
  readonly node: Expression | undefined;
  readonly value: Typed | undefined;
}

function columnsOf(star: Star, rows: Scope, context: CompileContext): readonly Column[] {
  const { base } = star;
  if (!base) {
    if (rows.from.columns.length === 0) throw new SqlError('SELECT * must have a FROM clause', star.at);
    return rows.from.columns;
  }
  const [name] = base.kind === 'path' && base.names.length === 1 ? base.names : [];
  for (let scope: Scope | undefined = rows; scope && name !== undefined; scope = scope.outer) {
    const found = lookUpFrom(scope.from, name, star.at);
    if (found?.kind === 'range' && found.range.columns.length > 0) return found.range.columns;
    if (found) break;
  }
  const value = context.expression(base, rows);
  if (value.type.kind !== 'STRUCT')
    throw new SqlError(`Dot-star is not supported for type ${typeName(value.type)}`, star.at);
  return value.type.fields.map((item) => ({ name: item.name, value: field(value, item.name, star.at) }));
}

export function expandStar(star: Star, rows: Scope, context: CompileContext): ExpandedItem[] {
  const columns = columnsOf(star, rows, context);
  const names = new Set(columns.map((column) => column.name.toLowerCase()));
  for (const name of [...star.except, ...star.replace.map((item) => item.name)]) {
    if (!names.has(name.toLowerCase()))
      throw new SqlError(
        `Column ${name} in SELECT * ${star.except.includes(name) ? 'EXCEPT' : 'REPLACE'} list does not exist`,
        star.at,
      );
  }
  const except = new Set(star.except.map((name) => name.toLowerCase()));
  const kept = columns.filter((column) => !except.has(column.name.toLowerCase()));
  if (kept.length === 0) throw new SqlError('SELECT * expands to zero columns after applying EXCEPT', star.at);
  return kept.map((column) => {
    const replacement = star.replace.find((item) => item.name.toLowerCase() === column.name.toLowerCase());
    return { name: column.name, node: replacement?.value, value: replacement ? undefined : column.value };
  });
}
