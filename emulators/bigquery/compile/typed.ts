/** An expression after compilation: DuckDB's SQL for it, and its GoogleSQL type. */
import { SqlError } from '../googlesql/sql-error.ts';
import type { Type } from '../types/type.ts';

/**
 * What else is known of an expression whose value is written in the query. GoogleSQL lets those coerce further than
 * columns: a string literal to a DATE, a NULL to anything, the elements of an array literal one by one.
 */
export type Constant =
  | { readonly kind: 'null' }
  /** A literal; `text` is the value of a STRING, the spelling of a number. */
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'parameter' }
  /** ERROR(…): of any type that is asked for, since it never has a value. */
  | { readonly kind: 'error' }
  /** An array or struct constructor without a type of its own. */
  | { readonly kind: 'constructor'; readonly parts: readonly Typed[] };

export interface Typed {
  readonly sql: string;
  readonly type: Type;
  readonly constant?: Constant;
  /** True when `sql` is a column, literal or parameter: cheap to repeat. */
  readonly atomic?: boolean;
  /** True when the value, a STRING, is known to be JSON text: it came out of a JSON function. */
  readonly jsonText?: boolean;
  /** SQL of the same JSON object with its scalars as strings (`flattenScalars`): members are read out of it cheaply. */
  readonly members?: () => string;
}

/** Compiled text may grow faster than the query's where an operand appears twice; a limit ends that, not memory. */
const MAX_COMPILED_LENGTH = 4_000_000;

/** An expression that is neither constant nor atomic. */
export function typed(sql: string, type: Type, more: Pick<Typed, 'jsonText'> = {}): Typed {
  if (sql.length > MAX_COMPILED_LENGTH) throw new SqlError('The query is too complex', undefined, 'resourcesExceeded');
  return { sql, type, ...more };
}

/** A column of a relation in scope. */
export function column(sql: string, type: Type, more: Pick<Typed, 'jsonText' | 'members'> = {}): Typed {
  return { sql, type, atomic: true, ...more };
}

export function isNull(value: Typed): boolean {
  return value.constant?.kind === 'null';
}

export function isLiteral(
  value: Typed,
): value is Typed & { readonly constant: { readonly kind: 'literal'; readonly text: string } } {
  return value.constant?.kind === 'literal';
}
