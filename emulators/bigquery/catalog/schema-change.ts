/** What may become of a table's schema: columns are added at the end, and REQUIRED is relaxed. Nothing else. */
import { invalid } from '../api-error.ts';
import { sameType, typeName } from '../types/type.ts';
import { columnSql, storageName } from './storage-sql.ts';
import { fieldType, messageName, type TableField, type TableResource } from './table.ts';

function refuse(table: TableResource, what: string): never {
  throw invalid(`Provided Schema does not match Table ${messageName(table.reference)}. ${what}`);
}

function checkKept(table: TableResource, before: TableField, after: TableField): void {
  if (!sameType(fieldType(before), fieldType(after), true)) {
    const nested =
      before.type.kind === 'STRUCT' && after.type.kind === 'STRUCT'
        ? ' (this local BigQuery server adds no fields to a RECORD)'
        : '';
    refuse(
      table,
      `Field ${before.name} has changed type from ${typeName(fieldType(before))} to ${typeName(fieldType(after))}${nested}`,
    );
  }
  const relaxed = before.mode === 'REQUIRED' && after.mode === 'NULLABLE';
  if (before.mode !== after.mode && !relaxed)
    refuse(table, `Field ${before.name} has changed mode from ${before.mode} to ${after.mode}`);
}

/**
 * DDL for DuckDB that takes a table from its schema to another.
 * @throws {ApiError} naming the first field that cannot change so.
 */
export function changedSchema(table: TableResource, fields: readonly TableField[]): string[] {
  const find = (list: readonly TableField[], { name }: TableField) =>
    list.find((field) => field.name.toLowerCase() === name.toLowerCase());
  for (const before of table.fields) {
    const after = find(fields, before);
    if (!after) refuse(table, `Field ${before.name} is missing in new schema`);
    checkKept(table, before, after);
  }
  const added = fields.filter((field) => !find(table.fields, field));
  for (const field of added)
    if (field.mode === 'REQUIRED')
      refuse(table, `Cannot add required fields to an existing schema. (field: ${field.name})`);
  return added.map((field) => `ALTER TABLE ${storageName(table)} ADD COLUMN ${columnSql(field)}`);
}
