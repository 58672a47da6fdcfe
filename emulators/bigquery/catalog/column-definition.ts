/** From a column as CREATE TABLE writes it to a field of the catalog. */
import type { ColumnDefinition, ColumnType, Options } from '../googlesql/ast/statement.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { resolveType } from '../compile/type-name.ts';
import { structOf } from '../types/type.ts';
import { ApiError } from '../api-error.ts';
import { checkColumnName } from './names.ts';
import { checkUnique } from './field-schema.ts';
import { fieldType, type TableField } from './table.ts';

function name(column: ColumnDefinition): string {
  try {
    return checkColumnName(column.name);
  } catch (error) {
    if (error instanceof ApiError) throw new SqlError(error.message, column.at);
    throw error;
  }
}

function descriptionOf(options: Options): string | undefined {
  const option = options.find((candidate) => candidate.name === 'description');
  return option?.value.kind === 'literal' && option.value.type === 'STRING' ? option.value.text : undefined;
}

/** The type of a field, apart from whether it repeats. */
function typed(type: ColumnType): Pick<TableField, 'type' | 'fields' | 'maxLength' | 'precision' | 'scale'> {
  if (type.kind === 'array') throw new SqlError('Arrays of arrays are not supported', type.at);
  if (type.kind === 'struct') {
    const fields = type.fields.map((field) => columnToField(field, ''));
    return { type: structOf(fields.map((field) => ({ name: field.name, type: fieldType(field) }))), fields };
  }
  const resolved = resolveType(type.type);
  return { type: resolved.type, ...resolved.bounds };
}

/** `text` is the statement's, from which a default's own text is cut. */
export function columnToField(column: ColumnDefinition, text: string): TableField {
  const repeated = column.type.kind === 'array';
  if (repeated && column.notNull)
    throw new SqlError(`NOT NULL cannot be applied to ARRAY field ${column.name}`, column.at);
  const description = descriptionOf(column.options);
  const end = column.defaultValueEnd;
  return {
    name: name(column),
    mode: repeated ? 'REPEATED' : column.notNull ? 'REQUIRED' : 'NULLABLE',
    ...typed(column.type.kind === 'array' ? column.type.element : column.type),
    ...(description !== undefined && { description }),
    ...(column.defaultValue &&
      end !== undefined && { defaultValueExpression: text.slice(column.defaultValue.at, end) }),
  };
}

export function columnsToFields(columns: readonly ColumnDefinition[], text: string): TableField[] {
  const fields = columns.map((column) => columnToField(column, text));
  checkUnique(fields);
  return fields;
}
