/** Columns between BigQuery's TableFieldSchema and the catalog's own form. */
import { ApiError, invalid } from '../api-error.ts';
import { canonicalTypeName } from '../googlesql/parse/type-name.ts';
import { scalarType, structOf, type Type } from '../types/type.ts';
import { checkColumnName } from './names.ts';
import { type FieldMode, fieldType, type TableField } from './table.ts';

/** Names of the API that GoogleSQL spells otherwise. */
const API_NAMES: Readonly<Record<string, string>> = {
  INTEGER: 'INT64',
  FLOAT: 'FLOAT64',
  BOOLEAN: 'BOOL',
  RECORD: 'STRUCT',
};
const WIRE_NAMES: Readonly<Record<string, string>> = {
  INT64: 'INTEGER',
  FLOAT64: 'FLOAT',
  BOOL: 'BOOLEAN',
  STRUCT: 'RECORD',
};

/** How deep RECORDs may nest, as in BigQuery. */
const MAX_DEPTH = 15;

export interface WireField {
  readonly name: string;
  readonly type: string;
  readonly mode?: string;
  readonly fields?: readonly WireField[];
  readonly description?: string;
  readonly maxLength?: string;
  readonly precision?: string;
  readonly scale?: string;
  readonly defaultValueExpression?: string;
}

function integer(value: unknown, what: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0) throw invalid(`Invalid ${what}: ${String(value)}`);
  return number;
}

function modeOf(value: unknown, name: string): FieldMode {
  const mode = String(value ?? 'NULLABLE').toUpperCase();
  if (mode === 'NULLABLE' || mode === 'REQUIRED' || mode === 'REPEATED') return mode;
  throw invalid(`Invalid mode ${String(value)} for field ${name}: NULLABLE, REQUIRED or REPEATED expected`);
}

/** @throws {ApiError} when it is no field that this server can hold. */
export function fieldFromWire(wire: unknown, depth = 1): TableField {
  if (typeof wire !== 'object' || wire === null) throw invalid('Invalid schema: every field must be an object');
  const source = wire as Record<string, unknown>;
  const name = checkColumnName(source['name']);
  if (typeof source['type'] !== 'string')
    throw new ApiError('required', `Required parameter is missing: type of field ${name}`);
  const upper = source['type'].toUpperCase();
  const typeName = API_NAMES[upper] ?? canonicalTypeName(upper);
  const mode = modeOf(source['mode'], name);
  const more = {
    ...optional('description', source['description']),
    ...optional('defaultValueExpression', source['defaultValueExpression']),
    ...bounds(source),
  };
  if (typeName === 'STRUCT') {
    if (depth >= MAX_DEPTH) throw invalid(`Field ${name}: RECORD nests deeper than ${MAX_DEPTH} levels`);
    const inner = fieldsFromWire(source['fields'], depth + 1);
    if (inner.length === 0) throw invalid(`Field ${name} is of type RECORD but has no schema`);
    return {
      name,
      mode,
      type: structOf(inner.map((field) => ({ name: field.name, type: fieldType(field) }))),
      fields: inner,
      ...more,
    };
  }
  const type = scalarType(typeName);
  if (!type)
    throw invalid(
      `Invalid value for type: ${source['type']} of field ${name} is not a type that this local BigQuery server supports`,
    );
  return { name, type, mode, ...more };
}

function optional(key: 'description' | 'defaultValueExpression', value: unknown): Partial<TableField> {
  return typeof value === 'string' ? { [key]: value } : {};
}

function bounds(source: Record<string, unknown>): Partial<TableField> {
  const maxLength = integer(source['maxLength'], 'maxLength');
  const precision = integer(source['precision'], 'precision');
  const scale = integer(source['scale'], 'scale');
  return {
    ...(maxLength !== undefined && { maxLength }),
    ...(precision !== undefined && { precision }),
    ...(scale !== undefined && { scale }),
  };
}

/** The columns of a schema; names must differ in more than case. */
export function fieldsFromWire(wire: unknown, depth = 1): TableField[] {
  if (wire === undefined || wire === null) return [];
  if (!Array.isArray(wire)) throw invalid('Invalid schema: fields must be a list');
  if (wire.length > 10_000) throw invalid('Too many total leaf fields: at most 10000');
  const fields = wire.map((field) => fieldFromWire(field, depth));
  checkUnique(fields);
  return fields;
}

export function checkUnique(fields: readonly TableField[]): void {
  const seen = new Set<string>();
  for (const { name } of fields) {
    if (seen.has(name.toLowerCase())) throw invalid(`Field ${name} already exists in schema`);
    seen.add(name.toLowerCase());
  }
}

export function fieldToWire(field: TableField): WireField {
  return {
    name: field.name,
    type: WIRE_NAMES[field.type.kind] ?? field.type.kind,
    mode: field.mode,
    ...(field.fields && { fields: field.fields.map(fieldToWire) }),
    ...(field.description !== undefined && { description: field.description }),
    ...(field.maxLength !== undefined && { maxLength: String(field.maxLength) }),
    ...(field.precision !== undefined && { precision: String(field.precision) }),
    ...(field.scale !== undefined && { scale: String(field.scale) }),
    ...(field.defaultValueExpression !== undefined && { defaultValueExpression: field.defaultValueExpression }),
  };
}

/** A column for values of a type, all of them NULLABLE: what a query's result makes. */
export function fieldOfType(name: string, type: Type): TableField {
  const repeated = type.kind === 'ARRAY';
  const element = repeated ? type.element : type;
  const fields =
    element.kind === 'STRUCT'
      ? element.fields.map((field, index) => fieldOfType(field.name || `_field_${index + 1}`, field.type))
      : undefined;
  const named: Type = fields
    ? structOf(fields.map((field) => ({ name: field.name, type: fieldType(field) })))
    : element;
  return { name, type: named, mode: repeated ? 'REPEATED' : 'NULLABLE', ...(fields && { fields }) };
}
