/** The FROM clause: what it brings into scope, and its SQL. */
import type { FromItem, Join, TableReference } from '../googlesql/ast/query.ts';
import type { Expression } from '../googlesql/ast/expression.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { BOOL, DATE, TIMESTAMP } from '../types/type.ts';
import { fieldType, fullName, type TableResource } from '../catalog/table.ts';
import { coerceOrFail, structSql } from './coerce.ts';
import { compare, unify } from './compare.ts';
import type { CommonTableEntry, CompileContext, OutputColumn, Relation } from './context.ts';
import { compilePivot, compileUnpivot } from './pivot.ts';
import { type Column, EMPTY_FROM, type FromScope, lookUpFrom, type Range, type Scope } from './scope.ts';
import { identifier } from './sql-text.ts';
import { column, type Typed, typed } from './typed.ts';
import { compileUnnest, type Unnest, type UnnestSource } from './unnest.ts';
import { valueScope } from './value-scope.ts';

export interface FromResult {
  /** SQL behind FROM. A function, since a source may gain columns while the rest of the query is compiled. */
  readonly sql: () => string;
  /** The aliases that the SQL gives. */
  readonly aliases: readonly string[];
  readonly scope: FromScope;
  /** Set for an array, whose SQL may name columns of the items to its left. */
  readonly unnest?: Unnest;
}

/** What surrounds a FROM clause: the query it is in, and the WITH tables it can see. */
export interface FromContext {
  readonly outer: Scope | undefined;
  readonly commonTables: ReadonlyMap<string, CommonTableEntry>;
  readonly context: CompileContext;
}

function scopeOver(from: FromScope, { outer, commonTables }: FromContext, clause: string): Scope {
  return { from, clause, windows: false, commonTables, ...(outer && { outer }) };
}

function rowOf(columns: readonly Column[]): Typed {
  return structSql(
    columns.map((item) => item.value),
    { kind: 'STRUCT', fields: columns.map((item) => ({ name: item.name, type: item.value.type })) },
  );
}

/** What a relation under an alias brings: columns, and a range when the alias is the query's own. */
function relationScope(
  alias: string,
  name: string | undefined,
  columns: readonly OutputColumn[],
  valueTable: boolean,
): FromScope {
  const values = columns.map((item) => ({
    name: item.name,
    value: column(`${alias}.${item.sql}`, item.type, item.jsonText ? { jsonText: true } : {}),
  }));
  const [single] = values;
  if (valueTable && single) return valueScope(single.value, name);
  return {
    columns: values,
    ranges: name === undefined ? [] : [{ name, columns: values, pseudo: [], row: () => rowOf(values) }],
  };
}

function relationResult(relation: Relation, name: string | undefined, context: CompileContext): FromResult {
  const alias = context.uniqueName('t');
  return {
    sql: () => `(${relation.sql}) AS ${alias}`,
    aliases: [alias],
    scope: relationScope(alias, name, relation.columns, relation.valueTable),
  };
}

function tableResult(table: TableResource, name: string, context: CompileContext): FromResult {
  context.reads.set(fullName(table.reference), table);
  const alias = context.uniqueName('t');
  const columns = table.fields.map((item) => ({
    name: item.name,
    value: column(`${alias}.${identifier(item.name)}`, fieldType(item)),
  }));
  const range: Range = { name, columns, pseudo: pseudoColumns(table, alias), row: () => rowOf(columns) };
  return {
    sql: () => `${identifier(table.storage.schema)}.${identifier(table.storage.table)} AS ${alias}`,
    aliases: [alias],
    scope: { columns, ranges: [range] },
  };
}

/** Tables partitioned by the time rows come in have two columns that `*` leaves out. */
function pseudoColumns(table: TableResource, alias: string): Column[] {
  if (!table.timePartitioning || table.timePartitioning.field !== undefined) return [];
  const time = `${alias}.${identifier('_PARTITIONTIME')}`;
  return [
    { name: '_PARTITIONTIME', value: column(time, TIMESTAMP) },
    { name: '_PARTITIONDATE', value: typed(`CAST(${time} AS DATE)`, DATE) },
  ];
}

