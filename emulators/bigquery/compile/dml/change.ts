/** What UPDATE, DELETE and MERGE have in common: new values, the first action that holds, the columns of a change. */
import { STREAMED_COLUMN } from '../../catalog/storage-sql.ts';
import type { TableResource } from '../../catalog/table.ts';
import type { Expression } from '../../googlesql/ast/expression.ts';
import type { Assignment } from '../../googlesql/ast/statement.ts';
import { SqlError } from '../../googlesql/sql-error.ts';
import { BOOL } from '../../types/type.ts';
import { coerceOrFail } from '../coerce.ts';
import type { CompileContext } from '../context.ts';
import { partitionSql } from '../partition.ts';
import type { Scope } from '../scope.ts';
import { setField } from '../set-field.ts';
import { identifier } from '../sql-text.ts';
import { storeSql } from '../store.ts';
import type { Typed } from '../typed.ts';
import { defaultOf, fieldNamed } from './target.ts';

/** New values of the columns that assignments set, in the scope of both rows. Fields of one STRUCT add up. */
export function assigned(
  assignments: readonly Assignment[],
  table: TableResource,
  scope: Scope,
  context: CompileContext,
): Map<string, string> {
  const values = new Map<string, Typed>();
  const whole = new Set<string>();
  for (const { path, value, at } of assignments) {
    const [name = '', ...inner] =
      path[0]?.toLowerCase() === scope.from.ranges[0]?.name.toLowerCase() && path.length > 1 ? path.slice(1) : path;
    const field = fieldNamed(name, table, at);
    if (whole.has(field.name) || (inner.length === 0 && values.has(field.name)))
      throw new SqlError(`Update item ${path.join('.')} assigned more than once`, at);
    if (inner.length === 0) whole.add(field.name);
    const current =
      values.get(field.name) ?? (scope.from.columns.find((item) => item.name === field.name)?.value as Typed);
    const next = value.kind === 'default' ? defaultOf(context)(field) : context.expression(value, scope);
    values.set(field.name, inner.length === 0 ? next : setField(current, inner, next, at));
  }
  return new Map(
    [...values].map(([name, value]) => [name, storeSql(value, fieldNamed(name, table, 0), assignments[0]?.at)]),
  );
}

export interface Action {
  readonly condition: string | undefined;
  readonly kind: 'update' | 'delete';
  readonly values: ReadonlyMap<string, string>;
}

/** The first action whose condition holds: a CASE over conditions. */
function firstOf(actions: readonly Action[], value: (action: Action, index: number) => string, otherwise = ''): string {
  if (actions.length === 0) return otherwise === '' ? 'CAST(NULL AS VARCHAR)' : otherwise.replace(' ELSE ', '');
  return `CASE ${actions.map((action, index) => `WHEN ${action.condition ?? 'TRUE'} THEN ${value(action, index)}`).join(' ')}${otherwise} END`;
}

/** The columns of a change: which row, what happens to it, and the new values. */
export function changeColumns(
  actions: readonly Action[],
  updated: readonly string[],
  table: TableResource,
  alias: string,
  sid: string,
): string {
  const action = firstOf(actions, ({ kind }) => `'${kind}'`);
  const values = updated.map((name, index) => {
    const kept = `${alias}.${identifier(name)}`;
    return `${firstOf(actions, ({ values: given }) => given.get(name) ?? kept, ` ELSE ${kept}`)} AS v${index}`;
  });
  return [
    `${alias}.rowid AS rid`,
    `${sid} AS sid`,
    `${action} AS action`,
    `${partitionSql(table, alias)} AS part`,
    `${alias}.${identifier(STREAMED_COLUMN)} AS streamed`,
    ...values,
  ].join(', ');
}

export function condition(
  node: Expression | undefined,
  scope: Scope,
  context: CompileContext,
  what: string,
): string | undefined {
  return node && coerceOrFail(context.expression(node, { ...scope, clause: what }), BOOL, what, node.at).sql;
}
