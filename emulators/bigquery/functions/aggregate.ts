/**
 * Aggregate functions. Each says how it is written in DuckDB; the compiler hands in its arguments already coerced, and the
 * parts that may stand with any aggregate: DISTINCT, ORDER BY, a filter for IGNORE NULLS, OVER.
 */
import { NUMERIC_SCALE } from '../types/storage.ts';
import { arrayOf, INT64, structOf, type Type } from '../types/type.ts';
import { parseSignature, type Signature } from './signature.ts';

/** One call, in DuckDB's SQL. */
export interface AggregateParts {
  readonly args: readonly string[];
  readonly distinct: boolean;
  /** Order keys without the words ORDER BY; empty when the call has none. */
  readonly orderBy: string;
  /** A condition that rows must meet; empty when all count. */
  readonly filter: string;
  /** ` OVER (…)`, or empty. */
  readonly over: string;
  /** SQL of LIMIT's operand. */
  readonly limit: string | undefined;
  readonly nulls: 'IGNORE' | 'RESPECT' | undefined;
  /** SQL literal that describes the type of a list of the first argument, for functions in TypeScript. */
  readonly listType: string;
  /** For HAVING MAX and HAVING MIN: the order by which the first row is the one meant. */
  readonly firstBy: string | undefined;
}

export interface AggregateOverload {
  readonly signature: Signature;
  readonly emit: (parts: AggregateParts) => string;
  /** The result's type, where the signature cannot say it. */
  readonly result?: (...args: readonly Type[]) => Type;
}

export interface AggregateFunction {
  readonly name: string;
  readonly overloads: readonly AggregateOverload[];
  /** ORDER BY, LIMIT and IGNORE NULLS mean something: ARRAY_AGG, STRING_AGG and their like. */
  readonly ordered: boolean;
  /** DISTINCT is refused. */
  readonly takesAll?: true;
}

interface Extra {
  readonly distinct?: boolean;
  readonly orderBy?: string;
  readonly filter?: string;
}

/** `name([DISTINCT] args [ORDER BY …]) [FILTER (WHERE …)] [OVER (…)]`. */
function call(name: string, parts: AggregateParts, args: readonly string[] = parts.args, extra: Extra = {}): string {
  const distinct = (extra.distinct ?? parts.distinct) ? 'DISTINCT ' : '';
  const orderBy = extra.orderBy ?? parts.orderBy;
  const filter = extra.filter ?? parts.filter;
  return `${name}(${distinct}${args.join(', ')}${orderBy ? ` ORDER BY ${orderBy}` : ''})${filter ? ` FILTER (WHERE ${filter})` : ''}${parts.over}`;
}

const simple = (signature: string, name: string): AggregateOverload => ({
  signature: parseSignature(signature),
  emit: (parts) => call(name, parts),
});
const as = (signature: string, emit: (parts: AggregateParts) => string): AggregateOverload => ({
  signature: parseSignature(signature),
  emit,
});

function aggregate(name: string, ...overloads: readonly AggregateOverload[]): AggregateFunction {
  return { name, overloads, ordered: false };
}

/** Of pairs of numbers, all of them. */
function paired(name: string, values: string): AggregateFunction {
  return { ...aggregate(name, ofPairs(values)), takesAll: true };
}

function ordered(name: string, ...overloads: readonly AggregateOverload[]): AggregateFunction {
  return { name, overloads, ordered: true };
}

/** NULL arguments left out. */
function present(parts: AggregateParts): string {
  const condition = `(${parts.args[0]}) IS NOT NULL`;
  return parts.filter ? `${parts.filter} AND ${condition}` : condition;
}

function limited(list: string, { limit }: AggregateParts): string {
  return limit === undefined ? list : `list_slice(${list}, 1, ${limit})`;
}

/** The list of a call's values; DISTINCT without an order keeps each value where it came first. */
function collected(parts: AggregateParts, args: readonly string[], filter: string): string {
  if (!parts.distinct || parts.orderBy) return limited(call('list', parts, args, { filter }), parts);
  const list = call('list', parts, args, { filter, distinct: false });
  return limited(`list_select(${list}, js_first_positions(${parts.listType}, ${list}))`, parts);
}

function arrayAgg(parts: AggregateParts): string {
  return collected(parts, parts.args, parts.nulls === 'IGNORE' ? present(parts) : parts.filter);
}

function stringAgg(parts: AggregateParts): string {
  const [value = '', separator = "','"] = parts.args;
  return `array_to_string(${collected(parts, [value], present(parts))}, ${separator})`;
}

function decimalAverage(scale: number, divide: string) {
  return (parts: AggregateParts) =>
    `${divide}(${call('sum', parts)}, CAST(${call('count', parts)} AS DECIMAL(38, ${scale})))`;
}

