/** PIVOT, as one filtered aggregate a value; UNPIVOT, as an array of rows that is unnested. */
import type { Expression } from '../googlesql/ast/expression.ts';
import type { Pivot, Unpivot } from '../googlesql/ast/query.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { isComparable, STRING, type Type } from '../types/type.ts';
import { aggregateSql } from './aggregate.ts';
import { coerceOrFail } from './coerce.ts';
import { unify } from './compare.ts';
import type { CompileContext, OutputColumn, Relation } from './context.ts';
import { compileLiteral } from './literal.ts';
import { type Column, type FromScope, lookUpFrom, type Scope } from './scope.ts';
import { stringLiteral } from './sql-text.ts';
import { type Typed, typed } from './typed.ts';
import { pathsIn } from './walk.ts';

/** What this file needs to know of a compiled FROM item and of what is around it. */
interface Input {
  readonly sql: () => string;
  readonly aliases: readonly string[];
  readonly scope: FromScope;
}
interface Around {
  readonly outer: Scope | undefined;
  readonly commonTables: Scope['commonTables'];
  readonly context: CompileContext;
}

function inputScope(input: Input, { outer, commonTables }: Around, clause: string): Scope {
  return { from: input.scope, clause, windows: false, commonTables, ...(outer && { outer }) };
}

/** The columns that an expression names. */
function columnsNamed(node: Expression, from: FromScope): Set<string> {
  const found = new Set<string>();
  for (const path of pathsIn(node)) {
    const [first = '', second] = path.names;
    const name = lookUpFrom(from, first, path.at);
    if (name?.kind === 'value') found.add(first.toLowerCase());
    else if (name?.kind === 'range' && second !== undefined) found.add(second.toLowerCase());
  }
  return found;
}

/** A value's name in a column's name: `_5`, `_minus_5`, `_1_point_5`, `_2020_01_01`; a STRING is its own name. */
function valueName(node: Expression): string {
  if (node.kind !== 'literal') throw new SqlError('A value of PIVOT that is no literal needs an alias', node.at);
  if (node.type === 'STRING') return node.text;
  if (node.type === 'NULL') return 'NULL';
  if (node.type === 'BOOL') return node.text.toLowerCase();
  const spelt = node.text
    .replace('-', node.type === 'DATE' ? '_' : 'minus_')
    .replaceAll('.', '_point_')
    .replaceAll(/[^A-Za-z0-9_]/g, '_');
  return `_${spelt}`;
}

function isConstant(node: Expression): boolean {
  return (
    node.kind === 'literal' ||
    node.kind === 'parameter' ||
    node.kind === 'cast' ||
    node.kind === 'struct' ||
    node.kind === 'bytes'
  );
}

export function compilePivot(node: Pivot, input: Input, around: Around): Relation {
  const { context } = around;
  const scope = inputScope(input, around, 'PIVOT');
  const pivoted = context.expression(node.column, scope);
  const used = new Set([
    ...columnsNamed(node.column, input.scope),
    ...node.aggregates.flatMap(({ call }) => [...columnsNamed(call, input.scope)]),
  ]);
  const keys = input.scope.columns.filter((column) => !used.has(column.name.toLowerCase()));
  if (node.aggregates.length > 1 && node.aggregates.some(({ alias }) => alias === undefined)) {
    throw new SqlError('PIVOT with several aggregates needs an alias for each', node.at);
  }
  const outputs: { name: string; value: Typed }[] = keys.map(({ name, value }) => ({ name, value }));
  for (const item of node.values) {
    if (!isConstant(item.value)) throw new SqlError('IN expression in PIVOT clause must be constant', item.value.at);
    const { values } = unify([pivoted, context.expression(item.value, scope)], 'PIVOT', item.value.at);
    const filter = `${values[0]?.sql} IS NOT DISTINCT FROM ${values[1]?.sql}`;
    const label = item.alias ?? valueName(item.value);
    for (const { call, alias } of node.aggregates) {
      outputs.push({
        name: alias === undefined ? label : `${alias}_${label}`,
        value: aggregateSql(call, scope, context, '', filter),
      });
    }
  }
  for (const { name, value } of keys) {
    if (!isComparable(value.type))
      throw new SqlError(`PIVOT cannot group by column ${name} of type ${value.type.kind}`, node.at);
  }
  const groupBy = keys.length > 0 ? ` GROUP BY ${keys.map((_, index) => index + 1).join(', ')}` : '';
  return relation(outputs, (list) => `SELECT ${list} FROM ${input.sql()}${groupBy}`);
}

function relation(
  outputs: readonly { readonly name: string; readonly value: Typed }[],
  sql: (list: string) => string,
): Relation {
  const columns: OutputColumn[] = outputs.map(({ name, value }, index) => ({
    name,
    type: value.type,
    sql: `c${index}`,
  }));
  return {
    sql: sql(outputs.map(({ value }, index) => `${value.sql} AS c${index}`).join(', ')),
    columns,
    valueTable: false,
  };
}

function columnNamed(name: string, from: FromScope, at: number): Column {
  const found = from.columns.filter((column) => column.name.toLowerCase() === name.toLowerCase());
  if (found.length !== 1)
    throw new SqlError(
      found.length === 0 ? `Column ${name} in UNPIVOT not found` : `Column name ${name} is ambiguous`,
      at,
    );
  return found[0] as Column;
}

export function compileUnpivot(node: Unpivot, input: Input, around: Around): Relation {
  const { context } = around;
  const groups = node.columns.map((group) => group.columns.map((name) => columnNamed(name, input.scope, node.at)));
  const types: Type[] = node.values.map(
    (_, index) =>
      unify(
        groups.map((group) => (group[index] as Column).value),
        'UNPIVOT',
        node.at,
      ).type,
  );
  const labels = node.columns.map(({ label, columns }) =>
    label?.kind === 'literal' ? compileLiteral(label) : typed(stringLiteral(columns.join('_')), STRING),
  );
  const labelType = unify(labels, 'UNPIVOT', node.at).type;
  const rows = groups.map((group, row) => {
    const values = group.map(
      (column, index) =>
        `v${index} := ${coerceOrFail(column.value, types[index] as Type, 'A column of UNPIVOT', node.at).sql}`,
    );
    return `struct_pack(label := ${labels[row]?.sql}, ${values.join(', ')})`;
  });
  const taken = new Set(groups.flat().map((column) => column.name.toLowerCase()));
  const kept = input.scope.columns.filter((column) => !taken.has(column.name.toLowerCase()));
  const alias = context.uniqueName('p');
  const outputs = [
    ...kept.map(({ name, value }) => ({ name, value })),
    ...node.values.map((name, index) => ({ name, value: typed(`${alias}.r.v${index}`, types[index] as Type) })),
    { name: node.name, value: typed(`${alias}.r.label`, labelType) },
  ];
  const where = node.includeNulls
    ? ''
    : ` WHERE ${node.values.map((_, index) => `${alias}.r.v${index} IS NOT NULL`).join(' OR ')}`;
  const unpivoted = () =>
    `(SELECT ${[...input.aliases, `unnest([${rows.join(', ')}]) AS r`].join(', ')} FROM ${input.sql()}) AS ${alias}`;
  return relation(outputs, (list) => `SELECT ${list} FROM ${unpivoted()}${where}`);
}
