/**
 * Data manipulation, compiled to steps for `dml/` to run. A statement first works out what it changes, from the table as it
 * stood at the start; only then are rows touched. So a MERGE sees no row it has itself inserted, and a row that two source
 * rows would change is found before any is.
 */
import type { Expression } from '../googlesql/ast/expression.ts';
import type { FromItem } from '../googlesql/ast/query.ts';
import type { Assignment, Delete, Insert, Merge, MergeClause, TableName, Update } from '../googlesql/ast/statement.ts';
import { parseExpression } from '../googlesql/parse/statement.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { BOOL } from '../types/type.ts';
import { PARTITION_TIME_COLUMN, STREAMED_COLUMN, storageName, isIngestionPartitioned } from '../catalog/storage-sql.ts';
import { fieldType, fullName, type TableField, type TableResource } from '../catalog/table.ts';
import { coerceOrFail } from './coerce.ts';
import { compileTopQuery } from './compile.ts';
import type { CompileContext, Relation } from './context.ts';
import { compileFrom } from './from.ts';
import { partitionSql } from './partition.ts';
import { EMPTY_FROM, type FromScope, type Range, type Scope } from './scope.ts';
import { setField } from './set-field.ts';
import { datetimeLiteral, identifier } from './sql-text.ts';
import { storeSql, withoutValue } from './store.ts';
import { column, type Typed } from './typed.ts';

const NO_TABLES: Scope['commonTables'] = new Map();

/** Rows to insert: names of columns in DuckDB, and a SELECT of their values. */
export interface InsertStep {
  readonly columns: readonly string[];
  readonly select: string;
}

/** INSERT. */
export interface InsertPlan {
  readonly kind: 'insert';
  readonly table: TableResource;
  readonly insert: InsertStep;
}

/**
 * UPDATE, DELETE and MERGE. `source` is materialised as `~source` where there is one; `changes`, over the target and it, has
 * the columns `rid` (row of the target), `sid` (row of the source), `action` (`update`, `delete` or NULL), `part`, `streamed`
 * and a column for each of `updated`.
 */
export interface ChangePlan {
  readonly kind: 'change';
  readonly table: TableResource;
  readonly statement: 'UPDATE' | 'DELETE' | 'MERGE';
  readonly source: string | undefined;
  readonly changes: string;
  /** Like `changes`, for rows of the target that no source row matched; reads the finished `~changes`. */
  readonly unmatchedTarget: string | undefined;
  /** Rows of the source that matched nothing; reads the finished `~changes`. */
  readonly inserts: readonly InsertStep[];
  /** Columns that an update may set, quoted; their new values are `v0`, `v1` … of the changes. */
  readonly updated: readonly string[];
}

export interface TruncatePlan {
  readonly kind: 'truncate';
  readonly table: TableResource;
}

export type DmlPlan = InsertPlan | ChangePlan | TruncatePlan;

/** Names of the tables that a change is worked out in. */
export const SOURCE = identifier('~source');
export const CHANGES = identifier('~changes');

function targetTable({ path, at }: TableName, context: CompileContext): TableResource {
  const table = context.tables.table(path, at);
  if (table.kind === 'VIEW')
    throw new SqlError(`${fullName(table.reference)} is a view: DML statements change tables only`, at);
  context.reads.set(fullName(table.reference), table);
  return table;
}

function fieldNamed(name: string, table: TableResource, at: number): TableField {
  const field = table.fields.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  if (!field) throw new SqlError(`Column ${name} is not present in table ${fullName(table.reference)}`, at);
  return field;
}

function defaultOf(context: CompileContext) {
  return (field: TableField): Typed =>
    context.expression(parseExpression(field.defaultValueExpression ?? 'NULL'), {
      from: EMPTY_FROM,
      clause: 'a column default',
      windows: false,
      commonTables: NO_TABLES,
    });
}

/** The target's columns under an alias, as FROM would bring them. */
function targetScope(table: TableResource, alias: string, name: string): FromScope {
  const columns = table.fields.map((field) => ({
    name: field.name,
    value: column(`${alias}.${identifier(field.name)}`, fieldType(field)),
  }));
  const pseudo = isIngestionPartitioned(table)
    ? [
        {
          name: PARTITION_TIME_COLUMN,
          value: column(`${alias}.${identifier(PARTITION_TIME_COLUMN)}`, { kind: 'TIMESTAMP' as const }),
        },
      ]
    : [];
  const range: Range = { name, columns, pseudo, row: () => column(alias, { kind: 'STRUCT', fields: [] }) };
  return { columns, ranges: [range] };
}

