/** Functions whose arguments or results follow rules of their own. */
import { SqlError } from '../googlesql/sql-error.ts';
import type { Call, Expression } from '../googlesql/ast/expression.ts';
import { localOf } from '../values/time-zone.ts';
import { dayOfMicros, timeOfMicros } from '../values/clock-time.ts';
import { parseJsonPath } from '../values/json-path.ts';
import { regexpGroups } from '../values/regexp-groups.ts';
import { ValueError } from '../values/value-error.ts';
import { FUNCTIONS_BY_NAME } from '../functions/index.ts';
import type { ScalarFunction } from '../functions/definition.ts';
import {
  BOOL,
  BYTES,
  DATE,
  DATETIME,
  INT64,
  STRING,
  TIME,
  TIMESTAMP,
  type Type,
  isOrderable,
  typeName,
  arrayOf,
} from '../types/type.ts';
import { castTo } from './cast.ts';
import { callOverload } from './call-overload.ts';
import { matchSignature, noMatch } from './call-signature.ts';
import { coerce, coerceOrFail } from './coerce.ts';
import { compare, unify } from './compare.ts';
import type { CompileContext } from './context.ts';
import { nullOf } from './literal.ts';
import type { Scope } from './scope.ts';
import { dateLiteral, datetimeLiteral, stringLiteral, timeLiteral } from './sql-text.ts';
import { isLiteral, isNull, type Typed, typed } from './typed.ts';

type Special = (node: Call, scope: Scope, context: CompileContext) => Typed;

