/** INSERT and TRUNCATE. */
import { isIngestionPartitioned, PARTITION_TIME_COLUMN } from '../../catalog/storage-sql.ts';
import type { TableField, TableResource } from '../../catalog/table.ts';
import type { Expression } from '../../googlesql/ast/expression.ts';
import type { Insert, TableName } from '../../googlesql/ast/statement.ts';
import { SqlError } from '../../googlesql/sql-error.ts';
import { compileTopQuery } from '../compile.ts';
import type { CompileContext, Relation } from '../context.ts';
import { EMPTY_FROM, type Scope } from '../scope.ts';
import { datetimeLiteral, identifier } from '../sql-text.ts';
import { storeSql, withoutValue } from '../store.ts';
import { column, type Typed } from '../typed.ts';
import type { InsertPlan, InsertStep, TruncatePlan } from './plan.ts';
import { defaultOf, fieldNamed, NO_TABLES, targetTable } from './target.ts';

/** Columns with a value each, then all others as they are without one. */
export function insertStep(
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

export function insertColumns(names: readonly string[] | undefined, table: TableResource, at: number): TableField[] {
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