/** True when a path names an array inside an item to the left, or inside the query around. */
function isArrayPath(item: TableReference, left: FromScope, { outer }: FromContext): boolean {
  const [first = ''] = item.path;
  if (item.path.length < 2) return false;
  if (lookUpFrom(left, first, item.at)?.kind === 'range') return true;
  for (let scope = outer; scope; scope = scope.outer) {
    if (lookUpFrom(scope.from, first, item.at)?.kind === 'range') return true;
  }
  return false;
}

function compileTable(item: TableReference, left: FromScope, around: FromContext): FromResult {
  const { context, commonTables } = around;
  const [first = ''] = item.path;
  const commonTable = item.path.length === 1 ? commonTables.get(first.toLowerCase()) : undefined;
  if (commonTable) {
    const alias = context.uniqueName('t');
    return {
      sql: () => `${commonTable.sqlName} AS ${alias}`,
      aliases: [alias],
      scope: relationScope(alias, item.alias ?? first, commonTable.columns, commonTable.valueTable),
    };
  }
  if (isArrayPath(item, left, around)) {
    const array: Expression = { kind: 'path', names: item.path, at: item.at };
    return unnestResult(
      { array, name: item.alias ?? item.path.at(-1), offset: item.offset, at: item.at },
      left,
      around,
    );
  }
  if (item.offset !== undefined) throw new SqlError('WITH OFFSET can only be used with array scans', item.at);
  const information = context.tables.informationSchema(item.path, item.at);
  if (information) return relationResult(information, item.alias ?? item.path.at(-1), context);
  const table = context.tables.table(item.path, item.at);
  const name = item.alias ?? item.path.at(-1) ?? '';
  return table.kind === 'VIEW'
    ? relationResult(context.view(table, item.at), name, context)
    : tableResult(table, name, context);
}

function unnestResult(source: UnnestSource, left: FromScope, around: FromContext): FromResult {
  const unnest = compileUnnest(source, scopeOver(left, around, 'UNNEST'), around.context);
  return { sql: unnest.alone, aliases: [unnest.alias], scope: unnest.scope, unnest };
}

function checkRanges(ranges: readonly Range[], at: number): void {
  const seen = new Set<string>();
  for (const { name } of ranges) {
    const lower = name.toLowerCase();
    if (seen.has(lower)) throw new SqlError(`Duplicate table alias ${name} in the same FROM clause`, at);
    seen.add(lower);
  }
}

function usingColumns(
  node: Join,
  left: FromScope,
  right: FromScope,
): { readonly on: string; readonly columns: readonly Column[] } {
  const names = (node.using ?? []).map((name) => name.toLowerCase());
  const merged = (node.using ?? []).map((name) => {
    const sides = [left, right].map((side) => {
      const found = side.columns.filter((item) => item.name.toLowerCase() === name.toLowerCase());
      if (found.length === 0)
        throw new SqlError(
          `Column ${name} in USING clause not found on ${side === left ? 'left' : 'right'} side of join`,
          node.at,
        );
      if (found.length > 1)
        throw new SqlError(
          `Column ${name} in USING clause is ambiguous on ${side === left ? 'left' : 'right'} side of join`,
          node.at,
        );
      return (found[0] as Column).value;
    }) as [Typed, Typed];
    const [a, b] = sides;
    const { type, values } = unify(sides, 'operator =', node.at);
    const value =
      node.type === 'FULL'
        ? typed(`coalesce(${values.map((item) => item.sql).join(', ')})`, type)
        : node.type === 'RIGHT'
          ? b
          : a;
    return { on: compare('=', a, b, node.at).sql, column: { name, value } };
  });
  const rest = (side: FromScope) => side.columns.filter((item) => !names.includes(item.name.toLowerCase()));
  return {
    on: merged.map((item) => item.on).join(' AND '),
    columns: [...merged.map((item) => item.column), ...rest(left), ...rest(right)],
  };
}

