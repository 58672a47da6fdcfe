/** MERGE. */
import { storageName } from '../../catalog/storage-sql.ts';
import type { TableResource } from '../../catalog/table.ts';
import type { Expression } from '../../googlesql/ast/expression.ts';
import type { FromItem } from '../../googlesql/ast/query.ts';
import type { Merge, MergeClause } from '../../googlesql/ast/statement.ts';
import { SqlError } from '../../googlesql/sql-error.ts';
import type { CompileContext } from '../context.ts';
import { compileFrom } from '../from.ts';
import type { FromScope, Range, Scope } from '../scope.ts';
import { identifier } from '../sql-text.ts';
import { storeSql, withoutValue } from '../store.ts';
import { column, type Typed } from '../typed.ts';
import { type Action, assigned, changeColumns, condition } from './change.ts';
import { insertColumns, insertStep } from './insert.ts';
import { CHANGES, type ChangePlan, type InsertStep, SOURCE } from './plan.ts';
import { defaultOf, joined, NO_TABLES, targetScope, targetTable } from './target.ts';

/** The source of a MERGE laid down as a table of its own, and the scope in which its columns are that table's. */
function materialize(
  item: FromItem,
  alias: string,
  context: CompileContext,
): { readonly sql: string; readonly scope: FromScope } {
  const from = compileFrom(item, { outer: undefined, commonTables: NO_TABLES, context });
  const list: string[] = [];
  const moved = new Map<string, Typed>();
  const move = (value: Typed): Typed => {
    const known = moved.get(value.sql);
    if (known) return known;
    const name = `c${list.length}`;
    list.push(`${value.sql} AS ${name}`);
    const result = column(`${alias}.${name}`, value.type);
    moved.set(value.sql, result);
    return result;
  };
  const columns = from.scope.columns.map(({ name, value }) => ({ name, value: move(value) }));
  const ranges = from.scope.ranges.map((range): Range => {
    const rangeColumns = range.columns.map(({ name, value }) => ({ name, value: move(value) }));
    const row = range.columns.length === 0 ? move(range.row()) : undefined;
    return {
      name: range.name,
      columns: rangeColumns,
      pseudo: [],
      row: () =>
        row ??
        rowOf(
          rangeColumns.map((item) => item.value),
          rangeColumns.map((item) => item.name),
        ),
    };
  });
  return { sql: `SELECT ${list.join(', ')} FROM ${from.sql()}`, scope: { columns, ranges } };
}

function rowOf(values: readonly Typed[], names: readonly string[]): Typed {
  const fields = values.map((value, index) => ({ name: names[index] ?? '', type: value.type }));
  return column(`struct_pack(${values.map((value, index) => `f${index} := ${value.sql}`).join(', ')})`, {
    kind: 'STRUCT',
    fields,
  });
}

export function planMerge(node: Merge, context: CompileContext): ChangePlan {
  const table = targetTable(node.table, context);
  const alias = context.uniqueName('t');
  const sourceAlias = context.uniqueName('s');
  const target = targetScope(table, alias, node.alias ?? node.table.path.at(-1) ?? '');
  const source = materialize(node.source, sourceAlias, context);
  const scopeOf = (from: FromScope): Scope => ({ from, clause: 'MERGE', windows: false, commonTables: NO_TABLES });
  const both = scopeOf(joined(target, source.scope));
  const on = condition(node.on, both, context, 'The ON clause of MERGE');
  const actionsFor = (when: MergeClause['when'], scope: Scope): Action[] =>
    node.clauses
      .filter((clause) => clause.when === when)
      .map(({ condition: given, action }) => ({
        condition: condition(given, scope, context, `The condition of WHEN ${when}`),
        kind: action.kind === 'delete' ? 'delete' : 'update',
        values: action.kind === 'update' ? assigned(action.assignments, table, scope, context) : new Map(),
      }));
  const matched = actionsFor('MATCHED', both);
  const unmatched = actionsFor('NOT MATCHED BY SOURCE', scopeOf(target));
  const updated = [...new Set([...matched, ...unmatched].flatMap(({ values }) => [...values.keys()]))];
  const rows = `${storageName(table)} AS ${alias}`;
  return {
    kind: 'change',
    table,
    statement: 'MERGE',
    source: source.sql,
    changes: `SELECT ${changeColumns(matched, updated, table, alias, `${sourceAlias}.rowid`)} FROM ${SOURCE} AS ${sourceAlias} JOIN ${rows} ON ${on}`,
    unmatchedTarget:
      unmatched.length === 0
        ? undefined
        : `SELECT ${changeColumns(unmatched, updated, table, alias, 'NULL::BIGINT')} FROM ${rows} WHERE ${alias}.rowid NOT IN (SELECT rid FROM ${CHANGES})`,
    inserts: insertSteps(node, table, source.scope, sourceAlias, context),
    updated: updated.map(identifier),
  };
}

/** One step a WHEN NOT MATCHED clause; each leaves what an earlier one takes. */
function insertSteps(
  node: Merge,
  table: TableResource,
  source: FromScope,
  alias: string,
  context: CompileContext,
): InsertStep[] {
  const scope: Scope = { from: source, clause: 'MERGE', windows: false, commonTables: NO_TABLES };
  const taken: string[] = [];
  return node.clauses
    .filter((clause) => clause.when === 'NOT MATCHED BY TARGET')
    .map(({ condition: given, action, at }) => {
      const own = condition(given, scope, context, 'The condition of WHEN NOT MATCHED') ?? 'TRUE';
      const where = [
        `${alias}.rowid NOT IN (SELECT sid FROM ${CHANGES} WHERE sid IS NOT NULL)`,
        own,
        ...taken.map((earlier) => `(${earlier}) IS NOT TRUE`),
      ];
      taken.push(own);
      return insertStep(
        table,
        insertValues(action, table, source, scope, context, at),
        context,
        ` FROM ${SOURCE} AS ${alias} WHERE ${where.join(' AND ')}`,
      );
    });
}

function insertValues(
  action: MergeClause['action'],
  table: TableResource,
  source: FromScope,
  scope: Scope,
  context: CompileContext,
  at: number,
): Map<string, string> {
  if (action.kind === 'insertRow') {
    if (source.columns.length !== table.fields.length)
      throw new SqlError(
        `Inserted row has wrong column count; Has ${source.columns.length}, expected ${table.fields.length}`,
        at,
      );
    return new Map(
      table.fields.map((field, index) => [field.name, storeSql(source.columns[index]?.value as Typed, field, at)]),
    );
  }
  if (action.kind !== 'insert') return new Map();
  const fields = insertColumns(action.columns, table, at);
  if (action.values.length !== fields.length)
    throw new SqlError(
      `Inserted row has wrong column count; Has ${action.values.length}, expected ${fields.length}`,
      at,
    );
  return new Map(
    fields.map((field, index) => {
      const value = action.values[index] as Expression;
      if (value.kind === 'default') return [field.name, withoutValue(field, defaultOf(context), value.at)];
      return [field.name, storeSql(context.expression(value, scope), field, value.at)];
    }),
  );
}
