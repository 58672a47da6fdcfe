/** Tables and views as the catalog keeps them. */
import { arrayOf, structOf, type Type } from '../types/type.ts';

export type FieldMode = 'NULLABLE' | 'REQUIRED' | 'REPEATED';

/** A column, or a field of a STRUCT column. */
export interface TableField {
  readonly name: string;
  /** Type of one element when the mode is REPEATED. */
  readonly type: Type;
  readonly mode: FieldMode;
  /** Fields of a STRUCT, with their modes and bounds. */
  readonly fields?: readonly TableField[];
  readonly description?: string;
  /** STRING(n) in characters, BYTES(n) in bytes. */
  readonly maxLength?: number;
  /** NUMERIC(precision, scale). */
  readonly precision?: number;
  readonly scale?: number;
  /** GoogleSQL text. */
  readonly defaultValueExpression?: string;
}

export interface TableReference {
  readonly projectId: string;
  readonly datasetId: string;
  readonly tableId: string;
}

export interface TimePartitioning {
  readonly type: 'HOUR' | 'DAY' | 'MONTH' | 'YEAR';
  /** `undefined`: by the time a row came in, as `_PARTITIONTIME`. */
  readonly field?: string;
  readonly expirationMs?: string;
}

export interface RangePartitioning {
  readonly field: string;
  readonly range: { readonly start: string; readonly end: string; readonly interval: string };
}

export interface TableResource {
  readonly reference: TableReference;
  readonly kind: 'TABLE' | 'VIEW';
  readonly fields: readonly TableField[];
  /** Schema and table in DuckDB. Views have none there. */
  readonly storage: { readonly schema: string; readonly table: string };
  readonly timePartitioning?: TimePartitioning;
  readonly rangePartitioning?: RangePartitioning;
  readonly requirePartitionFilter?: boolean;
  readonly clustering?: readonly string[];
  /** A view's definition. */
  readonly viewQuery?: string;
  readonly friendlyName?: string;
  readonly description?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly expirationTime?: string;
  readonly creationTime: number;
  readonly lastModifiedTime: number;
  readonly etag: string;
}

/** The GoogleSQL type of a column's values: an ARRAY when it repeats. */
export function fieldType(field: TableField): Type {
  return field.mode === 'REPEATED' ? arrayOf(field.type) : field.type;
}

/** The STRUCT type of these fields. */
export function structTypeOf(fields: readonly TableField[]): Type {
  return structOf(fields.map((field) => ({ name: field.name, type: fieldType(field) })));
}

/** `project.dataset.table`. */
export function fullName({ projectId, datasetId, tableId }: TableReference): string {
  return `${projectId}.${datasetId}.${tableId}`;
}

/** `project:dataset.table`, as BigQuery's messages name a table. */
export function messageName({ projectId, datasetId, tableId }: TableReference): string {
  return `${projectId}:${datasetId}.${tableId}`;
}
