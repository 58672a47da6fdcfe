/** UPDATE and DELETE. */
import { storageName } from '../../catalog/storage-sql.ts';
import type { Delete, Update } from '../../googlesql/ast/statement.ts';
import type { CompileContext } from '../context.ts';
import { compileFrom } from '../from.ts';
import type { Scope } from '../scope.ts';
import { identifier } from '../sql-text.ts';
import { type Action, assigned, changeColumns, condition } from './change.ts';
import type { ChangePlan } from './plan.ts';
import { joined, NO_TABLES, targetScope, targetTable } from './target.ts';

export function planUpdate(node: Update | Delete, context: CompileContext): ChangePlan {
  const table = targetTable(node.table, context);
  const alias = context.uniqueName('t');
  const target = targetScope(table, alias, node.alias ?? node.table.path.at(-1) ?? '');
  const from =
    node.kind === 'update' && node.from
      ? compileFrom(node.from, { outer: undefined, commonTables: NO_TABLES, context })
      : undefined;
  const scope: Scope = {
    from: joined(target, from?.scope),
    clause: 'WHERE clause',
    windows: false,
    commonTables: NO_TABLES,
  };
  const where = condition(node.where, scope, context, 'WHERE clause');
  const values = node.kind === 'update' ? assigned(node.assignments, table, scope, context) : new Map<string, string>();
  const updated = [...values.keys()];
  const action: Action = { condition: undefined, kind: node.kind === 'update' ? 'update' : 'delete', values };
  const rows = `${storageName(table)} AS ${alias}${from ? `, ${from.sql()}` : ''}`;
  return {
    kind: 'change',
    table,
    statement: node.kind === 'update' ? 'UPDATE' : 'DELETE',
    source: undefined,
    changes: `SELECT ${changeColumns([action], updated, table, alias, 'NULL::BIGINT')} FROM ${rows} WHERE ${where}`,
    unmatchedTarget: undefined,
    inserts: [],
    updated: updated.map(identifier),
  };
}
