/** GROUP BY: the keys, and the inner SELECT that computes keys and aggregates for the rest of the query to read. */
import type { Expression } from '../googlesql/ast/expression.ts';
import type { GroupBy } from '../googlesql/ast/query.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { isComparable, typeName } from '../types/type.ts';
import type { CompileContext } from './context.ts';
import { lookUpFrom, type Grouping, type Scope } from './scope.ts';
import { column, type Typed } from './typed.ts';
import { containsAggregate, containsWindow, spelling } from './walk.ts';

/** An item of the select list, as GROUP BY may refer to it: by position or by alias. */
export interface GroupableItem {
  readonly name: string;
  /** `undefined` for a column that `*` brought. */
  readonly node: Expression | undefined;
  readonly value: Typed | undefined;
  /** Written with AS, which wins over a column of the same name. */
  readonly aliased: boolean;
}

interface Key {
  readonly before: Typed;
  readonly node: Expression | undefined;
}

export interface Group {
  readonly grouping: Grouping;
  /** The inner SELECT, once everything that reads from it is compiled. */
  readonly sql: (from: string, where: string) => string;
}

function itemByPosition(node: Expression, items: readonly GroupableItem[]): GroupableItem | undefined {
  if (node.kind !== 'literal' || node.type !== 'INT64') return undefined;
  const item = items[Number(node.text) - 1];
  if (!item) throw new SqlError(`GROUP BY is out of SELECT column number range: ${node.text}`, node.at);
  return item;
}

function itemByAlias(node: Expression, items: readonly GroupableItem[], rows: Scope): GroupableItem | undefined {
  if (node.kind !== 'path' || node.names.length !== 1) return undefined;
  const name = (node.names[0] ?? '').toLowerCase();
  const matches = items.filter((item) => item.name.toLowerCase() === name);
  const [match] = matches.filter((item) => item.aliased);
  if (match) return match;
  // A column of FROM is itself; only where there is none does an implied name count (`SELECT t.x.y … GROUP BY y`).
  return lookUpFrom(rows.from, name, node.at) ? undefined : matches[0];
}

function keyOf(node: Expression, items: readonly GroupableItem[], rows: Scope, context: CompileContext): Key {
  const item = itemByPosition(node, items) ?? itemByAlias(node, items, rows);
  const target = item ? item.node : node;
  if (target && containsAggregate(target)) throw new SqlError('Aggregate function not allowed in GROUP BY', node.at);
  if (target && containsWindow(target)) throw new SqlError('Window function not allowed in GROUP BY', node.at);
  const before = target ? context.expression(target, rows) : (item?.value as Typed);
  if (!isComparable(before.type))
    throw new SqlError(`Grouping by expressions of type ${typeName(before.type)} is not allowed`, node.at);
  return { before, node: target };
}

/** GROUP BY ALL: every item that holds no aggregate and no window function. */
function allKeys(items: readonly GroupableItem[], rows: Scope, context: CompileContext): Key[] {
  return items
    .filter(
      (item) =>
        !item.node || !(containsAggregate(item.node) || containsWindow(item.node) || item.node.kind === 'literal'),
    )
    .map((item) => ({
      before: item.node ? context.expression(item.node, rows) : (item.value as Typed),
      node: item.node,
    }));
}

interface Keys {
  readonly keys: readonly Key[];
  /** For ROLLUP, CUBE and GROUPING SETS: indexes into `keys`. */
  readonly sets:
    | { readonly kind: 'ROLLUP' | 'CUBE'; readonly keys: readonly number[] }
    | { readonly kind: 'SETS'; readonly sets: readonly (readonly number[])[] }
    | undefined;
}

function collectKeys(
  groupBy: GroupBy | undefined,
  items: readonly GroupableItem[],
  rows: Scope,
  context: CompileContext,
): Keys {
  if (!groupBy) return { keys: [], sets: undefined };
  if (groupBy.kind === 'ALL') return { keys: allKeys(items, rows, context), sets: undefined };
  const keys: Key[] = [];
  const indexOf = (node: Expression): number => {
    const key = keyOf(node, items, rows, context);
    const known = keys.findIndex((other) => other.before.sql === key.before.sql);
    if (known >= 0) return known;
    return keys.push(key) - 1;
  };
  if (groupBy.kind === 'SETS')
    return { sets: { kind: 'SETS', sets: groupBy.sets.map((set) => set.map(indexOf)) }, keys };
  const indexes = groupBy.keys.map(indexOf);
  return { keys, sets: groupBy.kind === 'keys' ? undefined : { kind: groupBy.kind, keys: indexes } };
}

function groupByClause({ keys, sets }: Keys, written: boolean): string {
  if (!sets)
    return keys.length > 0
      ? ` GROUP BY ${keys.map((_, index) => index + 1).join(', ')}`
      : written
        ? ' GROUP BY ()'
        : '';
  const expression = (index: number) => (keys[index] as Key).before.sql;
  if (sets.kind === 'SETS')
    return ` GROUP BY GROUPING SETS (${sets.sets.map((set) => `(${set.map(expression).join(', ')})`).join(', ')})`;
  return ` GROUP BY ${sets.kind} (${sets.keys.map(expression).join(', ')})`;
}

export function compileGroup(
  groupBy: GroupBy | undefined,
  items: readonly GroupableItem[],
  rows: Scope,
  context: CompileContext,
): Group {
  const collected = collectKeys(groupBy, items, rows, context);
  const alias = context.uniqueName('g');
  const byNode = new Map<string, Typed>();
  const bySql = new Map<string, Typed>();
  collected.keys.forEach(({ before, node }, index) => {
    const after = column(`${alias}.k${index}`, before.type, before.jsonText ? { jsonText: true } : {});
    bySql.set(before.sql, after);
    if (node && node.kind !== 'literal') byNode.set(spelling(node), after);
  });
  const aggregates = new Map<string, string>();
  const grouping: Grouping = {
    rows,
    key: (before) => bySql.get(before.sql),
    // Only whole expressions are looked up by spelling; names resolve first, and are looked up by their SQL.
    keyOf: (node) =>
      node.kind === 'path' || node.kind === 'literal' || byNode.size === 0 ? undefined : byNode.get(spelling(node)),
    aggregate: (sql, value) => {
      const name = aggregates.get(sql) ?? `a${aggregates.size}`;
      aggregates.set(sql, name);
      return { ...column(`${alias}.${name}`, value.type), ...value };
    },
  };
  const sql = (from: string, where: string) => {
    const outputs = [
      ...collected.keys.map(({ before }, index) => `${before.sql} AS k${index}`),
      ...[...aggregates].map(([aggregate, name]) => `${aggregate} AS ${name}`),
    ];
    // A group of nothing but keys that are not read still has its rows.
    return `(SELECT ${outputs.length > 0 ? outputs.join(', ') : 'count(*) AS a0'}${from}${where}${groupByClause(collected, groupBy !== undefined)}) AS ${alias}`;
  };
  return { grouping, sql };
}
