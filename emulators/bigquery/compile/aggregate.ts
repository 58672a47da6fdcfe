/** Aggregate calls: checked, coerced and handed to the group that surrounds them. */
import type { Call } from '../googlesql/ast/expression.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import {
  AGGREGATE_FUNCTIONS,
  type AggregateFunction,
  type AggregateOverload,
  type AggregateParts,
} from '../functions/aggregate.ts';
import { describeTypes } from '../runtime/type-descriptor.ts';
import { arrayOf, INT64, typeName } from '../types/type.ts';
import { matchSignature, type Match } from './call-signature.ts';
import { coerceOrFail } from './coerce.ts';
import { orderKeys } from './compare.ts';
import type { CompileContext } from './context.ts';
import { inClause, type Scope } from './scope.ts';
import { stringLiteral } from './sql-text.ts';
import type { Typed } from './typed.ts';

function bestOverload(
  definition: AggregateFunction,
  node: Call,
  values: readonly Typed[],
): { readonly overload: AggregateOverload; readonly match: Match } {
  let best: { readonly overload: AggregateOverload; readonly match: Match } | undefined;
  const args = values.map((value, index) => ({ node: node.args[index] ?? node, value: () => value }));
  for (const overload of definition.overloads) {
    const match = matchSignature(overload.signature, args);
    if (match && (!best || match.cost < best.match.cost)) best = { overload, match };
  }
  if (best) return best;
  const supported = definition.overloads
    .map(({ signature }) => `${node.name}(${signature.text.split(' -> ')[0]})`)
    .join('; ');
  throw new SqlError(
    `No matching signature for aggregate function ${node.name} for argument types: ${values.map((value) => typeName(value.type)).join(', ')}. Supported signatures: ${supported}`,
    node.at,
  );
}

function checkModifiers(node: Call, definition: AggregateFunction): void {
  if (node.named.length > 0) throw new SqlError(`Named arguments are not allowed in ${node.name}`, node.at);
  if (definition.takesAll && node.distinct)
    throw new SqlError(`DISTINCT is not allowed for function ${node.name}`, node.at);
  if (node.having && node.name !== 'ANY_VALUE')
    throw new SqlError(`HAVING MAX and HAVING MIN are supported in ANY_VALUE only, not in ${node.name}`, node.at);
  if (!definition.ordered && (node.orderBy.length > 0 || node.limit))
    throw new SqlError(`ORDER BY and LIMIT are not allowed in a call of ${node.name}`, node.at);
  if (!definition.ordered && node.nulls)
    throw new SqlError(`IGNORE NULLS and RESPECT NULLS are not allowed in a call of ${node.name}`, node.at);
}

/**
 * SQL and type of an aggregate over the rows of `rows`, with an OVER clause where it is a window's.
 * The scope is that of the arguments, which themselves hold no aggregates; `filter` is a condition that rows must meet.
 */
export function aggregateSql(node: Call, rows: Scope, context: CompileContext, over: string, filter = ''): Typed {
  if (node.star) {
    if (node.name !== 'COUNT') throw new SqlError('Argument * can only be used in COUNT(*)', node.at);
    return { sql: `count(*)${filter ? ` FILTER (WHERE ${filter})` : ''}${over}`, type: INT64 };
  }
  const definition = AGGREGATE_FUNCTIONS.get(node.name) as AggregateFunction;
  checkModifiers(node, definition);
  const { overload, match } = bestOverload(
    definition,
    node,
    node.args.map((arg) => context.expression(arg, rows)),
  );
  const orderBy = node.orderBy.map((item) =>
    orderKeys(context.expression(item.value, rows), item.descending, item.nullsFirst, node.at),
  );
  const limit = node.limit && coerceOrFail(context.expression(node.limit, rows), INT64, 'LIMIT', node.limit.at).sql;
  const parts: AggregateParts = {
    args: match.args.map((arg) => arg.sql),
    distinct: node.distinct,
    orderBy: orderBy.join(', '),
    filter,
    over,
    limit,
    nulls: node.nulls,
    listType: stringLiteral(describeTypes([arrayOf((match.args[0] as Typed).type)])),
    firstBy:
      node.having &&
      orderKeys(context.expression(node.having.value, rows), node.having.which === 'MAX', false, node.at, true),
  };
  return { sql: overload.emit(parts), type: overload.result?.(...match.args.map((arg) => arg.type)) ?? match.result };
}

export function compileAggregate(node: Call, scope: Scope, context: CompileContext): Typed {
  const { grouping } = scope;
  if (node.name === 'GROUPING') return compileGrouping(node, scope, context);
  if (!grouping) throw new SqlError(`Aggregate function ${node.name} not allowed in ${scope.clause}`, node.at);
  const { sql, type } = aggregateSql(node, inClause(grouping.rows, `the arguments of ${node.name}`), context, '');
  return grouping.aggregate(sql, { type });
}

/** GROUPING(key): 1 where the row is a subtotal over the key. */
function compileGrouping({ args, at }: Call, { grouping }: Scope, context: CompileContext): Typed {
  const [argument] = args;
  if (!grouping || !argument || args.length !== 1) throw new SqlError('GROUPING takes one expression of GROUP BY', at);
  const before = context.expression(argument, grouping.rows);
  if (!grouping.key(before))
    throw new SqlError('GROUPING must have an argument that exists within the group-by expression list', at);
  return grouping.aggregate(`CAST(grouping(${before.sql}) AS BIGINT)`, { type: INT64 });
}
