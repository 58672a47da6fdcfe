/**
 * What names mean at a place in a query. Scopes nest: a subquery's scope has the query around it as its outer one. FROM
 * brings range variables (a table's alias) and columns; of the same name, the range variable is meant.
 */
import type { Expression, WindowSpecification } from '../googlesql/ast/expression.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import type { CommonTableEntry } from './context.ts';
import type { Typed } from './typed.ts';

export interface Column {
  /** `''` for a column without a name. */
  readonly name: string;
  readonly value: Typed;
}

/** What an alias in FROM stands for. */
export interface Range {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Columns that `*` leaves out and a name reaches: `_PARTITIONTIME`. */
  readonly pseudo: readonly Column[];
  /** The whole row: a STRUCT of the columns; for UNNEST of scalars the element itself. */
  readonly row: () => Typed;
}

export interface FromScope {
  readonly ranges: readonly Range[];
  /** Columns that a bare name reaches and `*` expands to, in order. */
  readonly columns: readonly Column[];
}

/** How expressions are seen after GROUP BY: as keys, or as aggregates over the group. */
export interface Grouping {
  /** The key that an expression is, by its SQL over the rows before grouping. */
  readonly key: (before: Typed) => Typed | undefined;
  /** The key that an expression is, by how it is written. */
  readonly keyOf: (node: Expression) => Typed | undefined;
  /** Adds an aggregate to the group and answers the column that holds it. */
  readonly aggregate: (sql: string, value: Omit<Typed, 'sql'>) => Typed;
  /** The scope of the rows before grouping, for the arguments of aggregates. */
  readonly rows: Scope;
}

export interface Scope {
  readonly outer?: Scope;
  readonly from: FromScope;
  readonly grouping?: Grouping;
  /** Names that the select list gives, for ORDER BY, HAVING, QUALIFY and GROUP BY. */
  readonly aliases?: ReadonlyMap<string, Typed>;
  /** Whether aliases win over columns: in ORDER BY they do, in HAVING and QUALIFY they come second. */
  readonly aliasesFirst?: boolean;
  /** The clause, for messages, and whether window functions and aggregates may stand in it. */
  readonly clause: string;
  readonly windows: boolean;
  readonly namedWindows?: ReadonlyMap<string, WindowSpecification>;
  readonly commonTables: ReadonlyMap<string, CommonTableEntry>;
}

export type Name =
  | { readonly kind: 'value'; readonly value: Typed }
  | { readonly kind: 'range'; readonly range: Range };

export const EMPTY_FROM: FromScope = { ranges: [], columns: [] };

/** What a name means in one FROM clause. @throws {SqlError} when two of its columns have the name. */
export function lookUpFrom(from: FromScope, name: string, at: number): Name | undefined {
  const lower = name.toLowerCase();
  const range = from.ranges.find((candidate) => candidate.name.toLowerCase() === lower);
  if (range) return { kind: 'range', range };
  const matches = from.columns.filter((column) => column.name.toLowerCase() === lower);
  if (matches.length > 1) throw new SqlError(`Column name ${name} is ambiguous`, at);
  const match = matches[0] ?? pseudoColumn(from, lower);
  return match && { kind: 'value', value: match.value };
}

function pseudoColumn(from: FromScope, lower: string): Column | undefined {
  return from.ranges.flatMap((range) => range.pseudo).find((column) => column.name.toLowerCase() === lower);
}

/** The column of a range. */
export function columnOf(range: Range, name: string, at: number): Typed | undefined {
  const lower = name.toLowerCase();
  const matches = [...range.columns, ...range.pseudo].filter((column) => column.name.toLowerCase() === lower);
  if (matches.length > 1) throw new SqlError(`Column name ${name} is ambiguous`, at);
  return matches[0]?.value;
}

/** The same scope for another clause. */
export function inClause(scope: Scope, clause: string, more: Partial<Scope> = {}): Scope {
  return { ...scope, clause, windows: false, ...more };
}
