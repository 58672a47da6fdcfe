/** Forms with a grammar of their own: CASE, EXTRACT, INTERVAL, array and struct constructors, subqueries, parameters. */
import type {
  ArrayLiteral,
  Case,
  Extract,
  IntervalLiteral,
  Parameter,
  StructLiteral,
  Subquery,
} from '../googlesql/ast/expression.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { FUNCTIONS_BY_NAME } from '../functions/index.ts';
import type { Overload } from '../functions/definition.ts';
import { storedType } from '../types/storage.ts';
import {
  arrayOf,
  BOOL,
  DATE,
  DATETIME,
  INT64,
  INTERVAL,
  STRING,
  structOf,
  TIME,
  type Type,
  typeName,
} from '../types/type.ts';
import { DATE_PARTS, TIME_PARTS } from '../values/date-part.ts';
import { INTERVAL_PARTS, intervalOf, parseInterval } from '../values/interval.ts';
import { ValueError } from '../values/value-error.ts';
import { callOverload } from './call-overload.ts';
import { castTo } from './cast.ts';
import { arraySql, coerceOrFail, structSql } from './coerce.ts';
import { compare, unify } from './compare.ts';
import type { CompileContext } from './context.ts';
import { literalAs } from './literal.ts';
import type { Scope } from './scope.ts';
import { stringLiteral } from './sql-text.ts';
import { resolveType } from './type-name.ts';
import { isLiteral, type Typed, typed } from './typed.ts';

export function compileParameter(node: Parameter, context: CompileContext): Typed {
  const parameter = context.parameters.get(node.name);
  if (!parameter)
    throw new SqlError(
      typeof node.name === 'number'
        ? `Query parameter number ${node.name + 1} not found`
        : `Query parameter '${node.name}' not found`,
      node.at,
    );
  return {
    sql: `CAST($${parameter.sqlName} AS ${storedType(parameter.type)})`,
    type: parameter.type,
    constant: { kind: 'parameter' },
    atomic: true,
  };
}

export function compileCase(node: Case, scope: Scope, context: CompileContext): Typed {
  const operand = node.operand && context.expression(node.operand, scope);
  const conditions = node.branches.map(({ when }) => {
    const value = context.expression(when, scope);
    return operand
      ? compare('=', operand, value, when.at).sql
      : coerceOrFail(value, BOOL, 'A condition of CASE', when.at).sql;
  });
  const results = [...node.branches.map((branch) => branch.result), ...(node.otherwise ? [node.otherwise] : [])];
  const { type, values } = unify(
    results.map((result) => context.expression(result, scope)),
    'CASE',
    node.at,
  );
  const branches = conditions.map((condition, index) => `WHEN ${condition} THEN ${values[index]?.sql}`);
  const otherwise = node.otherwise ? ` ELSE ${values.at(-1)?.sql}` : '';
  return typed(`CASE ${branches.join(' ')}${otherwise} END`, type);
}

const EXTRACT_DATE_PARTS: readonly string[] = ['DAYOFWEEK', 'DAYOFYEAR', ...DATE_PARTS];
const EXTRACT_INTERVAL_PARTS: readonly string[] = ['YEAR', 'MONTH', 'DAY', ...TIME_PARTS];
const EXTRACT_PARTS: Readonly<Record<string, readonly string[]>> = {
  DATE: EXTRACT_DATE_PARTS,
  TIME: TIME_PARTS,
  DATETIME: [...EXTRACT_DATE_PARTS, ...TIME_PARTS],
  TIMESTAMP: [...EXTRACT_DATE_PARTS, ...TIME_PARTS],
  INTERVAL: EXTRACT_INTERVAL_PARTS,
};

export function compileExtract(node: Extract, scope: Scope, context: CompileContext): Typed {
  const value = context.expression(node.operand, scope);
  const zone =
    node.timeZone && coerceOrFail(context.expression(node.timeZone, scope), STRING, 'The time zone', node.timeZone.at);
  if (zone && value.type.kind !== 'TIMESTAMP')
    throw new SqlError('EXTRACT with AT TIME ZONE takes a TIMESTAMP', node.at);
  if (value.type.kind === 'TIMESTAMP' || value.type.kind === 'DATETIME') {
    const whole = { DATE, TIME, DATETIME }[node.part];
    if (whole && !(whole === DATETIME && value.type.kind === 'DATETIME'))
      return castTo(value, whole, false, node.at, zone);
  }
  if (!EXTRACT_PARTS[value.type.kind]?.includes(node.part))
    throw new SqlError(`EXTRACT from ${typeName(value.type)} does not support the ${node.part} date part`, node.at);
  const overload = FUNCTIONS_BY_NAME.get(`EXTRACT_${value.type.kind}`)?.overloads[0] as Overload;
  return callOverload(
    overload,
    [value, typed(stringLiteral(node.part), STRING), ...(zone ? [zone] : [])],
    INT64,
    false,
  );
}