/** FLOAT64's NaN is the answer as soon as it occurs; DuckDB would take it for the greatest number. */
function floatExtreme(name: 'min' | 'max') {
  return (parts: AggregateParts) => {
    const nan = call('bool_or', parts, [`isnan(${parts.args[0]})`], { distinct: false });
    return `CASE WHEN ${nan} THEN CAST('nan' AS DOUBLE) ELSE ${call(name, parts)} END`;
  };
}

/** Sums that lose nothing on their way, as BigQuery's. An infinity or NaN among the values is the sum; without, it is an error. */
function preciseSum(parts: AggregateParts): string {
  const plain = call('sum', parts);
  const infinite = call('bool_or', parts, [`NOT isfinite(${parts.args[0]})`], { distinct: false });
  return `CASE WHEN isfinite(${plain}) THEN ${call('fsum', parts)} WHEN ${plain} IS NULL OR ${infinite} THEN ${plain} ELSE CAST(js_fail_1('double overflow') AS DOUBLE) END`;
}

/** A function in TypeScript of the values that are not NULL. */
function ofValues(name: string) {
  return as(
    'FLOAT64 -> FLOAT64',
    (parts) => `js_${name}_1(${call('list', parts, parts.args, { filter: present(parts) })})`,
  );
}

/** A function in TypeScript of the pairs of which neither side is NULL: its arguments are their first sides, and their second. */
function ofPairs(name: string) {
  return as('FLOAT64, FLOAT64 -> FLOAT64', (parts) => {
    const [x = '', y = ''] = parts.args;
    const condition = `(${x}) IS NOT NULL AND (${y}) IS NOT NULL`;
    const filter = parts.filter ? `${parts.filter} AND ${condition}` : condition;
    const all = `coalesce(${call('list', parts, [`struct_pack(f0 := ${x}, f1 := ${y})`], { filter })}, [])`;
    const side = (field: string): string => `list_transform(${all}, lambda pair: pair.${field})`;
    return `js_${name}_2(${side('f0')}, ${side('f1')})`;
  });
}

function anyValue(parts: AggregateParts): string {
  return call('first', parts, parts.args, parts.firstBy === undefined ? {} : { orderBy: parts.firstBy });
}

/** The i-th of n quantiles is the element at rank ceil(count × i / n), the first for i = 0. */
function approxQuantiles(parts: AggregateParts): string {
  const [value = '', number = ''] = parts.args;
  const respect = parts.nulls === 'RESPECT';
  const list = call('list', parts, [value], {
    orderBy: `${value} ASC NULLS FIRST`,
    ...(respect ? {} : { filter: present(parts) }),
  });
  return `list_transform(range(0, ${number} + 1), lambda quantile: (${list})[greatest(1, CAST(ceil(len(${list}) * quantile / ${number}) AS BIGINT))])`;
}

/** Values beside their counts, most frequent first. Pairs of a position in the list and a count come from TypeScript. */
function approxTopCount(parts: AggregateParts): string {
  const [value = '', number = ''] = parts.args;
  const list = call('list', parts, [value]);
  const ranked = `js_rank_by_count(${parts.listType}, ${list})`;
  const pairs = `list_transform(range(1, len(${ranked}) + 1, 2), lambda place: struct_pack(f0 := (${list})[(${ranked})[place]], f1 := (${ranked})[place + 1]))`;
  return `list_slice(${pairs}, 1, ${number})`;
}

/** Values beside the sums of their weights, greatest first; of equal ones, the value that came first. */
function topSum(weights: 'INT64' | 'FLOAT64' | 'NUMERIC', stored: string): AggregateOverload {
  return {
    ...as(`T, ${weights}, INT64 -> ARRAY<T>`, (parts) => {
      const [value = '', weight = '', number = ''] = parts.args;
      const values = call('list', parts, [value]);
      const weighed = call('list', parts, [`struct_pack(f0 := ${value}, f1 := ${weight})`]);
      const sum = `CAST(list_sum(list_transform(list_filter(${weighed}, lambda pair: pair.f0 IS NOT DISTINCT FROM (${values})[place]), lambda pair: pair.f1)) AS ${stored})`;
      const ranked = `list_sort(list_transform(js_first_positions(${parts.listType}, ${values}), lambda place: struct_pack(rank := -${sum}, place := place, f0 := (${values})[place], f1 := ${sum})))`;
      return `list_slice(list_transform(${ranked}, lambda entry: struct_pack(f0 := entry.f0, f1 := entry.f1)), 1, ${number})`;
    }),
    result: (type, weight) => ranking(type, 'sum', weight ?? INT64),
  };
}

function ranking(value: Type, name: 'count' | 'sum', type: Type): Type {
  return arrayOf(
    structOf([
      { name: 'value', type: value },
      { name, type },
    ]),
  );
}

