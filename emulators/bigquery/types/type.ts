/**
 * GoogleSQL's types, as expressions have them. Invariant: two types are the same when `sameType` says so; parameters such
 * as STRING(10) belong to columns and never to expressions.
 */
export type ScalarKind =
  | 'BOOL'
  | 'INT64'
  | 'FLOAT64'
  | 'NUMERIC'
  | 'BIGNUMERIC'
  | 'STRING'
  | 'BYTES'
  | 'DATE'
  | 'DATETIME'
  | 'TIME'
  | 'TIMESTAMP'
  | 'INTERVAL'
  | 'JSON';

export interface ScalarType {
  readonly kind: ScalarKind;
}

export interface ArrayType {
  readonly kind: 'ARRAY';
  readonly element: Type;
}

export interface StructField {
  /** `''` when the field has no name. */
  readonly name: string;
  readonly type: Type;
}

export interface StructType {
  readonly kind: 'STRUCT';
  readonly fields: readonly StructField[];
}

export type Type = ScalarType | ArrayType | StructType;

export const BOOL: ScalarType = { kind: 'BOOL' };
export const INT64: ScalarType = { kind: 'INT64' };
export const FLOAT64: ScalarType = { kind: 'FLOAT64' };
export const NUMERIC: ScalarType = { kind: 'NUMERIC' };
export const BIGNUMERIC: ScalarType = { kind: 'BIGNUMERIC' };
export const STRING: ScalarType = { kind: 'STRING' };
export const BYTES: ScalarType = { kind: 'BYTES' };
export const DATE: ScalarType = { kind: 'DATE' };
export const DATETIME: ScalarType = { kind: 'DATETIME' };
export const TIME: ScalarType = { kind: 'TIME' };
export const TIMESTAMP: ScalarType = { kind: 'TIMESTAMP' };
export const INTERVAL: ScalarType = { kind: 'INTERVAL' };
export const JSON_TYPE: ScalarType = { kind: 'JSON' };

const SCALARS: ReadonlyMap<string, ScalarType> = new Map(
  [BOOL, INT64, FLOAT64, NUMERIC, BIGNUMERIC, STRING, BYTES, DATE, DATETIME, TIME, TIMESTAMP, INTERVAL, JSON_TYPE].map(
    (type) => [type.kind, type],
  ),
);

/** The scalar type of that canonical name. */
export function scalarType(name: string): ScalarType | undefined {
  return SCALARS.get(name);
}

export function arrayOf(element: Type): ArrayType {
  return { kind: 'ARRAY', element };
}

export function structOf(fields: readonly StructField[]): StructType {
  return { kind: 'STRUCT', fields };
}

/** The type's name in messages: `ARRAY<STRUCT<a INT64, STRING>>`. */
export function typeName(type: Type): string {
  if (type.kind === 'ARRAY') return `ARRAY<${typeName(type.element)}>`;
  if (type.kind !== 'STRUCT') return type.kind;
  return `STRUCT<${type.fields.map((field) => (field.name ? `${field.name} ${typeName(field.type)}` : typeName(field.type))).join(', ')}>`;
}

/** Equal in structure. Names of fields count only when `names` asks for it: GoogleSQL compares STRUCTs by position. */
export function sameType(left: Type, right: Type, names = false): boolean {
  if (left.kind === 'ARRAY') return right.kind === 'ARRAY' && sameType(left.element, right.element, names);
  if (left.kind !== 'STRUCT') return left.kind === right.kind;
  return (
    right.kind === 'STRUCT' &&
    left.fields.length === right.fields.length &&
    left.fields.every((field, index) => {
      const other = right.fields[index];
      return (
        other !== undefined &&
        sameType(field.type, other.type, names) &&
        (!names || field.name.toLowerCase() === other.name.toLowerCase())
      );
    })
  );
}

const NUMBERS: ReadonlySet<string> = new Set(['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC']);

export function isNumber(type: Type): boolean {
  return NUMBERS.has(type.kind);
}

/** True when `=` is defined for the type: all but JSON and what contains it. */
export function isComparable(type: Type): boolean {
  if (type.kind === 'ARRAY') return isComparable(type.element);
  if (type.kind === 'STRUCT') return type.fields.every((field) => isComparable(field.type));
  return type.kind !== 'JSON';
}

/** True when values have an order: ORDER BY, MIN, `<`. */
export function isOrderable(type: Type): boolean {
  return type.kind !== 'JSON' && type.kind !== 'STRUCT' && (type.kind !== 'ARRAY' || isOrderable(type.element));
}
