/** `+ - * /` and unary minus on numbers, dates and intervals. */
import { SqlError } from '../googlesql/sql-error.ts';
import {
  BIGNUMERIC,
  DATE,
  DATETIME,
  FLOAT64,
  INT64,
  INTERVAL,
  isNumber,
  NUMERIC,
  TIMESTAMP,
  type Type,
  typeName,
} from '../types/type.ts';
import { coerce, commonType } from './coerce.ts';
import { isNull, type Typed, typed } from './typed.ts';

export type ArithmeticOperator = '+' | '-' | '*' | '/';

const FLOAT_NAMES: Readonly<Record<ArithmeticOperator, string>> = {
  '+': 'js_float_add_2',
  '-': 'js_float_subtract_2',
  '*': 'js_float_multiply_2',
  '/': 'js_float_divide_2',
};

function numberSql(operator: ArithmeticOperator, type: Type, a: string, b: string): string {
  if (type.kind === 'FLOAT64') return `${FLOAT_NAMES[operator]}(${a}, ${b})`;
  if (type.kind !== 'INT64' && (operator === '*' || operator === '/')) {
    return `js_${type.kind.toLowerCase()}_${operator === '*' ? 'multiply' : 'divide'}_2(${a}, ${b})`;
  }
  return `(${a} ${operator} ${b})`;
}

function onNumbers(operator: ArithmeticOperator, left: Typed, right: Typed): Typed | undefined {
  if (!(isNumber(left.type) || isNull(left)) || !(isNumber(right.type) || isNull(right))) return undefined;
  const common = commonType([left, right]);
  const type = operator === '/' && common?.kind === 'INT64' ? FLOAT64 : common;
  const [a, b] = type ? [coerce(left, type), coerce(right, type)] : [];
  return type && a && b ? typed(numberSql(operator, type, a.sql, b.sql), type) : undefined;
}

/** How a date and an interval, a number of days or another date combine: the result's type and its SQL. */
type Rule = readonly [
  left: Type,
  operator: ArithmeticOperator,
  right: Type,
  result: Type,
  sql: (a: string, b: string) => string,
];

const RULES: readonly Rule[] = [
  [DATE, '+', INT64, DATE, (a, b) => `js_date_plus_days_2(${a}, ${b})`],
  [INT64, '+', DATE, DATE, (a, b) => `js_date_plus_days_2(${b}, ${a})`],
  [DATE, '-', INT64, DATE, (a, b) => `js_date_plus_days_2(${a}, (-${b}))`],
  [DATE, '-', DATE, INTERVAL, (a, b) => `js_date_minus_date_2(${a}, ${b})`],
  [DATETIME, '-', DATETIME, INTERVAL, (a, b) => `js_datetime_minus_datetime_2(${a}, ${b})`],
  [TIMESTAMP, '-', TIMESTAMP, INTERVAL, (a, b) => `js_timestamp_minus_timestamp_2(${a}, ${b})`],
  [DATETIME, '+', INTERVAL, DATETIME, (a, b) => `js_datetime_add_2(${a}, ${b})`],
  [INTERVAL, '+', DATETIME, DATETIME, (a, b) => `js_datetime_add_2(${b}, ${a})`],
  [DATETIME, '-', INTERVAL, DATETIME, (a, b) => `js_datetime_sub_2(${a}, ${b})`],
  [TIMESTAMP, '+', INTERVAL, TIMESTAMP, (a, b) => `js_timestamp_add_2(${a}, ${b})`],
  [INTERVAL, '+', TIMESTAMP, TIMESTAMP, (a, b) => `js_timestamp_add_2(${b}, ${a})`],
  [TIMESTAMP, '-', INTERVAL, TIMESTAMP, (a, b) => `js_timestamp_sub_2(${a}, ${b})`],
  [INTERVAL, '+', INTERVAL, INTERVAL, (a, b) => `js_interval_add_2(${a}, ${b})`],
  [INTERVAL, '-', INTERVAL, INTERVAL, (a, b) => `js_interval_subtract_2(${a}, ${b})`],
  [INTERVAL, '*', INT64, INTERVAL, (a, b) => `js_interval_multiply_2(${a}, ${b})`],
  [INT64, '*', INTERVAL, INTERVAL, (a, b) => `js_interval_multiply_2(${b}, ${a})`],
  [INTERVAL, '/', INT64, INTERVAL, (a, b) => `js_interval_divide_2(${a}, ${b})`],
];

function fits(value: Typed, type: Type, exactly: boolean): Typed | undefined {
  return !exactly || value.type.kind === type.kind ? coerce(value, type) : undefined;
}

function onDates(operator: ArithmeticOperator, left: Typed, right: Typed): Typed | undefined {
  for (const exactly of [true, false]) {
    for (const [leftType, ruleOperator, rightType, result, sql] of RULES) {
      if (ruleOperator !== operator) continue;
      const [a, b] = [fits(left, leftType, exactly), fits(right, rightType, exactly)];
      if (a && b) return typed(sql(a.sql, b.sql), result);
    }
  }
  return undefined;
}

export function arithmetic(operator: ArithmeticOperator, left: Typed, right: Typed, at: number): Typed {
  const result = onNumbers(operator, left, right) ?? onDates(operator, left, right);
  if (!result)
    throw new SqlError(
      `No matching signature for operator ${operator} for argument types: ${typeName(left.type)}, ${typeName(right.type)}`,
      at,
    );
  return result;
}

export function negate(operand: Typed, at: number): Typed {
  if (operand.type.kind === 'INTERVAL') return typed(`js_interval_negate_1(${operand.sql})`, INTERVAL);
  const type = [INT64, FLOAT64, NUMERIC, BIGNUMERIC].find((candidate) => candidate.kind === operand.type.kind);
  if (!type)
    throw new SqlError(`No matching signature for operator - for argument type: ${typeName(operand.type)}`, at);
  return typed(`(-${operand.sql})`, type);
}