const DEFINITIONS: readonly AggregateFunction[] = [
  aggregate('COUNT', simple('any -> INT64', 'count')),
  aggregate(
    'COUNTIF',
    as('BOOL -> INT64', (parts) =>
      parts.distinct
        ? call('count', parts, [`CASE WHEN ${parts.args[0]} THEN TRUE END`])
        : call('count', parts, ['*'], {
            filter: parts.filter ? `${parts.filter} AND ${parts.args[0]}` : (parts.args[0] ?? ''),
          }),
    ),
  ),
  aggregate(
    'SUM',
    as('INT64 -> INT64', (parts) => `CAST(${call('sum', parts)} AS BIGINT)`),
    simple('NUMERIC -> NUMERIC', 'sum'),
    simple('BIGNUMERIC -> BIGNUMERIC', 'sum'),
    as('FLOAT64 -> FLOAT64', preciseSum),
    simple('INTERVAL -> INTERVAL', 'sum'),
  ),
  aggregate(
    'AVG',
    as('INT64 -> FLOAT64', (parts) => call('avg', parts)),
    as('NUMERIC -> NUMERIC', decimalAverage(NUMERIC_SCALE, 'js_numeric_divide_2')),
    as('BIGNUMERIC -> BIGNUMERIC', decimalAverage(18, 'js_bignumeric_divide_2')),
    ofValues('float_mean'),
  ),
  ...(['MIN', 'MAX'] as const).map((name) => {
    const duck = name === 'MIN' ? 'min' : 'max';
    return aggregate(name, as('FLOAT64 -> FLOAT64', floatExtreme(duck)), simple('T -> T', duck));
  }),
  aggregate('ANY_VALUE', as('T -> T', anyValue)),
  aggregate(
    'MAX_BY',
    as('T, U -> T', (parts) =>
      call('first', parts, [parts.args[0] ?? ''], { orderBy: `${parts.args[1]} DESC NULLS LAST` }),
    ),
  ),
  aggregate(
    'MIN_BY',
    as('T, U -> T', (parts) =>
      call('first', parts, [parts.args[0] ?? ''], { orderBy: `${parts.args[1]} ASC NULLS LAST` }),
    ),
  ),
  ordered('ARRAY_AGG', as('T -> ARRAY<T>', arrayAgg)),
  ordered(
    'ARRAY_CONCAT_AGG',
    as(
      'ARRAY<T> -> ARRAY<T>',
      (parts) => `flatten(${limited(call('list', parts, parts.args, { filter: present(parts) }), parts)})`,
    ),
  ),
  ordered('STRING_AGG', as('STRING, STRING? -> STRING', stringAgg)),
  aggregate('LOGICAL_AND', simple('BOOL -> BOOL', 'bool_and')),
  aggregate('LOGICAL_OR', simple('BOOL -> BOOL', 'bool_or')),
  aggregate('BIT_AND', simple('INT64 -> INT64', 'bit_and')),
  aggregate('BIT_OR', simple('INT64 -> INT64', 'bit_or')),
  aggregate('BIT_XOR', simple('INT64 -> INT64', 'bit_xor')),
  aggregate('STDDEV', ofValues('float_stddev_samp')),
  aggregate('STDDEV_SAMP', ofValues('float_stddev_samp')),
  aggregate('STDDEV_POP', ofValues('float_stddev_pop')),
  aggregate('VARIANCE', ofValues('float_var_samp')),
  aggregate('VAR_SAMP', ofValues('float_var_samp')),
  aggregate('VAR_POP', ofValues('float_var_pop')),
  paired('CORR', 'float_corr'),
  paired('COVAR_POP', 'float_covar_pop'),
  paired('COVAR_SAMP', 'float_covar_samp'),
  aggregate(
    'APPROX_COUNT_DISTINCT',
    as('any -> INT64', (parts) => call('count', parts, parts.args, { distinct: true })),
  ),
  aggregate('APPROX_TOP_COUNT', {
    ...as('T, INT64 -> ARRAY<T>', approxTopCount),
    result: (type) => ranking(type, 'count', INT64),
  }),
  aggregate(
    'APPROX_TOP_SUM',
    topSum('INT64', 'BIGINT'),
    topSum('FLOAT64', 'DOUBLE'),
    topSum('NUMERIC', `DECIMAL(38, ${NUMERIC_SCALE})`),
  ),
  ordered('APPROX_QUANTILES', as('T, INT64 -> ARRAY<T>', approxQuantiles)),
];

export const AGGREGATE_FUNCTIONS: ReadonlyMap<string, AggregateFunction> = new Map(
  DEFINITIONS.map((definition) => [definition.name, definition]),
);
