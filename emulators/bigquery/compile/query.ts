/** Queries: WITH, set operations, ORDER BY and LIMIT around them. */
import type { Expression, OrderItem } from '../googlesql/ast/expression.ts';
import type { CommonTable, Query, QueryBody, SetOperation } from '../googlesql/ast/query.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { INT64, isComparable, typeName } from '../types/type.ts';
import { coerce, coerceOrFail, commonType } from './coerce.ts';
import { orderKeys } from './compare.ts';
import type { CommonTableEntry, OutputColumn, Relation } from './context.ts';
import type { FromContext } from './from.ts';
import { EMPTY_FROM, type Scope } from './scope.ts';
import { compileSelect, type Ordering } from './select.ts';
import { column, type Typed } from './typed.ts';

const NO_ORDER: Ordering = { orderBy: [], limit: '' };

function emptyScope({ outer, commonTables }: FromContext, clause: string): Scope {
  return { from: EMPTY_FROM, clause, windows: false, commonTables, ...(outer && { outer }) };
}

function limitOperand(node: Expression, word: string, around: FromContext): string {
  if (node.kind === 'literal' && node.text.startsWith('-'))
    throw new SqlError(`${word} expects a non-negative integer literal or parameter`, node.at);
  if (node.kind !== 'literal' && node.kind !== 'parameter' && node.kind !== 'cast')
    throw new SqlError(`${word} expects an integer literal or parameter`, node.at);
  return coerceOrFail(around.context.expression(node, emptyScope(around, word)), INT64, word, node.at).sql;
}

function limitSql(query: Query, around: FromContext): string {
  if (!query.limit) return '';
  const limit = ` LIMIT ${limitOperand(query.limit, 'LIMIT', around)}`;
  return query.offset ? `${limit} OFFSET ${limitOperand(query.offset, 'OFFSET', around)}` : limit;
}

/** Columns of a relation, as values: a constant column may convert as its constant does. */
function values(relation: Relation, alias: string): Typed[] {
  return relation.columns.map((item) => ({
    ...column(`${alias}.${item.sql}`, item.type),
    ...(item.constant && { constant: item.constant }),
  }));
}

function compileSet(node: SetOperation, around: FromContext): Relation {
  const operands = node.operands.map((body) => compileBody(body, NO_ORDER, around));
  const [first] = operands as [Relation, ...Relation[]];
  const aliases = operands.map(() => around.context.uniqueName('s'));
  for (const operand of operands) {
    if (operand.columns.length !== first.columns.length) {
      throw new SqlError(
        `Queries in ${node.operator} have mismatched column count; query 1 has ${first.columns.length} columns, query ${operands.indexOf(operand) + 1} has ${operand.columns.length} columns`,
        node.at,
      );
    }
  }
  const rows = operands.map((operand) => operand.row);
  const columnValues = operands.map((operand, index) => rows[index] ?? values(operand, aliases[index] ?? ''));
  const types = first.columns.map((item, index) => {
    const type = commonType(columnValues.map((list) => list[index] as Typed));
    if (!type)
      throw new SqlError(
        `Column ${index + 1} in ${node.operator} has incompatible types: ${columnValues.map((list) => typeName((list[index] as Typed).type)).join(', ')}`,
        node.at,
      );
    if (node.operator !== 'UNION ALL' && !isComparable(type))
      throw new SqlError(`Column ${item.name} of type ${typeName(type)} cannot be used in ${node.operator}`, node.at);
    return type;
  });
  const lists = operands.map((_, operand) =>
    types.map((type, index) => coerce(columnValues[operand]?.[index] as Typed, type)?.sql ?? ''),
  );
  const columns = first.columns.map((item, index) => ({
    name: item.name,
    type: types[index] as OutputColumn['type'],
    sql: `c${index}`,
  }));
  const result = { columns, valueTable: first.valueTable };
  if (node.operator === 'UNION ALL' && rows.every((row) => row !== undefined))
    return { ...result, sql: rowsSql(lists, around) };
  const parts = operands.map((operand, index) => {
    const list = lists[index]?.map((sql, column) => `${sql} AS c${column}`).join(', ');
    return rows[index] ? `(SELECT ${list})` : `(SELECT ${list} FROM (${operand.sql}) AS ${aliases[index]})`;
  });
  return { ...result, sql: parts.join(` ${node.operator.replace(' DISTINCT', '')} `) };
}

/** `SELECT 1 UNION ALL SELECT 2 …`: one list of rows, which keeps its order. */
function rowsSql(rows: readonly (readonly string[])[], { context }: FromContext): string {
  const alias = context.uniqueName('r');
  const names = (rows[0] ?? []).map((_, index) => `c${index}`).join(', ');
  return `SELECT * FROM (VALUES ${rows.map((row) => `(${row.join(', ')})`).join(', ')}) AS ${alias}(${names})`;
}