function arity(node: Call, least: number, most = least): void {
  if (node.args.length >= least && node.args.length <= most && node.named.length === 0) return;
  const expected =
    least === most ? String(least) : most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`;
  throw new SqlError(
    `Number of arguments does not match for function ${node.name}: expected ${expected}, got ${node.args.length + node.named.length}`,
    node.at,
  );
}

function compileAll(nodes: readonly Expression[], scope: Scope, context: CompileContext): Typed[] {
  return nodes.map((node) => context.expression(node, scope));
}

const ifFunction: Special = (node, scope, context) => {
  arity(node, 3);
  const [condition, ...branches] = compileAll(node.args, scope, context) as [Typed, ...Typed[]];
  const test = coerceOrFail(condition, BOOL, 'The condition of IF', node.at);
  const { type, values } = unify(branches, 'function IF', node.at);
  return typed(`CASE WHEN ${test.sql} THEN ${values[0]?.sql} ELSE ${values[1]?.sql} END`, type);
};

const coalesce =
  (least: number, most: number): Special =>
  (node, scope, context) => {
    arity(node, least, most);
    const { type, values } = unify(compileAll(node.args, scope, context), `function ${node.name}`, node.at);
    return typed(`coalesce(${values.map((value) => value.sql).join(', ')})`, type);
  };

const nullIf: Special = (node, scope, context) => {
  arity(node, 2);
  const [left, right] = compileAll(node.args, scope, context) as [Typed, Typed];
  const { type, values } = unify([left, right], 'function NULLIF', node.at);
  const value = values[0] as Typed;
  return typed(
    `CASE WHEN ${compare('=', value, values[1] as Typed, node.at).sql} THEN NULL ELSE ${value.sql} END`,
    type,
  );
};

/** NULL as soon as one argument is NULL, NaN as soon as one is NaN. */
const extreme =
  (duck: 'greatest' | 'least'): Special =>
  (node, scope, context) => {
    arity(node, 1, Number.POSITIVE_INFINITY);
    const { type, values } = unify(compileAll(node.args, scope, context), `function ${node.name}`, node.at);
    if (!isOrderable(type))
      throw new SqlError(`${node.name} does not support arguments of type ${typeName(type)}`, node.at);
    const sqls = values.map((value) => value.sql);
    const isNullSql = sqls.map((sql) => `${sql} IS NULL`).join(' OR ');
    const nan =
      type.kind === 'FLOAT64'
        ? ` WHEN ${sqls.map((sql) => `isnan(${sql})`).join(' OR ')} THEN CAST('nan' AS DOUBLE)`
        : '';
    return typed(`CASE WHEN ${isNullSql} THEN NULL${nan} ELSE ${duck}(${sqls.join(', ')}) END`, type);
  };

/** Arguments of other types become STRINGs, unless all are BYTES. */
const concat: Special = (node, scope, context) => {
  arity(node, 1, Number.POSITIVE_INFINITY);
  const values = compileAll(node.args, scope, context);
  const bytes = values.some((value) => value.type.kind === 'BYTES');
  const type = bytes ? BYTES : STRING;
  const parts = values.map((value) =>
    bytes
      ? coerceOrFail(value, BYTES, 'An argument of CONCAT', node.at)
      : isNull(value)
        ? nullOf(STRING)
        : castTo(value, STRING, false, node.at),
  );
  return typed(parts.length === 1 ? (parts[0]?.sql ?? '') : `(${parts.map((part) => part.sql).join(' || ')})`, type);
};

const arrayConcat: Special = (node, scope, context) => {
  arity(node, 1, Number.POSITIVE_INFINITY);
  const { type, values } = unify(compileAll(node.args, scope, context), 'function ARRAY_CONCAT', node.at);
  if (type.kind !== 'ARRAY') throw new SqlError(`ARRAY_CONCAT takes arrays, not ${typeName(type)}`, node.at);
  return typed(
    values.length === 1 ? (values[0]?.sql ?? '') : `(${values.map((value) => value.sql).join(' || ')})`,
    type,
  );
};

const error: Special = (node, scope, context) => {
  arity(node, 1);
  const message = coerceOrFail(
    context.expression(node.args[0] as Expression, scope),
    STRING,
    'The argument of ERROR',
    node.at,
  );
  return { sql: `CAST(js_fail_1(${message.sql}) AS BIGINT)`, type: INT64, constant: { kind: 'error' } };
};

/** One instant for the whole statement, seen in UTC or in the zone named. */
function current(kind: 'DATE' | 'DATETIME' | 'TIME' | 'TIMESTAMP'): Special {
  return (node, scope, context) => {
    arity(node, 0, kind === 'TIMESTAMP' ? 0 : 1);
    if (kind === 'TIMESTAMP') return typed(datetimeLiteral(context.nowMicros), TIMESTAMP);
    const [argument] = node.args;
    const zone = argument && context.expression(argument, scope);
    const type: Type = { DATE, DATETIME, TIME }[kind];
    if (zone && !isLiteral(zone))
      return castTo(
        typed(datetimeLiteral(context.nowMicros), TIMESTAMP),
        type,
        false,
        node.at,
        coerceOrFail(zone, STRING, 'The time zone', node.at),
      );
    const local = guard(() => localOf(context.nowMicros, zone && isLiteral(zone) ? zone.constant.text : 'UTC'), node);
    const sql = {
      DATE: () => dateLiteral(dayOfMicros(local)),
      DATETIME: () => datetimeLiteral(local),
      TIME: () => timeLiteral(timeOfMicros(local)),
    }[kind]();
    return typed(sql, type);
  };
}

/** Turns what is wrong with a literal argument into an error of compilation. */
function guard<T>(compute: () => T, node: Call): T {
  try {
    return compute();
  } catch (problem) {
    if (problem instanceof ValueError) throw new SqlError(problem.message, node.at);
    throw problem;
  }
}

/** Groups of a pattern: counted now where it is a literal, else by a CASE over none and one. */
function withGroup(pattern: Typed, node: Call, sql: (group: 0 | 1) => string): string {
  if (isLiteral(pattern)) {
    const groups = regexpGroups(pattern.constant.text);
    if (groups > 1) throw new SqlError('Regular expression has more than 1 capturing group', node.at);
    return sql(groups === 1 ? 1 : 0);
  }
  return `CASE js_regexp_groups_1(${pattern.sql}) WHEN 0 THEN ${sql(0)} ELSE ${sql(1)} END`;
}

function regexpArguments(node: Call, scope: Scope, context: CompileContext, most: number): Typed[] {
  arity(node, 2, most);
  return compileAll(node.args, scope, context).map((value, index) => {
    const result = coerce(value, index < 2 ? STRING : INT64);
    if (!result)
      throw new SqlError(
        `No matching signature for function ${node.name}: argument ${index + 1} has type ${typeName(value.type)}`,
        node.at,
      );
    return result;
  });
}

function safely(node: Call, sql: string): string {
  return node.safe ? `TRY(${sql})` : sql;
}

const regexpExtract: Special = (node, scope, context) => {
  const [text, pattern, position, occurrence] = regexpArguments(node, scope, context, 4) as [
    Typed,
    Typed,
    Typed?,
    Typed?,
  ];
  const from = position ? `js_regexp_from_2(${text.sql}, ${position.sql})` : text.sql;
  const nth = occurrence ? `js_regexp_occurrence_1(${occurrence.sql})` : '1';
  return typed(
    safely(
      node,
      withGroup(
        pattern,
        node,
        (group) => `list_extract(regexp_extract_all(${from}, ${pattern.sql}, ${group}), ${nth})`,
      ),
    ),
    STRING,
  );
};

const regexpExtractAll: Special = (node, scope, context) => {
  const [text, pattern] = regexpArguments(node, scope, context, 2) as [Typed, Typed];
  return typed(
    safely(
      node,
      withGroup(pattern, node, (group) => `regexp_extract_all(${text.sql}, ${pattern.sql}, ${group})`),
    ),
    arrayOf(STRING),
  );
};

/** The prefix before the match is itself matched, lazily, and its length is the position. */
const regexpInstr: Special = (node, scope, context) => {
  const [text, pattern, position, occurrence, end] = regexpArguments(node, scope, context, 5) as [
    Typed,
    Typed,
    Typed?,
    Typed?,
    Typed?,
  ];
  if (isLiteral(pattern) && regexpGroups(pattern.constant.text) > 0)
    throw new SqlError('REGEXP_INSTR with a capturing group is not supported by this local BigQuery server', node.at);
  const from = position ? `js_regexp_from_2(${text.sql}, ${position.sql})` : text.sql;
  const nth = occurrence ? occurrence.sql : '1';
  const prefix = `'^((?:(?s:.)*?(?:' || ${pattern.sql} || ')){' || (${nth} - 1) || '}(?s:.)*?)(?:' || ${pattern.sql} || ')'`;
  const start = position ? `(${position.sql} - 1)` : '0';
  const whole = end
    ? `CASE WHEN ${end.sql} = 1 THEN length(regexp_extract(${from}, ${prefix}, 0)) ELSE length(regexp_extract(${from}, ${prefix}, 1)) END`
    : `length(regexp_extract(${from}, ${prefix}, 1))`;
  return typed(
    safely(
      node,
      `CASE WHEN regexp_matches(${from}, ${prefix}) THEN CAST(${start} + 1 + ${whole} AS BIGINT) WHEN ${text.sql} IS NULL OR ${pattern.sql} IS NULL THEN NULL ELSE 0 END`,
    ),
    INT64,
  );
};

/** Members of JSON objects and elements of JSON arrays that come out of UNNEST(JSON_QUERY_ARRAY(…)) are read from a flattened copy. */
function memberOf(value: Typed, path: Typed | undefined, style: 'standard' | 'legacy'): Typed | undefined {
  if (!value.members || !path || !isLiteral(path)) return undefined;
  const steps = parseJsonPath(path.constant.text, style);
  const [step] = steps;
  // A name of digits is a position in an array too, by rules that a pointer does not have.
  if (steps.length !== 1 || step === undefined || (typeof step === 'string' && /^\d+$/.test(step))) return undefined;
  const pointer = `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return typed(`json_extract_string(${value.members()}, ${stringLiteral(pointer)})`, STRING);
}

