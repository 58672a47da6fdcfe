/** DDL of DuckDB for the catalog's tables. No constraint lives in DuckDB: values are checked on their way in. */
import { identifier } from '../compile/sql-text.ts';
import { storedType } from '../types/storage.ts';
import { fieldType, type TableField, type TableResource } from './table.ts';

/** When a row came through the streaming buffer; NULL for all others. No column of BigQuery can have the name. */
export const STREAMED_COLUMN = '~streamed';

/** Where rows of tables partitioned by ingestion time keep that time. */
export const PARTITION_TIME_COLUMN = '_PARTITIONTIME';

export function storageName({ storage }: Pick<TableResource, 'storage'>): string {
  return `${identifier(storage.schema)}.${identifier(storage.table)}`;
}

export function columnSql(field: TableField): string {
  return `${identifier(field.name)} ${storedType(fieldType(field))}`;
}

/** True when the table is partitioned by the time its rows came in. */
export function isIngestionPartitioned({ timePartitioning }: TableResource): boolean {
  return timePartitioning !== undefined && timePartitioning.field === undefined;
}

export function createTableSql(table: TableResource): string {
  const columns = [...table.fields.map(columnSql), `${identifier(STREAMED_COLUMN)} TIMESTAMP`];
  if (isIngestionPartitioned(table)) columns.push(`${identifier(PARTITION_TIME_COLUMN)} TIMESTAMP`);
  return `CREATE TABLE ${storageName(table)} (${columns.join(', ')})`;
}
