/** One SELECT, with the ORDER BY and LIMIT of the query it is the body of. */
import type { Expression, OrderItem } from '../googlesql/ast/expression.ts';
import type { Select, SelectItem } from '../googlesql/ast/query.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { BOOL, isComparable, typeName } from '../types/type.ts';
import { coerceOrFail, structSql } from './coerce.ts';
import { orderKeys } from './compare.ts';
import type { OutputColumn, Relation } from './context.ts';
import { compileFrom, type FromContext } from './from.ts';
import { impliedName } from './forms.ts';
import { compileGroup, type Group, type GroupableItem } from './grouping.ts';
import { expandStar } from './star.ts';
import type { Scope } from './scope.ts';
import { type Typed, typed } from './typed.ts';
import { containsAggregate, containsWindow } from './walk.ts';

/** What stands behind the SELECT and belongs to its rows. */
export interface Ordering {
  readonly orderBy: readonly OrderItem[];
  /** ` LIMIT … OFFSET …`, compiled. */
  readonly limit: string;
}

interface Output {
  readonly name: string;
  readonly value: Typed;
}

function listItems(select: Select, rows: Scope, around: FromContext): GroupableItem[] {
  return select.items.flatMap((item: SelectItem): GroupableItem[] => {
    if (item.kind === 'star')
      return expandStar(item, rows, around.context).map(({ name, node, value }) => ({
        name,
        node,
        value,
        aliased: false,
      }));
    return [
      {
        name: item.alias ?? impliedName(item.value),
        node: item.value,
        value: undefined,
        aliased: item.alias !== undefined,
      },
    ];
  });
}

function isGrouped(select: Select, items: readonly GroupableItem[], orderBy: readonly OrderItem[]): boolean {
  if (select.groupBy) return true;
  const nodes: (Expression | undefined)[] = [
    ...items.map((item) => item.node),
    select.having,
    select.qualify,
    ...orderBy.map((item) => item.value),
  ];
  return select.having !== undefined || nodes.some((node) => node && containsAggregate(node));
}

/** A star's column after GROUP BY must be a key. */
function starOutput(item: GroupableItem, group: Group | undefined, at: number): Typed {
  const value = item.value as Typed;
  const after = group ? group.grouping.key(value) : value;
  if (!after)
    throw new SqlError(
      `Star expansion expression references column ${item.name} which is neither grouped nor aggregated`,
      at,
    );
  return after;
}

function aliasMap(outputs: readonly Output[]): Map<string, Typed> {
  const aliases = new Map<string, Typed>();
  for (const { name, value } of outputs) {
    const lower = name.toLowerCase();
    if (name !== '' && !aliases.has(lower)) aliases.set(lower, value);
  }
  return aliases;
}

function condition(node: Expression, scope: Scope, around: FromContext): string {
  return coerceOrFail(around.context.expression(node, scope), BOOL, `${scope.clause}`, node.at).sql;
}

/** What ORDER BY sorts by: a column of the list, or one more that the list gains for it. */
interface OrderKey {
  readonly item: OrderItem;
  readonly value: Typed;
  /** The key's column in the SELECT that is sorted. */
  readonly column: string;
  readonly hidden: boolean;
}

function orderKey(
  item: OrderItem,
  index: number,
  outputs: readonly Output[],
  scope: Scope,
  distinct: boolean,
  around: FromContext,
): OrderKey {
  const { value: node } = item;
  if (node.kind === 'literal' && node.type === 'INT64') {
    const position = Number(node.text) - 1;
    const output = outputs[position];
    if (!output) throw new SqlError(`ORDER BY column number item is out of range: ${node.text}`, node.at);
    return { item, value: output.value, column: `c${position}`, hidden: false };
  }
  const value = around.context.expression(node, scope);
  const position = outputs.findIndex((output) => output.value.sql === value.sql);
  if (position >= 0) return { item, value, column: `c${position}`, hidden: false };
  if (distinct)
    throw new SqlError('ORDER BY expression references a column that is not visible after SELECT DISTINCT', node.at);
  return { item, value, column: `o${index}`, hidden: true };
}

/** Sorts a finished SELECT by its columns; hidden ones are dropped. */
function sorted(
  select: string,
  columns: number,
  keys: readonly OrderKey[],
  limit: string,
  around: FromContext,
): string {
  if (keys.length === 0) return select + limit;
  const alias = around.context.uniqueName('o');
  const list = Array.from({ length: columns }, (_, index) => `${alias}.c${index} AS c${index}`).join(', ');
  const order = keys.map(({ item, value, column }) =>
    orderKeys(typed(`${alias}.${column}`, value.type), item.descending, item.nullsFirst, item.value.at),
  );
  return `SELECT ${list} FROM (${select}) AS ${alias} ORDER BY ${order.join(', ')}${limit}`;
}