export function compileInterval(node: IntervalLiteral, scope: Scope, context: CompileContext): Typed {
  const value = context.expression(node.value, scope);
  const { from, to } = node;
  for (const part of to === undefined ? [from] : [from, to]) {
    if (!INTERVAL_PARTS.includes(part)) throw new SqlError(`Invalid interval part ${part}`, node.at);
  }
  if (to !== undefined) {
    if (isLiteral(value)) checkInterval(() => parseInterval(value.constant.text, from, to), node.at);
    const text = coerceOrFail(value, STRING, 'The value of an INTERVAL with TO', node.at);
    return typed(`js_interval_from_text_3(${text.sql}, ${stringLiteral(from)}, ${stringLiteral(to)})`, INTERVAL);
  }
  const count =
    isLiteral(value) && value.type.kind === 'STRING' && /^\s*[+-]?\d+\s*$/.test(value.constant.text)
      ? literalAs(value.constant.text.trim(), 'INT64', node.at)
      : coerceOrFail(value, INT64, 'The value of an INTERVAL', node.at);
  if (isLiteral(count)) checkInterval(() => intervalOf(BigInt(count.constant.text), from), node.at);
  return typed(`js_interval_of_2(${count.sql}, ${stringLiteral(from)})`, INTERVAL);
}

function checkInterval(read: () => unknown, at: number): void {
  try {
    read();
  } catch (error) {
    if (error instanceof ValueError) throw new SqlError(error.message, at);
    throw error;
  }
}

export function compileArray(node: ArrayLiteral, scope: Scope, context: CompileContext): Typed {
  const elements = node.elements.map((element) => context.expression(element, scope));
  if (node.elementType) {
    const { type } = resolveType(node.elementType);
    return arraySql(
      elements.map((element, index) => coerceOrFail(element, type, 'Array element', node.elements[index]?.at)),
      type,
    );
  }
  if (elements.length === 0) return { ...arraySql([], INT64), constant: { kind: 'constructor', parts: [] } };
  const { type, values } = unify(elements, 'an array constructor', node.at);
  if (type.kind === 'ARRAY')
    throw new SqlError(
      'Cannot construct array with element type ARRAY because nested arrays are not supported',
      node.at,
    );
  const parts = elements.every((element) => element.constant !== undefined) ? elements : undefined;
  return { ...arraySql(values, type), ...(parts && { constant: { kind: 'constructor', parts } }) };
}

/** The name that a path gives to a column or field it becomes. */
export function impliedName(node: StructLiteral['fields'][number]['value']): string {
  if (node.kind === 'path') return node.names.at(-1) ?? '';
  return node.kind === 'field' ? node.name : '';
}

export function compileStruct(node: StructLiteral, scope: Scope, context: CompileContext): Typed {
  const values = node.fields.map((field) => context.expression(field.value, scope));
  if (values.length === 0)
    throw new SqlError('A STRUCT without fields is not supported by this local BigQuery server', node.at);
  if (node.types) {
    if (node.types.length !== values.length)
      throw new SqlError(
        `STRUCT type has ${node.types.length} fields but constructor call has ${values.length} fields`,
        node.at,
      );
    const fields = node.types.map((field) => ({ name: field.name ?? '', type: resolveType(field.type).type }));
    const coerced = values.map((value, index) =>
      coerceOrFail(value, fields[index]?.type as Type, `Struct field ${index + 1}`, node.fields[index]?.value.at),
    );
    return structSql(coerced, structOf(fields));
  }
  const type = structOf(
    values.map((value, index) => ({
      name: node.fields[index]?.name ?? impliedStructName(node, index),
      type: value.type,
    })),
  );
  return { ...structSql(values, type), constant: { kind: 'constructor', parts: values } };
}

/** `STRUCT(x)` names its field x, `(x, y)` names none. */
function impliedStructName(node: StructLiteral, index: number): string {
  const field = node.fields[index];
  return field && !node.tuple ? impliedName(field.value) : '';
}

export function compileSubquery(node: Subquery, scope: Scope, context: CompileContext): Typed {
  const relation = context.query(node.query, scope);
  if (node.form === 'EXISTS') return typed(`EXISTS (${relation.sql})`, BOOL);
  const [column] = relation.columns;
  if (!column || relation.columns.length !== 1) {
    throw new SqlError(
      `${node.form === 'ARRAY' ? 'ARRAY' : 'Scalar'} subquery cannot have more than one column unless using SELECT AS STRUCT to build STRUCT values`,
      node.at,
    );
  }
  if (node.form === 'ARRAY') {
    if (column.type.kind === 'ARRAY')
      throw new SqlError(
        'Cannot use array subquery with column of type ARRAY because nested arrays are not supported',
        node.at,
      );
    return typed(
      `coalesce(ARRAY(${relation.sql}), CAST([] AS ${storedType(arrayOf(column.type))}))`,
      arrayOf(column.type),
    );
  }
  return typed(`(${relation.sql})`, column.type);
}
