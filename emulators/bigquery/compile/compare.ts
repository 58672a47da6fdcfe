/**
 * Comparison. Operands first become one type. STRUCTs compare field by field, so that a NULL inside makes the result NULL;
 * FLOAT64 compares by IEEE, where NaN equals nothing, while DuckDB takes NaN for the greatest number.
 */
import type { BinaryOperator } from '../googlesql/ast/expression.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { fieldName } from '../types/storage.ts';
import { BOOL, isComparable, isOrderable, type Type, typeName } from '../types/type.ts';
import { coerce, commonType } from './coerce.ts';
import { isLiteral, type Typed, typed } from './typed.ts';

export type Comparison = BinaryOperator & ('=' | '!=' | '<' | '<=' | '>' | '>=');

const FLOAT_FUNCTIONS: Readonly<Record<Comparison, { readonly name: string; readonly swapped: boolean }>> = {
  '=': { name: 'js_float_equal_2', swapped: false },
  '!=': { name: 'js_float_not_equal_2', swapped: false },
  '<': { name: 'js_float_less_2', swapped: false },
  '<=': { name: 'js_float_less_equal_2', swapped: false },
  '>': { name: 'js_float_less_2', swapped: true },
  '>=': { name: 'js_float_less_equal_2', swapped: true },
};

function floatComparison(operator: Comparison, left: Typed, right: Typed): string {
  // A finite literal on one side leaves one operand that may be NaN, and needs no call.
  const [literal, other] = isLiteral(left) ? [left, right] : [right, left];
  if (isLiteral(literal) && other.atomic) {
    const native = `${left.sql} ${operator === '!=' ? '<>' : operator} ${right.sql}`;
    return operator === '!=' ? `(${native} OR isnan(${other.sql}))` : `(${native} AND NOT isnan(${other.sql}))`;
  }
  const { name, swapped } = FLOAT_FUNCTIONS[operator];
  return swapped ? `${name}(${right.sql}, ${left.sql})` : `${name}(${left.sql}, ${right.sql})`;
}

function structEquality(operator: Comparison, left: Typed, right: Typed, type: Type & { kind: 'STRUCT' }): string {
  const parts = type.fields.map((field, index) => {
    const side = (value: Typed) => typed(`struct_extract(${value.sql}, '${fieldName(index)}')`, field.type);
    return comparisonSql(operator, side(left), side(right), field.type);
  });
  return `(${parts.join(operator === '=' ? ' AND ' : ' OR ')})`;
}

/** SQL of a comparison whose operands have one type already. */
export function comparisonSql(operator: Comparison, left: Typed, right: Typed, type: Type): string {
  if (type.kind === 'FLOAT64') return floatComparison(operator, left, right);
  if (type.kind === 'STRUCT') return structEquality(operator, left, right, type);
  return `(${left.sql} ${operator === '!=' ? '<>' : operator} ${right.sql})`;
}

/** The operands in their common type. @throws {SqlError} when they have none. */
export function unify(
  values: readonly Typed[],
  what: string,
  at: number,
): { readonly type: Type; readonly values: readonly Typed[] } {
  const type = commonType(values);
  const coerced = type && values.map((value) => coerce(value, type));
  if (!type || !coerced?.every((value) => value !== undefined)) {
    throw new SqlError(
      `No matching signature for ${what} for argument types: ${values.map((value) => typeName(value.type)).join(', ')}`,
      at,
    );
  }
  return { type, values: coerced };
}

export function compare(operator: Comparison, left: Typed, right: Typed, at: number): Typed {
  const { type, values } = unify([left, right], `operator ${operator}`, at);
  const equality = operator === '=' || operator === '!=';
  if (type.kind === 'ARRAY' || (equality ? !isComparable(type) : !isOrderable(type))) {
    throw new SqlError(
      `${equality ? 'Equality' : 'Less than'} is not defined for arguments of type ${typeName(type)}`,
      at,
    );
  }
  return typed(comparisonSql(operator, values[0] as Typed, values[1] as Typed, type), BOOL);
}

/** Order keys for DuckDB. NaN comes before all other numbers, NULL before NaN, unless the query places NULLs itself. */
export function orderKeys(
  value: Typed,
  descending: boolean,
  nullsFirst: boolean | undefined,
  at: number,
  plain = false,
): string {
  if (!isOrderable(value.type))
    throw new SqlError(`ORDER BY does not support expressions of type ${typeName(value.type)}`, at);
  const direction = descending ? 'DESC' : 'ASC';
  const nulls = (nullsFirst ?? !descending) ? 'NULLS FIRST' : 'NULLS LAST';
  const key = `${value.sql} ${direction} ${nulls}`;
  if (value.type.kind !== 'FLOAT64' || plain) return key;
  return `(NOT isnan(${value.sql})) ${direction} ${nulls}, ${key}`;
}
