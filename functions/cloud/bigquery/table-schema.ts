/**
 * Tables as BigQuery describes them, held against what a pipeline declares.
 */
import type { Column } from '../../model/table.ts';
import type { TableSpec } from '../../ports/warehouse.ts';

export interface SchemaField {
  readonly name: string;
  readonly type: string;
  readonly mode: string;
}

export interface TableDescription {
  readonly fields: readonly SchemaField[];
  readonly partitionBy: string | undefined;
  readonly clusterBy: readonly string[];
}

/** The REST API's older names. */
const ALIASES: Readonly<Record<string, string>> = {
  INTEGER: 'INT64',
  FLOAT: 'FLOAT64',
  BOOLEAN: 'BOOL',
  DECIMAL: 'NUMERIC',
  BIGDECIMAL: 'BIGNUMERIC',
};

/** The metadata with which a table is made. */
export function tableMetadata(spec: TableSpec): Record<string, unknown> {
  return {
    schema: { fields: spec.columns.map(fieldOf) },
    ...(spec.partitionBy === undefined ? {} : { timePartitioning: { type: 'DAY', field: spec.partitionBy } }),
    ...(spec.clusterBy.length === 0 ? {} : { clustering: { fields: [...spec.clusterBy] } }),
  };
}

/** Reads a table's metadata. */
export function describeTable(metadata: {
  schema?: { fields?: { name?: string; type?: string; mode?: string }[] };
  timePartitioning?: { field?: string };
  clustering?: { fields?: string[] };
}): TableDescription {
  const fields = (metadata.schema?.fields ?? []).map(({ name = '', type = '', mode = 'NULLABLE' }) => ({
    name,
    type: ALIASES[type] ?? type,
    mode,
  }));
  return { fields, partitionBy: metadata.timePartitioning?.field, clusterBy: metadata.clustering?.fields ?? [] };
}

/**
 * What is to be done about a table that exists.
 * @returns the nullable columns to add, and every difference that nobody but its owner can resolve
 */
export function compareTable(spec: TableSpec, table: TableDescription): { add: SchemaField[]; differences: string[] } {
  const add: SchemaField[] = [];
  const differences: string[] = [];
  for (const column of spec.columns) {
    const field = table.fields.find(({ name }) => name.toLowerCase() === column.name.toLowerCase());
    if (field === undefined) {
      if (column.nullable) add.push(fieldOf(column));
      else
        differences.push(
          `column '${column.name}' is missing, and a column without NULL cannot be added to a table that exists`,
        );
    } else differences.push(...differencesOf(column, field));
  }
  for (const { name, mode } of table.fields)
    if (mode === 'REQUIRED' && !spec.columns.some((column) => column.name.toLowerCase() === name.toLowerCase()))
      differences.push(`column '${name}' is REQUIRED, and the pipeline does not write it`);
  if (table.partitionBy !== spec.partitionBy)
    differences.push(`it is partitioned by ${table.partitionBy ?? 'nothing'}, not by ${spec.partitionBy ?? 'nothing'}`);
  if (table.clusterBy.join() !== spec.clusterBy.join())
    differences.push(
      `it is clustered by ${table.clusterBy.join(', ') || 'nothing'}, not by ${spec.clusterBy.join(', ') || 'nothing'}`,
    );
  return { add, differences };
}

function differencesOf(column: Column, field: SchemaField): string[] {
  if (field.type !== column.type) return [`column '${column.name}' is ${field.type}, not ${column.type}`];
  if (field.mode === 'REPEATED') return [`column '${column.name}' is REPEATED`];
  if (field.mode === 'REQUIRED' && column.nullable)
    return [`column '${column.name}' is REQUIRED, but the pipeline admits NULL`];
  return [];
}

function fieldOf({ name, type, nullable }: Column): SchemaField {
  return { name, type, mode: nullable ? 'NULLABLE' : 'REQUIRED' };
}
