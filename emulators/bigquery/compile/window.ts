/** Window functions: numbering, navigation, and aggregates with an OVER clause. */
import type { Call, FrameBound, WindowSpecification } from '../googlesql/ast/expression.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { AGGREGATE_FUNCTIONS } from '../functions/aggregate.ts';
import { FLOAT64, INT64, type Type, typeName } from '../types/type.ts';
import { aggregateSql } from './aggregate.ts';
import { coerce, coerceOrFail } from './coerce.ts';
import { orderKeys } from './compare.ts';
import type { CompileContext } from './context.ts';
import { nullOf } from './literal.ts';
import { inClause, type Scope } from './scope.ts';
import { isLiteral, type Typed, typed } from './typed.ts';

interface WindowFunction {
  /** How many arguments it takes. */
  readonly arity: readonly [number, number];
  readonly needsOrder: boolean;
  readonly allowsFrame: boolean;
  readonly emit: (args: readonly Typed[], node: Call, over: string) => Typed;
}

const numbering = (duck: string, type: Type, needsOrder = true): WindowFunction => ({
  arity: [0, 0],
  needsOrder,
  allowsFrame: false,
  emit: (_, __, over) => typed(type.kind === 'INT64' ? `CAST(${duck}()${over} AS BIGINT)` : `${duck}()${over}`, type),
});

function nulls(node: Call): string {
  return node.nulls === 'IGNORE' ? ' IGNORE NULLS' : '';
}

const edge = (duck: string): WindowFunction => ({
  arity: [1, 1],
  needsOrder: true,
  allowsFrame: true,
  emit: ([value], node, over) => typed(`${duck}(${value?.sql}${nulls(node)})${over}`, (value as Typed).type),
});

const offset = (duck: string): WindowFunction => ({
  arity: [1, 3],
  needsOrder: true,
  allowsFrame: false,
  emit: ([first, by, fallback], node, over) => {
    const value = first as Typed;
    const step = by ? coerceOrFail(by, INT64, `The offset of ${node.name}`, node.at).sql : '1';
    const otherwise = fallback
      ? coerceOrFail(fallback, value.type, `The default of ${node.name}`, node.at)
      : nullOf(value.type);
    return typed(`${duck}(${value.sql}, ${step}, ${otherwise.sql}${nulls(node)})${over}`, value.type);
  },
});

const percentile = (duck: string, type: Type | undefined): WindowFunction => ({
  arity: [2, 2],
  needsOrder: false,
  allowsFrame: false,
  emit: ([first, fraction], node, over) => {
    const value = first as Typed;
    const input = type ? coerceOrFail(value, type, `The argument of ${node.name}`, node.at) : value;
    const share = coerceOrFail(fraction as Typed, FLOAT64, `The percentile of ${node.name}`, node.at);
    if (isLiteral(share) && !(Number(share.constant.text) >= 0 && Number(share.constant.text) <= 1)) {
      throw new SqlError(`The second argument to ${node.name} must be between 0 and 1`, node.at);
    }
    if (node.nulls === 'RESPECT')
      throw new SqlError(`${node.name} with RESPECT NULLS is not supported by this local BigQuery server`, node.at);
    return typed(`${duck}(${input.sql}, ${share.sql})${over}`, input.type);
  },
});

export const WINDOW_FUNCTIONS: ReadonlyMap<string, WindowFunction> = new Map([
  ['ROW_NUMBER', numbering('row_number', INT64, false)],
  ['RANK', numbering('rank', INT64)],
  ['DENSE_RANK', numbering('dense_rank', INT64)],
  ['PERCENT_RANK', numbering('percent_rank', FLOAT64)],
  ['CUME_DIST', numbering('cume_dist', FLOAT64)],
  [
    'NTILE',
    {
      arity: [1, 1],
      needsOrder: true,
      allowsFrame: false,
      emit: ([buckets], node, over) =>
        typed(
          `CAST(ntile(${coerceOrFail(buckets as Typed, INT64, 'The argument of NTILE', node.at).sql})${over} AS BIGINT)`,
          INT64,
        ),
    },
  ],
  ['FIRST_VALUE', edge('first_value')],
  ['LAST_VALUE', edge('last_value')],
  [
    'NTH_VALUE',
    {
      arity: [2, 2],
      needsOrder: true,
      allowsFrame: true,
      emit: ([value, nth], node, over) =>
        typed(
          `nth_value(${value?.sql}, ${coerceOrFail(nth as Typed, INT64, 'The second argument of NTH_VALUE', node.at).sql}${nulls(node)})${over}`,
          (value as Typed).type,
        ),
    },
  ],
  ['LAG', offset('lag')],
  ['LEAD', offset('lead')],
  ['PERCENTILE_CONT', percentile('quantile_cont', FLOAT64)],
  ['PERCENTILE_DISC', percentile('quantile_disc', undefined)],
]);