/** ORDER BY over a finished relation, whose columns it may name or number. */
function ordered(relation: Relation, orderBy: readonly OrderItem[], limit: string, around: FromContext): Relation {
  if (orderBy.length === 0 && limit === '') return relation;
  const alias = around.context.uniqueName('o');
  const columns = relation.columns.map((item) => ({
    name: item.name,
    value: column(`${alias}.${item.sql}`, item.type),
  }));
  const scope: Scope = { ...emptyScope(around, 'ORDER BY'), from: { columns, ranges: [] } };
  const keys = orderBy.map((item) => {
    const { value: node } = item;
    const numbered = node.kind === 'literal' && node.type === 'INT64' ? columns[Number(node.text) - 1] : undefined;
    if (node.kind === 'literal' && node.type === 'INT64' && !numbered)
      throw new SqlError(`ORDER BY column number item is out of range: ${node.text}`, node.at);
    return orderKeys(
      numbered?.value ?? around.context.expression(node, scope),
      item.descending,
      item.nullsFirst,
      node.at,
    );
  });
  const list = relation.columns.map((item) => `${alias}.${item.sql} AS ${item.sql}`).join(', ');
  const orderClause = keys.length > 0 ? ` ORDER BY ${keys.join(', ')}` : '';
  return { ...relation, sql: `SELECT ${list} FROM (${relation.sql}) AS ${alias}${orderClause}${limit}` };
}

function compileBody(body: QueryBody, ordering: Ordering, around: FromContext): Relation {
  if (body.kind === 'select') return compileSelect(body, ordering, around);
  const relation = body.kind === 'set' ? compileSet(body, around) : compileQuery(body, around);
  return ordered(relation, ordering.orderBy, ordering.limit, around);
}

interface WithResult {
  readonly entry: CommonTableEntry;
  /** `name AS (…)`. */
  readonly sql: string;
}

function plainTable(table: CommonTable, around: FromContext): WithResult {
  const relation = compileQuery(table.query, around);
  const sqlName = around.context.uniqueName('w');
  return {
    entry: { sqlName, columns: relation.columns, valueTable: relation.valueTable },
    sql: `${sqlName} AS (${relation.sql})`,
  };
}

/** True when a query reads a table of that name anywhere in it. */
function mentions(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, name));
  if (typeof value !== 'object' || value === null) return false;
  const node = value as { readonly kind?: string; readonly path?: readonly string[] };
  if (node.kind === 'table' && node.path?.length === 1 && node.path[0]?.toLowerCase() === name) return true;
  return Object.values(node).some((part) => mentions(part, name));
}

/** A table that reads itself: the first operand is where it begins, the last is run on what the round before brought. */
function recursiveTable(table: CommonTable, around: FromContext): WithResult {
  const { body } = table.query;
  if (
    body.kind !== 'set' ||
    (body.operator !== 'UNION ALL' && body.operator !== 'UNION DISTINCT') ||
    table.query.orderBy.length > 0 ||
    table.query.limit
  ) {
    throw new SqlError(
      `Recursive query ${table.name} must be a UNION of a non-recursive and a recursive term`,
      table.at,
    );
  }
  const last = body.operands.at(-1) as QueryBody;
  const firsts = body.operands.slice(0, -1);
  const base =
    firsts.length === 1
      ? compileBody(firsts[0] as QueryBody, NO_ORDER, around)
      : compileSet({ ...body, operands: firsts }, around);
  const sqlName = around.context.uniqueName('w');
  const columns = base.columns.map(({ constant: _, ...item }) => item);
  const entry: CommonTableEntry = { sqlName, columns, valueTable: base.valueTable };
  const step = compileBody(last, NO_ORDER, {
    ...around,
    commonTables: new Map([...around.commonTables, [table.name.toLowerCase(), entry]]),
  });
  if (step.columns.length !== columns.length)
    throw new SqlError(`The terms of recursive query ${table.name} have different numbers of columns`, table.at);
  const alias = around.context.uniqueName('s');
  const list = columns.map(
    (item, index) =>
      `${coerceOrFail(values(step, alias)[index] as Typed, item.type, `Column ${index + 1} of the recursive term`, table.at).sql} AS ${item.sql}`,
  );
  const operator = body.operator.replace(' DISTINCT', '');
  return {
    entry,
    sql: `${sqlName} AS ((${base.sql}) ${operator} (SELECT ${list.join(', ')} FROM (${step.sql}) AS ${alias}))`,
  };
}

export function compileQuery(query: Query, around: FromContext): Relation {
  const tables = new Map(around.commonTables);
  const definitions: string[] = [];
  let recursive = false;
  for (const table of query.with) {
    const name = table.name.toLowerCase();
    if (query.with.some((other) => other !== table && other.name.toLowerCase() === name))
      throw new SqlError(`Duplicate alias ${table.name} for WITH subquery`, table.at);
    const self = query.recursive && mentions(table.query, name);
    recursive ||= self;
    const inner = { ...around, commonTables: new Map(tables) };
    const { entry, sql } = self ? recursiveTable(table, inner) : plainTable(table, inner);
    tables.set(name, entry);
    definitions.push(sql);
  }
  const inside = { ...around, commonTables: tables };
  const relation = compileBody(query.body, { orderBy: query.orderBy, limit: limitSql(query, inside) }, inside);
  if (definitions.length === 0) return relation;
  return { ...relation, sql: `WITH ${recursive ? 'RECURSIVE ' : ''}${definitions.join(', ')} ${relation.sql}` };
}
