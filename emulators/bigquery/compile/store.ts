/** SQL that holds a value to its column: type, length, digits, presence, and that no array holds a NULL. */
import { SqlError } from '../googlesql/sql-error.ts';
import { fieldName, storedType } from '../types/storage.ts';
import type { Type } from '../types/type.ts';
import { arrayOf, typeName } from '../types/type.ts';
import { fieldType, type TableField } from '../catalog/table.ts';
import { coerce } from './coerce.ts';
import { stringLiteral } from './sql-text.ts';
import { boundedSql } from './type-bounds.ts';
import { isNull, type Typed, typed } from './typed.ts';

/** True when values of the field, or of a field inside it, must meet more than its type. */
function demands(field: TableField): boolean {
  return (
    field.mode !== 'NULLABLE' ||
    field.maxLength !== undefined ||
    field.precision !== undefined ||
    (field.fields?.some(demands) ?? false)
  );
}

function failure(message: string, type: Type): string {
  return `CAST(js_fail_1(${stringLiteral(message)}) AS ${storedType(type)})`;
}

/** One value that does not repeat. `variable` numbers lambdas, so that nested ones do not hide each other's. */
function element(sql: string, field: TableField, path: string, variable: number): string {
  const bounded = boundedSql(sql, field.type, field, path) ?? sql;
  if (field.type.kind !== 'STRUCT' || !field.fields?.some(demands)) return bounded;
  const fields = field.fields.map(
    (inner, index) =>
      `${fieldName(index)} := ${checked(`struct_extract(${sql}, '${fieldName(index)}')`, inner, `${path}.${inner.name}`, variable)}`,
  );
  return `CASE WHEN ${sql} IS NULL THEN NULL ELSE struct_pack(${fields.join(', ')}) END`;
}

function checked(sql: string, field: TableField, path: string, variable = 0): string {
  if (!demands(field)) return sql;
  if (field.mode === 'REQUIRED')
    return `coalesce(${element(sql, field, path, variable)}, ${failure(`Required field ${path} cannot be null`, field.type)})`;
  if (field.mode === 'NULLABLE') return element(sql, field, path, variable);
  const name = `e${variable}`;
  const item = `coalesce(${element(name, field, path, variable + 1)}, ${failure(`Array cannot have a null element; error in writing field ${path}`, field.type)})`;
  return `coalesce(list_transform(${sql}, lambda ${name}: ${item}), CAST([] AS ${storedType(arrayOf(field.type))}))`;
}

/**
 * The value as the column stores it.
 * @throws {SqlError} when its type cannot become the column's.
 */
export function storeSql(value: Typed, field: TableField, at?: number): string {
  const type = fieldType(field);
  if (isNull(value) && field.mode === 'REQUIRED') throw new SqlError(`Required field ${field.name} cannot be null`, at);
  const coerced = coerce(value, type);
  if (!coerced)
    throw new SqlError(
      `Value of type ${typeName(value.type)} cannot be assigned to ${field.name}, which has type ${typeName(type)}`,
      at,
    );
  return checked(coerced.sql, field, field.name);
}

/** What a column holds when a statement gives it no value. */
export function withoutValue(
  field: TableField,
  defaultValue: (field: TableField) => Typed | undefined,
  at?: number,
): string {
  const given = field.defaultValueExpression === undefined ? undefined : defaultValue(field);
  return storeSql(given ?? typed(`CAST(NULL AS ${storedType(fieldType(field))})`, fieldType(field)), field, at);
}
