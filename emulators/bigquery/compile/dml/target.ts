/** The table that a statement changes: its columns in scope, and what they hold when a statement gives them no value. */
import { isIngestionPartitioned, PARTITION_TIME_COLUMN } from '../../catalog/storage-sql.ts';
import { fieldType, fullName, type TableField, type TableResource } from '../../catalog/table.ts';
import type { TableName } from '../../googlesql/ast/statement.ts';
import { parseExpression } from '../../googlesql/parse/statement.ts';
import { SqlError } from '../../googlesql/sql-error.ts';
import type { CompileContext } from '../context.ts';
import { EMPTY_FROM, type FromScope, type Range, type Scope } from '../scope.ts';
import { identifier } from '../sql-text.ts';
import { column, type Typed } from '../typed.ts';

export const NO_TABLES: Scope['commonTables'] = new Map();

export function targetTable({ path, at }: TableName, context: CompileContext): TableResource {
  const table = context.tables.table(path, at);
  if (table.kind === 'VIEW')
    throw new SqlError(`${fullName(table.reference)} is a view: DML statements change tables only`, at);
  context.reads.set(fullName(table.reference), table);
  return table;
}

export function fieldNamed(name: string, table: TableResource, at: number): TableField {
  const field = table.fields.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  if (!field) throw new SqlError(`Column ${name} is not present in table ${fullName(table.reference)}`, at);
  return field;
}

export function defaultOf(context: CompileContext) {
  return (field: TableField): Typed =>
    context.expression(parseExpression(field.defaultValueExpression ?? 'NULL'), {
      from: EMPTY_FROM,
      clause: 'a column default',
      windows: false,
      commonTables: NO_TABLES,
    });
}

/** The target's columns under an alias, as FROM would bring them. */
export function targetScope(table: TableResource, alias: string, name: string): FromScope {
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

/** Both rows of a statement that has a source: the target's names first. */
export function joined(target: FromScope, source: FromScope | undefined): FromScope {
  return source
    ? { ranges: [...target.ranges, ...source.ranges], columns: [...target.columns, ...source.columns] }
    : target;
}
