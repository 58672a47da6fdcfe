/**
 * Coercion: what GoogleSQL converts without being asked. Numbers widen (INT64 to NUMERIC to BIGNUMERIC to FLOAT64), a DATE
 * becomes a DATETIME, STRUCTs convert field by field; literals and parameters convert further.
 */
import { fieldName, storedType } from '../types/storage.ts';
import { type ScalarKind, STRING, sameType, type Type, typeName } from '../types/type.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { literalAs, nullOf } from './literal.ts';
import { isLiteral, isNull, type Typed, typed } from './typed.ts';

/** What any expression of a type may become, without writing a CAST. */
const WIDENING: Readonly<Record<string, readonly ScalarKind[]>> = {
  INT64: ['NUMERIC', 'BIGNUMERIC', 'FLOAT64'],
  NUMERIC: ['BIGNUMERIC', 'FLOAT64'],
  BIGNUMERIC: ['FLOAT64'],
  DATE: ['DATETIME'],
};

/** What a literal may become besides. */
const LITERAL: Readonly<Record<string, readonly ScalarKind[]>> = {
  STRING: ['DATE', 'DATETIME', 'TIME', 'TIMESTAMP'],
  FLOAT64: ['NUMERIC', 'BIGNUMERIC'],
};

/** What a parameter may become besides. */
const PARAMETER: Readonly<Record<string, readonly ScalarKind[]>> = {
  STRING: ['DATE', 'DATETIME', 'TIME', 'TIMESTAMP'],
};

function widens(from: Type, to: Type): boolean {
  return WIDENING[from.kind]?.includes(to.kind as ScalarKind) ?? false;
}

/** DuckDB's SQL for a widening, or for text read as a date or time. */
export function convertSql(sql: string, from: Type, to: Type): string {
  if (from.kind === 'STRING') return `js_cast_string_to_${to.kind.toLowerCase()}_1(${sql})`;
  if (to.kind === 'FLOAT64' && from.kind === 'NUMERIC') return `js_numeric_to_float64_1(${sql})`;
  if (to.kind === 'FLOAT64' && from.kind === 'BIGNUMERIC') return `js_bignumeric_to_float64_1(${sql})`;
  return `CAST(${sql} AS ${storedType(to)})`;
}

function coerceConstructor(parts: readonly Typed[], target: Type): Typed | undefined {
  if (target.kind === 'ARRAY') {
    const elements = parts.map((part) => coerce(part, target.element));
    if (!elements.every((element) => element !== undefined)) return undefined;
    return { ...arraySql(elements, target.element), constant: { kind: 'constructor', parts: elements } };
  }
  if (target.kind === 'STRUCT' && target.fields.length === parts.length) {
    const fields = parts.map((part, index) => coerce(part, target.fields[index]?.type ?? STRING));
    if (!fields.every((field) => field !== undefined)) return undefined;
    return { ...structSql(fields, target), constant: { kind: 'constructor', parts: fields } };
  }
  return undefined;
}

/** An array of elements that have its element type already. */
export function arraySql(elements: readonly Typed[], element: Type): Typed {
  const type: Type = { kind: 'ARRAY', element };
  return typed(`CAST([${elements.map((item) => item.sql).join(', ')}] AS ${storedType(type)})`, type);
}

/** A struct of fields that have its types already. */
export function structSql(fields: readonly Typed[], type: Type): Typed {
  return typed(`struct_pack(${fields.map((field, index) => `${fieldName(index)} := ${field.sql}`).join(', ')})`, type);
}

function coerceStruct(
  value: Typed,
  from: Type & { kind: 'STRUCT' },
  target: Type & { kind: 'STRUCT' },
): Typed | undefined {
  if (from.fields.length !== target.fields.length) return undefined;
  const fields = from.fields.map((field, index) => {
    const to = target.fields[index];
    return to && coerce(typed(`struct_extract(${value.sql}, '${fieldName(index)}')`, field.type), to.type);
  });
  if (!fields.every((field) => field !== undefined)) return undefined;
  return typed(`CASE WHEN ${value.sql} IS NULL THEN NULL ELSE ${structSql(fields, target).sql} END`, target);
}

