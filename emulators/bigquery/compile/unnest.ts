/**
 * UNNEST in FROM. An array that belongs to the rows before it is unnested beside them, in one SELECT: rows come out in their
 * order and the array's, as people expect of `FROM t, UNNEST(t.items)`, which a join would not keep.
 */
import type { Expression } from '../googlesql/ast/expression.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { storedType } from '../types/storage.ts';
import { INT64, typeName } from '../types/type.ts';
import type { CompileContext } from './context.ts';
import type { FromScope, Scope } from './scope.ts';
import { column, type Typed } from './typed.ts';
import { valueScope } from './value-scope.ts';

/** The rows before: their SQL behind FROM, and the aliases in it. */
export interface LeftRows {
  readonly sql: string;
  readonly aliases: readonly string[];
}

export interface Unnest {
  readonly scope: FromScope;
  readonly alias: string;
  /** SQL behind FROM, of the elements alone. May name columns of items to the left. */
  readonly alone: () => string;
  /** SQL behind FROM, of the rows before with an element each; `keepEmpty` keeps rows whose array is empty or NULL. */
  readonly beside: (left: LeftRows, keepEmpty: boolean) => string;
}

export interface UnnestSource {
  readonly array: Expression;
  readonly name: string | undefined;
  /** The name of WITH OFFSET, where it is written. */
  readonly offset: string | undefined;
  readonly at: number;
}

function elements(array: Typed, withOffset: boolean, keepEmpty: boolean): readonly string[] {
  const empty = `coalesce(len(${array.sql}), 0) = 0`;
  const list = keepEmpty
    ? `CASE WHEN ${empty} THEN CAST([NULL] AS ${storedType(array.type)}) ELSE ${array.sql} END`
    : array.sql;
  const value = `unnest(${list}) AS c0`;
  if (!withOffset) return [value];
  const position = `CAST(generate_subscripts(${list}, 1) - 1 AS BIGINT)`;
  return [value, keepEmpty ? `CASE WHEN ${empty} THEN NULL ELSE ${position} END AS c1` : `${position} AS c1`];
}

export function compileUnnest(source: UnnestSource, scope: Scope, context: CompileContext): Unnest {
  const array = context.expression(source.array, scope);
  if (array.type.kind !== 'ARRAY') {
    throw new SqlError(
      `Values referenced in UNNEST must be arrays. UNNEST contains expression of type ${typeName(array.type)}`,
      source.at,
    );
  }
  const alias = context.uniqueName('u');
  const inner = context.uniqueName('a');
  const withOffset = source.offset !== undefined;
  let flattened = false;
  const members = () => {
    flattened = true;
    return `${alias}.m0`;
  };
  const isJson = array.jsonText === true && array.type.element.kind === 'STRING';
  const values = valueScope(
    column(`${alias}.c0`, array.type.element, isJson ? { jsonText: true, members } : {}),
    source.name,
  );
  const position = { name: source.offset ?? '', value: column(`${alias}.c1`, INT64) };
  const finish = (select: string) =>
    `(${flattened ? `SELECT e.*, js_json_flatten_scalars_1(e.c0) AS m0 FROM (${select}) AS e` : select}) AS ${alias}`;
  // What is used twice is computed once, in a SELECT of its own.
  const select = (before: readonly string[], from: string, keepEmpty: boolean) => {
    const once = array.atomic || !(withOffset || keepEmpty);
    if (once) return `SELECT ${[...before, ...elements(array, withOffset, keepEmpty)].join(', ')}${from}`;
    const named = { ...array, sql: `${inner}.a` };
    const kept = before.map((name) => `${inner}.${name}`);
    return `SELECT ${[...kept, ...elements(named, withOffset, keepEmpty)].join(', ')} FROM (SELECT ${[...before, `${array.sql} AS a`].join(', ')}${from}) AS ${inner}`;
  };
  return {
    scope: withOffset ? { ranges: values.ranges, columns: [...values.columns, position] } : values,
    alias,
    alone: () => finish(select([], '', false)),
    beside: (left, keepEmpty) => finish(select(left.aliases, ` FROM ${left.sql}`, keepEmpty)),
  };
}