/** Columns with a value each, then all others as they are without one. */
function insertStep(
  table: TableResource,
  given: ReadonlyMap<string, string>,
  context: CompileContext,
  from: string,
): InsertStep {
  const values = table.fields.map((field) => given.get(field.name) ?? withoutValue(field, defaultOf(context)));
  const columns = table.fields.map((field) => identifier(field.name));
  if (isIngestionPartitioned(table)) {
    columns.push(identifier(PARTITION_TIME_COLUMN));
    values.push(`date_trunc('${table.timePartitioning?.type.toLowerCase()}', ${datetimeLiteral(context.nowMicros)})`);
  }
  return { columns, select: `SELECT ${values.join(', ')}${from}` };
}

function insertColumns(names: readonly string[] | undefined, table: TableResource, at: number): TableField[] {
  if (!names) return [...table.fields];
  const fields = names.map((name) => fieldNamed(name, table, at));
  if (new Set(fields).size < fields.length) throw new SqlError('INSERT has duplicate columns', at);
  return fields;
}

/** VALUES, as one query: each row is held to the columns' types before the rows come together. */
function valuesRelation(
  rows: readonly (readonly Expression[])[],
  fields: readonly TableField[],
  context: CompileContext,
  at: number,
): string {
  const scope: Scope = { from: EMPTY_FROM, clause: 'VALUES', windows: false, commonTables: NO_TABLES };
  const compiled = rows.map((row) => {
    if (row.length !== fields.length)
      throw new SqlError(`Inserted row has wrong column count; Has ${row.length}, expected ${fields.length}`, at);
    const values = row.map((node, index) => {
      const field = fields[index] as TableField;
      if (node.kind === 'default') return withoutValue(field, defaultOf(context), node.at);
      return storeSql(context.expression(node, scope), field, node.at);
    });
    return `(${values.join(', ')})`;
  });
  return `(VALUES ${compiled.join(', ')}) AS q(${fields.map((_, index) => `c${index}`).join(', ')})`;
}

export function planInsert(node: Insert, context: CompileContext): InsertPlan {
  const table = targetTable(node.table, context);
  const fields = insertColumns(node.columns, table, node.at);
  const given = new Map<string, string>();
  if (node.source.kind === 'values') {
    const from = valuesRelation(node.source.rows, fields, context, node.at);
    fields.forEach((field, index) => void given.set(field.name, `q.c${index}`));
    return { kind: 'insert', table, insert: insertStep(table, given, context, ` FROM ${from}`) };
  }
  const relation: Relation = compileTopQuery(node.source.query, context);
  if (relation.columns.length !== fields.length)
    throw new SqlError(
      `Inserted row has wrong column count; Has ${relation.columns.length}, expected ${fields.length}`,
      node.at,
    );
  relation.columns.forEach((item, index) => {
    const value: Typed = { ...column(`q.${item.sql}`, item.type), ...(item.constant && { constant: item.constant }) };
    const field = fields[index] as TableField;
    given.set(field.name, storeSql(value, field, node.at));
  });
  return { kind: 'insert', table, insert: insertStep(table, given, context, ` FROM (${relation.sql}) AS q`) };
}

export function planTruncate(name: TableName, context: CompileContext): TruncatePlan {
  return { kind: 'truncate', table: targetTable(name, context) };
}

/** New values of the columns that assignments set, in the scope of both rows. Fields of one STRUCT add up. */
function assigned(
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

interface Action {
  readonly condition: string | undefined;
  /** NULL for an insert, which this file leaves to another step. */
  readonly kind: 'update' | 'delete';
  readonly values: ReadonlyMap<string, string>;
}

/** The first action whose condition holds: a CASE over conditions. */
function firstOf(actions: readonly Action[], value: (action: Action, index: number) => string, otherwise = ''): string {
  if (actions.length === 0) return 'NULL';
  return `CASE ${actions.map((action, index) => `WHEN ${action.condition ?? 'TRUE'} THEN ${value(action, index)}`).join(' ')}${otherwise} END`;
}

/** The columns of a change: which row, what happens to it, and the new values. */
function changeColumns(
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

function condition(
  node: Expression | undefined,
  scope: Scope,
  context: CompileContext,
  what: string,
): string | undefined {
  return node && coerceOrFail(context.expression(node, { ...scope, clause: what }), BOOL, what, node.at).sql;
}

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

function joined(target: FromScope, source: FromScope | undefined): FromScope {
  return source
    ? { ranges: [...target.ranges, ...source.ranges], columns: [...target.columns, ...source.columns] }
    : target;
}

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
