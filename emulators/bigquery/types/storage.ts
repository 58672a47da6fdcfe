/**
 * How GoogleSQL's types lie in DuckDB. TIMESTAMP and DATETIME are both DuckDB's TIMESTAMP (a TIMESTAMP in UTC): the compiler
 * knows which is which, and no session time zone can leak in. JSON is its normalised text. A STRUCT's fields are called
 * `f0`, `f1` … by position, since GoogleSQL matches STRUCTs by position and lets names repeat or be missing.
 */
import type { Type } from './type.ts';

/** Decimals behind the point that a BIGNUMERIC keeps here, where BigQuery keeps 38: DuckDB's decimals have 38 digits in all. */
export const BIGNUMERIC_SCALE = 18;

/** Decimals behind the point of a NUMERIC. */
export const NUMERIC_SCALE = 9;

const STORED: Readonly<Record<Exclude<Type['kind'], 'ARRAY' | 'STRUCT'>, string>> = {
  BOOL: 'BOOLEAN',
  INT64: 'BIGINT',
  FLOAT64: 'DOUBLE',
  NUMERIC: `DECIMAL(38, ${NUMERIC_SCALE})`,
  BIGNUMERIC: `DECIMAL(38, ${BIGNUMERIC_SCALE})`,
  STRING: 'VARCHAR',
  BYTES: 'BLOB',
  DATE: 'DATE',
  DATETIME: 'TIMESTAMP',
  TIME: 'TIME',
  TIMESTAMP: 'TIMESTAMP',
  INTERVAL: 'INTERVAL',
  JSON: 'VARCHAR',
};

/** DuckDB's name of the type that holds this GoogleSQL type. */
export function storedType(type: Type): string {
  if (type.kind === 'ARRAY') return `${storedType(type.element)}[]`;
  if (type.kind === 'STRUCT')
    return `STRUCT(${type.fields.map((field, index) => `${fieldName(index)} ${storedType(field.type)}`).join(', ')})`;
  return STORED[type.kind];
}

/** The stored name of a STRUCT's field. */
export function fieldName(index: number): string {
  return `f${index}`;
}
