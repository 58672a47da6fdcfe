/** CAST and SAFE_CAST. Each pair of scalar types has its function; ARRAYs and STRUCTs convert part by part. */
import type { Cast } from '../googlesql/ast/expression.ts';
import { SqlError, unsupported } from '../googlesql/sql-error.ts';
import { FUNCTIONS_BY_NAME } from '../functions/index.ts';
import { fieldName, storedType } from '../types/storage.ts';
import { civilOf } from '../values/civil-date.ts';
import { dayOfMicros } from '../values/clock-time.ts';
import { INT64, STRING, sameType, type Type, typeName } from '../types/type.ts';
import { callOverload } from './call-overload.ts';
import { coerce, coerceOrFail, structSql } from './coerce.ts';
import type { CompileContext } from './context.ts';
import { literalAs, nullOf } from './literal.ts';
import type { Scope } from './scope.ts';
import { int64Literal } from './sql-text.ts';
import { boundedSql } from './type-bounds.ts';
import { resolveType } from './type-name.ts';
import { isLiteral, isNull, type Typed, typed } from './typed.ts';

function castScalar(value: Typed, target: Type, safe: boolean, zone: Typed | undefined, at: number): Typed {
  const definition = FUNCTIONS_BY_NAME.get(`CAST_${value.type.kind}_TO_${target.kind}`);
  const overload = definition?.overloads[0];
  if (!overload) throw new SqlError(`Invalid cast from ${typeName(value.type)} to ${typeName(target)}`, at);
  if (zone && overload.signature.parameters.length < 2)
    throw new SqlError(`CAST from ${typeName(value.type)} to ${typeName(target)} takes no AT TIME ZONE`, at);
  const cast = callOverload(overload, zone ? [value, zone] : [value], target, safe);
  const plain = value.type.kind === 'STRING' && zone === undefined ? PLAIN_SPELLINGS[target.kind] : undefined;
  if (plain === undefined || isLiteral(value)) return cast;
  const converted = `TRY_CAST(${value.sql} AS ${storedType(target)})`;
  return typed(
    `CASE WHEN regexp_full_match(${value.sql}, '${plain}') THEN coalesce(${converted}, ${cast.sql}) ELSE ${cast.sql} END`,
    target,
  );
}

/** How most values are spelt: DuckDB converts those itself, in a tenth of the time, and without another meaning. */
const PLAIN_SPELLINGS: Partial<Readonly<Record<Type['kind'], string>>> = {
  INT64: '-?[0-9]{1,18}',
  FLOAT64: '-?[0-9]{1,15}(\\.[0-9]{1,17})?([eE][-+]?[0-9]{1,2})?',
  NUMERIC: '-?[0-9]{1,29}(\\.[0-9]{1,9})?',
  TIMESTAMP: '[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,6})?Z',
};

/** Converts, or fails to compile when GoogleSQL has no such conversion. With `safe`, what fails at run time is NULL. */
export function castTo(value: Typed, target: Type, safe: boolean, at: number, zone?: Typed): Typed {
  if (isNull(value)) return nullOf(target);
  if (sameType(value.type, target)) return { ...typed(value.sql, target), ...(value.atomic && { atomic: true }) };
  if (value.constant?.kind === 'constructor') {
    const coerced = coerce(value, target);
    if (coerced) return typed(coerced.sql, target);
  }
  if (value.type.kind === 'ARRAY' && target.kind === 'ARRAY') {
    const inner = castTo(typed('item', value.type.element), target.element, safe, at);
    return typed(`list_transform(${value.sql}, lambda item: ${inner.sql})`, target);
  }
  if (value.type.kind === 'STRUCT' && target.kind === 'STRUCT' && value.type.fields.length === target.fields.length) {
    const fields = value.type.fields.map((field, index) =>
      castTo(
        typed(`struct_extract(${value.sql}, '${fieldName(index)}')`, field.type),
        target.fields[index]?.type ?? STRING,
        safe,
        at,
      ),
    );
    return typed(`CASE WHEN ${value.sql} IS NULL THEN NULL ELSE ${structSql(fields, target).sql} END`, target);
  }
  return castScalar(value, target, safe, zone, at);
}

/** Literals convert while compiling, so that a plain `CAST('2020-01-01' AS DATE)` is a constant to DuckDB. */
function castLiteral(value: Typed, target: Type): Typed | undefined {
  if (!isLiteral(value)) return undefined;
  // A number is read as it is spelt: the NUMERIC of 0.1 is not that of the double.
  if (value.type.kind === 'FLOAT64' && (target.kind === 'NUMERIC' || target.kind === 'BIGNUMERIC'))
    return spelt(value.constant.text, target);
  if (value.type.kind !== 'STRING') return undefined;
  if (!['DATE', 'DATETIME', 'TIME', 'TIMESTAMP', 'NUMERIC', 'INT64', 'FLOAT64'].includes(target.kind)) return undefined;
  return spelt(value.constant.text, target);
}

function spelt(text: string, target: Type): Typed | undefined {
  try {
    const { sql, type } = literalAs(text, target.kind as 'DATE');
    return { sql, type, atomic: true };
  } catch {
    return undefined;
  }
}

/** CAST(value AS type FORMAT '…'). */
function castWithFormat(
  value: Typed,
  type: Type,
  node: Cast,
  format: Typed,
  zone: Typed | undefined,
  context: CompileContext,
): Typed {
  const model = coerceOrFail(format, STRING, 'FORMAT', node.format?.at);
  const writes = type.kind === 'STRING';
  const definition = FUNCTIONS_BY_NAME.get(writes ? `FORMAT_CAST_${value.type.kind}` : `PARSE_CAST_${type.kind}`);
  const overload = definition?.overloads[0];
  if (!overload || (!writes && value.type.kind !== 'STRING'))
    throw unsupported(`CAST from ${typeName(value.type)} to ${typeName(type)} with FORMAT`, node.at);
  const { year, month } = civilOf(dayOfMicros(context.nowMicros));
  const present = writes || type.kind === 'BYTES' ? [] : [typed(int64Literal(year * 100 + month), INT64)];
  return callOverload(overload, [value, model, ...present, ...(zone ? [zone] : [])], type, node.safe);
}

export function compileCast(node: Cast, scope: Scope, context: CompileContext): Typed {
  const value = context.expression(node.operand, scope);
  const { type, bounds } = resolveType(node.type);
  const zone =
    node.timeZone && coerceOrFail(context.expression(node.timeZone, scope), STRING, 'The time zone', node.timeZone.at);
  if (node.format) return castWithFormat(value, type, node, context.expression(node.format, scope), zone, context);
  const result = (zone ? undefined : castLiteral(value, type)) ?? castTo(value, type, node.safe, node.at, zone);
  const bounded = bounds && boundedSql(result.sql, type, bounds, 'CAST');
  if (!bounded) return result;
  return typed(node.safe ? `TRY(${bounded})` : bounded, type);
}

/** SQL of a typed value for storage, used where a NULL array counts as an empty one. */
export function emptyForNull(value: Typed): Typed {
  return value.type.kind === 'ARRAY'
    ? typed(`coalesce(${value.sql}, CAST([] AS ${storedType(value.type)}))`, value.type)
    : value;
}
