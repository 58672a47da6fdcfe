/** `SET column.field.inner = value`: the STRUCT with one field replaced, all others as they were. */
import { SqlError } from '../googlesql/sql-error.ts';
import { fieldName } from '../types/storage.ts';
import { typeName } from '../types/type.ts';
import { coerceOrFail, structSql } from './coerce.ts';
import { type Typed, typed } from './typed.ts';

export function setField(current: Typed, path: readonly string[], value: Typed, at: number): Typed {
  const [name, ...inner] = path;
  if (name === undefined) return coerceOrFail(value, current.type, 'The value', at);
  const { type } = current;
  if (type.kind !== 'STRUCT')
    throw new SqlError(`Cannot access field ${name} on a value with type ${typeName(type)}`, at);
  const index = type.fields.findIndex((field) => field.name.toLowerCase() === name.toLowerCase());
  if (index < 0) throw new SqlError(`Field name ${name} does not exist in ${typeName(type)}`, at);
  const fields = type.fields.map((field, position) => {
    const old = typed(`struct_extract(${current.sql}, '${fieldName(position)}')`, field.type);
    return position === index ? setField(old, inner, value, at) : old;
  });
  return structSql(fields, type);
}