/** The value as `target`, or `undefined` when GoogleSQL would not convert it by itself. */
export function coerce(value: Typed, target: Type): Typed | undefined {
  if (isNull(value)) return nullOf(target);
  if (value.constant?.kind === 'error')
    return { ...value, sql: `CAST(${value.sql} AS ${storedType(target)})`, type: target };
  if (sameType(value.type, target)) return sameType(value.type, target, true) ? value : { ...value, type: target };
  if (value.constant?.kind === 'constructor') return coerceConstructor(value.constant.parts, target);
  if (isLiteral(value) && (LITERAL[value.type.kind]?.includes(target.kind as ScalarKind) ?? false)) {
    return literalAs(value.constant.text, target.kind as ScalarKind);
  }
  const parameter =
    value.constant?.kind === 'parameter' && (PARAMETER[value.type.kind]?.includes(target.kind as ScalarKind) ?? false);
  if (parameter || widens(value.type, target)) return typed(convertSql(value.sql, value.type, target), target);
  if (value.type.kind === 'STRUCT' && target.kind === 'STRUCT') return coerceStruct(value, value.type, target);
  return undefined;
}

/**
 * The value as `target`, for a place that admits nothing else.
 * @throws {SqlError} naming both types.
 */
export function coerceOrFail(value: Typed, target: Type, what: string, at?: number): Typed {
  const result = coerce(value, target);
  if (!result)
    throw new SqlError(
      `${what} has type ${typeName(value.type)} which cannot be coerced to expected type ${typeName(target)}`,
      at,
    );
  return result;
}

const NUMBER_ORDER: readonly string[] = ['INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64'];

function widerType(left: Type, right: Type): Type | undefined {
  if (sameType(left, right)) return left;
  const order = [NUMBER_ORDER.indexOf(left.kind), NUMBER_ORDER.indexOf(right.kind)];
  if (order.every((rank) => rank >= 0)) return (order[0] ?? 0) > (order[1] ?? 0) ? left : right;
  if (widens(left, right)) return right;
  if (widens(right, left)) return left;
  if (left.kind === 'STRUCT' && right.kind === 'STRUCT' && left.fields.length === right.fields.length) {
    const fields = left.fields.map((field, index) => {
      const type = widerType(field.type, right.fields[index]?.type ?? field.type);
      return type && { name: field.name, type };
    });
    return fields.every((field) => field !== undefined) ? { kind: 'STRUCT', fields } : undefined;
  }
  return undefined;
}

/** Constants yield: a type that all of them can become comes from the expressions that are none. */
function isSoft(value: Typed): boolean {
  return value.constant !== undefined;
}

/** The type that all values can become, `undefined` when there is none. Of nothing but NULLs it is INT64. */
export function commonType(values: readonly Typed[]): Type | undefined {
  const firm = values.filter((value) => !isSoft(value));
  const soft = values.filter((value) => isSoft(value) && !isNull(value) && value.constant?.kind !== 'error');
  let type: Type | undefined;
  for (const value of firm) {
    type = type ? widerType(type, value.type) : value.type;
    if (!type) return undefined;
  }
  for (const value of soft) {
    if (!type) type = value.type;
    else if (!coerce(value, type)) {
      type =
        commonOfConstructors(value, type) ??
        widerType(type, value.type) ??
        (soft.every((other) => coerce(other, value.type)) ? value.type : undefined);
    }
    if (!type) return undefined;
  }
  return type ?? values[0]?.type;
}

/** `[1, 2]` beside `[1.5]`: the wider element decides. */
function commonOfConstructors(value: Typed, type: Type): Type | undefined {
  if (value.type.kind !== 'ARRAY' || type.kind !== 'ARRAY') return undefined;
  const element = widerType(value.type.element, type.element);
  return element && { kind: 'ARRAY', element };
}