const jsonValue =
  (style: 'standard' | 'legacy'): Special =>
  (node, scope, context) => {
    const args = compileAll(node.args, scope, context);
    const [value, path] = args;
    const member = guard(() => (value && node.args.length === 2 ? memberOf(value, path, style) : undefined), node);
    if (member) return member;
    if (path && isLiteral(path)) guard(() => parseJsonPath(path.constant.text, style), node);
    const definition = FUNCTIONS_BY_NAME.get(node.name) as ScalarFunction;
    const argumentList = args.map((arg, index) => ({ node: node.args[index] as Expression, value: () => arg }));
    const overload = definition.overloads.find((candidate) => matchSignature(candidate.signature, argumentList));
    const match = overload && matchSignature(overload.signature, argumentList);
    if (!overload || !match)
      throw noMatch(
        node,
        definition.overloads.map((candidate) => candidate.signature),
        argumentList,
      );
    return callOverload(overload, match.args, match.result, node.safe);
  };

const sessionUser: Special = (node, _, context) => {
  arity(node, 0);
  return typed(stringLiteral(context.sessionUser), STRING);
};

export const SPECIAL_FUNCTIONS: ReadonlyMap<string, Special> = new Map<string, Special>([
  ['IF', ifFunction],
  ['COALESCE', coalesce(1, Number.POSITIVE_INFINITY)],
  ['IFNULL', coalesce(2, 2)],
  ['NULLIF', nullIf],
  ['GREATEST', extreme('greatest')],
  ['LEAST', extreme('least')],
  ['CONCAT', concat],
  ['ARRAY_CONCAT', arrayConcat],
  ['ERROR', error],
  ['CURRENT_DATE', current('DATE')],
  ['CURRENT_DATETIME', current('DATETIME')],
  ['CURRENT_TIME', current('TIME')],
  ['CURRENT_TIMESTAMP', current('TIMESTAMP')],
  ['REGEXP_EXTRACT', regexpExtract],
  ['REGEXP_SUBSTR', regexpExtract],
  ['REGEXP_EXTRACT_ALL', regexpExtractAll],
  ['REGEXP_INSTR', regexpInstr],
  ['JSON_VALUE', jsonValue('standard')],
  ['JSON_EXTRACT_SCALAR', jsonValue('legacy')],
  ['SESSION_USER', sessionUser],
]);