/** SELECT AS STRUCT makes one STRUCT of the columns, AS VALUE takes the one column as the row. */
function asValueTable(select: Select, outputs: readonly Output[]): readonly Output[] {
  if (select.as === 'STRUCT') {
    const type = { kind: 'STRUCT' as const, fields: outputs.map(({ name, value }) => ({ name, type: value.type })) };
    return [
      {
        name: '',
        value: structSql(
          outputs.map(({ value }) => value),
          type,
        ),
      },
    ];
  }
  if (outputs.length !== 1) throw new SqlError('SELECT AS VALUE query must have exactly one column', select.at);
  return [{ name: '', value: (outputs[0] as Output).value }];
}

export function compileSelect(select: Select, ordering: Ordering, around: FromContext): Relation {
  const { context, outer, commonTables } = around;
  const from = compileFrom(select.from, around);
  const base: Scope = {
    from: from.scope,
    clause: 'WHERE clause',
    windows: false,
    commonTables,
    ...(outer && { outer }),
  };
  checkFromless(select);
  const where = select.where && condition(select.where, base, around);
  const items = listItems(select, base, around);
  const grouped = isGrouped(select, items, ordering.orderBy);
  const group = grouped ? compileGroup(select.groupBy, items, { ...base, clause: 'GROUP BY' }, context) : undefined;
  const listScope: Scope = {
    ...base,
    clause: 'SELECT list',
    windows: true,
    namedWindows: select.windows,
    ...(group && { grouping: group.grouping }),
  };
  const outputs = items.map(
    (item): Output => ({
      name: item.name,
      value: item.node ? context.expression(item.node, listScope) : starOutput(item, group, select.at),
    }),
  );
  const aliases = aliasMap(outputs);
  const having =
    select.having &&
    condition(select.having, { ...listScope, clause: 'HAVING clause', windows: false, aliases }, around);
  const qualify =
    select.qualify && condition(select.qualify, { ...listScope, clause: 'QUALIFY clause', aliases }, around);
  if (select.qualify && !qualifyHasWindow(select, items))
    throw new SqlError(
      'The QUALIFY clause requires a window function to be present in it or in the SELECT list',
      select.qualify.at,
    );
  checkDistinct(select, outputs);
  const final = select.as ? asValueTable(select, outputs) : outputs;
  const orderScope: Scope = { ...listScope, clause: 'ORDER BY', aliases, aliasesFirst: true };
  const keys = ordering.orderBy.map((item, index) =>
    orderKey(item, index, select.as ? [] : outputs, orderScope, select.distinct, around),
  );
  const source = sourceSql(from.sql(), where, group, having);
  const list = [
    ...final.map(({ value }, index) => `${value.sql} AS c${index}`),
    ...keys.filter((key) => key.hidden).map((key) => `${key.value.sql} AS ${key.column}`),
  ];
  const body = `SELECT ${select.distinct ? 'DISTINCT ' : ''}${list.join(', ')}${source}${qualify ? ` QUALIFY ${qualify}` : ''}`;
  return {
    sql: sorted(body, final.length, keys, ordering.limit, around),
    columns: final.map(outputColumn),
    valueTable: select.as !== undefined,
    ...(isRow(select, ordering, group) && { row: final.map(({ value }) => value) }),
  };
}

/** Without FROM there is one row, and nothing to filter or group. */
function checkFromless(select: Select): void {
  if (select.from) return;
  const clauses = [
    ['WHERE', select.where],
    ['GROUP BY', select.groupBy],
    ['HAVING', select.having],
  ] as const;
  const clause = clauses.find(([, present]) => present !== undefined);
  if (clause) throw new SqlError(`Query without FROM clause cannot have a ${clause[0]} clause`, select.at);
}

/** True when the SELECT is one row of expressions and nothing else. */
function isRow(select: Select, { orderBy, limit }: Ordering, group: Group | undefined): boolean {
  return !select.from && !select.where && !select.qualify && !group && orderBy.length === 0 && limit === '';
}

function qualifyHasWindow(select: Select, items: readonly GroupableItem[]): boolean {
  return containsWindow(select.qualify as Expression) || items.some((item) => item.node && containsWindow(item.node));
}

function checkDistinct(select: Select, outputs: readonly Output[]): void {
  if (!select.distinct) return;
  for (const { name, value } of outputs) {
    if (!isComparable(value.type))
      throw new SqlError(`Column ${name} of type ${typeName(value.type)} cannot be used in SELECT DISTINCT`, select.at);
  }
}

function sourceSql(
  from: string,
  where: string | undefined,
  group: Group | undefined,
  having: string | undefined,
): string {
  const fromClause = from === '' ? '' : ` FROM ${from}`;
  const whereClause = where === undefined ? '' : ` WHERE ${where}`;
  if (!group) return fromClause + whereClause;
  return ` FROM ${group.sql(fromClause, whereClause)}${having === undefined ? '' : ` WHERE ${having}`}`;
}

function outputColumn({ name, value }: Output, index: number): OutputColumn {
  const kind = value.constant?.kind;
  return {
    name,
    type: value.type,
    sql: `c${index}`,
    ...(value.jsonText && { jsonText: true }),
    ...(value.constant && (kind === 'null' || kind === 'literal') && { constant: value.constant }),
  };
}