/** An array beside the rows before it; `undefined` where only a join will do. */
function besideLeft(
  node: Join,
  left: FromResult,
  right: FromResult,
  on: string | undefined,
): (() => string) | undefined {
  const { unnest } = right;
  if (!unnest || node.type === 'RIGHT' || node.type === 'FULL') return undefined;
  if (on !== undefined && node.type === 'LEFT') return undefined;
  return () => {
    const rows = unnest.beside({ sql: left.sql(), aliases: left.aliases }, node.type === 'LEFT');
    return on === undefined ? rows : `(SELECT ${unnest.alias}.* FROM ${rows} WHERE ${on}) AS ${unnest.alias}`;
  };
}

function joinSql(node: Join, left: FromResult, right: FromResult, on: string | undefined): () => string {
  const beside = besideLeft(node, left, right, on);
  if (beside) return beside;
  const lateral = right.unnest && node.type !== 'RIGHT' && node.type !== 'FULL' ? 'LATERAL ' : '';
  return () =>
    `${left.sql()} ${node.type} JOIN ${lateral}${right.sql()}${node.type === 'CROSS' ? '' : ` ON ${on ?? 'TRUE'}`}`;
}

/** The condition of ON; `undefined` where there is none, or it is plainly true. */
function onCondition(node: Join, scope: FromScope, around: FromContext): string | undefined {
  if (!node.on || (node.on.kind === 'literal' && node.on.type === 'BOOL' && node.on.text === 'true')) return undefined;
  const value = around.context.expression(node.on, scopeOver(scope, around, 'the ON clause of a JOIN'));
  return coerceOrFail(value, BOOL, 'The JOIN condition', node.on.at).sql;
}

function compileJoin(node: Join, before: FromScope, around: FromContext): FromResult {
  const left = compileFromItem(node.left, before, around);
  const outerJoin = node.type === 'RIGHT' || node.type === 'FULL';
  const visible: FromScope = outerJoin
    ? before
    : { ranges: [...before.ranges, ...left.scope.ranges], columns: [...before.columns, ...left.scope.columns] };
  const right = compileFromItem(node.right, visible, around);
  const ranges = [...left.scope.ranges, ...right.scope.ranges];
  checkRanges(ranges, node.at);
  const aliases = [...left.aliases, ...right.aliases];
  if (node.using) {
    const using = usingColumns(node, left.scope, right.scope);
    return { sql: joinSql(node, left, right, using.on), aliases, scope: { ranges, columns: using.columns } };
  }
  if (node.type !== 'CROSS' && !node.on && !right.unnest)
    throw new SqlError(`Expected an ON or USING clause after ${node.type} JOIN`, node.at);
  const scope: FromScope = { ranges, columns: [...left.scope.columns, ...right.scope.columns] };
  return { sql: joinSql(node, left, right, onCondition(node, scope, around)), aliases, scope };
}

/** Compiles one item. `left` is what stands before it in the same clause, which arrays may refer to. */
export function compileFromItem(item: FromItem, left: FromScope, around: FromContext): FromResult {
  const { context } = around;
  switch (item.kind) {
    case 'table':
      return compileTable(item, left, around);
    case 'subquery':
      return relationResult(
        context.query(item.query, { ...scopeOver(EMPTY_FROM, around, 'a subquery') }),
        item.alias,
        context,
      );
    case 'unnest':
      return unnestResult({ array: item.array, name: item.alias, offset: item.offset, at: item.at }, left, around);
    case 'parenthesized': {
      const inner = compileFromItem(item.item, EMPTY_FROM, around);
      return { ...inner, sql: () => (item.item.kind === 'join' ? `(${inner.sql()})` : inner.sql()) };
    }
    case 'join':
      return compileJoin(item, left, around);
    case 'pivot':
      return relationResult(compilePivot(item, compileFromItem(item.input, left, around), around), item.alias, context);
    case 'unpivot':
      return relationResult(
        compileUnpivot(item, compileFromItem(item.input, left, around), around),
        item.alias,
        context,
      );
  }
}

export function compileFrom(item: FromItem | undefined, around: FromContext): FromResult {
  return item ? compileFromItem(item, EMPTY_FROM, around) : { sql: () => '', aliases: [], scope: EMPTY_FROM };
}