/** The window with all that the named windows it builds on bring. */
function resolve(specification: WindowSpecification, scope: Scope, at: number, depth = 0): WindowSpecification {
  const { base } = specification;
  if (base === undefined) return specification;
  const named = scope.namedWindows?.get(base.toLowerCase());
  if (!named || depth > 20) throw new SqlError(`Unrecognized window alias ${base}`, at);
  const inherited = resolve(named, scope, at, depth + 1);
  return {
    partitionBy: specification.partitionBy.length > 0 ? specification.partitionBy : inherited.partitionBy,
    orderBy: specification.orderBy.length > 0 ? specification.orderBy : inherited.orderBy,
    ...((specification.frame ?? inherited.frame) && { frame: specification.frame ?? inherited.frame }),
  } as WindowSpecification;
}

function bound(frame: FrameBound, type: Type | undefined, scope: Scope, context: CompileContext, at: number): string {
  if (!('offset' in frame)) return frame.kind;
  const value = context.expression(frame.offset, scope);
  const target = type ?? INT64;
  const coerced = coerce(value, target);
  if (!coerced)
    throw new SqlError(
      `Window frame offset has type ${typeName(value.type)} which cannot be coerced to ${typeName(target)}`,
      at,
    );
  return `${coerced.sql} ${frame.kind}`;
}

function frameSql(
  window: WindowSpecification,
  orderTypes: readonly Type[],
  scope: Scope,
  context: CompileContext,
  at: number,
): string {
  const { frame } = window;
  if (!frame) return '';
  const offsets = [frame.start, frame.end].some((side) => side && 'offset' in side);
  if (frame.unit === 'RANGE' && offsets && orderTypes.length !== 1)
    throw new SqlError('A RANGE frame with an offset needs exactly one ORDER BY expression', at);
  const type = frame.unit === 'RANGE' ? orderTypes[0] : undefined;
  const start = bound(frame.start, type, scope, context, at);
  return ` ${frame.unit} BETWEEN ${start} AND ${frame.end ? bound(frame.end, type, scope, context, at) : 'CURRENT ROW'}`;
}

function overSql(window: WindowSpecification, scope: Scope, context: CompileContext, at: number): string {
  const partition = window.partitionBy.map((node) => context.expression(node, scope).sql);
  const keys = window.orderBy.map((item) => ({ item, value: context.expression(item.value, scope) }));
  const ranged = window.frame?.unit === 'RANGE';
  const order = keys.map(({ item, value }) => orderKeys(value, item.descending, item.nullsFirst, at, ranged));
  const frame = frameSql(
    window,
    keys.map(({ value }) => value.type),
    scope,
    context,
    at,
  );
  const parts = [
    partition.length > 0 ? `PARTITION BY ${partition.join(', ')}` : '',
    order.length > 0 ? `ORDER BY ${order.join(', ')}` : '',
  ];
  return ` OVER (${parts.filter((part) => part !== '').join(' ')}${frame})`;
}

export function compileWindow(node: Call, scope: Scope, context: CompileContext): Typed {
  if (!scope.windows) throw new SqlError(`Window function ${node.name} not allowed in ${scope.clause}`, node.at);
  const window = resolve(node.over as WindowSpecification, scope, node.at);
  const inner = inClause(scope, 'the arguments of a window function');
  const over = overSql(window, inner, context, node.at);
  if (AGGREGATE_FUNCTIONS.has(node.name)) {
    if (node.distinct && window.orderBy.length > 0)
      throw new SqlError('Window ORDER BY is not allowed if DISTINCT is specified', node.at);
    const { sql, type } = aggregateSql(node, inner, context, over);
    return typed(sql, type);
  }
  const definition = WINDOW_FUNCTIONS.get(node.name) as WindowFunction;
  const [least, most] = definition.arity;
  if (node.args.length < least || node.args.length > most)
    throw new SqlError(
      `Number of arguments does not match for window function ${node.name}: expected ${least === most ? least : `${least} to ${most}`}`,
      node.at,
    );
  if (definition.needsOrder && window.orderBy.length === 0)
    throw new SqlError(`Window ORDER BY is required for analytic function ${node.name}`, node.at);
  if (!definition.allowsFrame && window.frame)
    throw new SqlError(`Window framing clause is not allowed for analytic function ${node.name}`, node.at);
  return definition.emit(
    node.args.map((arg) => context.expression(arg, inner)),
    node,
    over,
  );
}
