/**
 * What one statement's compilation shares. Expressions contain queries and queries contain expressions: the context carries
 * the way into both, so that the files of the compiler import in one direction only.
 */
import type { Expression } from '../googlesql/ast/expression.ts';
import type { Query } from '../googlesql/ast/query.ts';
import type { Type } from '../types/type.ts';
import type { TableResource } from '../catalog/table.ts';
import type { Scope } from './scope.ts';
import type { Constant, Typed } from './typed.ts';

export interface OutputColumn {
  /** `''` when the query gives it no name. */
  readonly name: string;
  readonly type: Type;
  /** Its name in the compiled SQL. */
  readonly sql: string;
  readonly jsonText?: boolean;
  /** Set where every row has this one constant, which may convert further: `SELECT NULL UNION ALL SELECT 'a'`. */
  readonly constant?: Constant;
}

/** A query after compilation: a SELECT in DuckDB's SQL whose columns are called `c0`, `c1` … */
export interface Relation {
  readonly sql: string;
  readonly columns: readonly OutputColumn[];
  /** SELECT AS STRUCT and AS VALUE: one column, which is the row. */
  readonly valueTable: boolean;
  /** Set for a SELECT without FROM: its one row. */
  readonly row?: readonly Typed[];
}

/** A table of a WITH clause. */
export interface CommonTableEntry {
  readonly sqlName: string;
  readonly columns: readonly OutputColumn[];
  readonly valueTable: boolean;
}

export interface DeclaredParameter {
  readonly type: Type;
  /** The name by which DuckDB's statement knows it, without the dollar. */
  readonly sqlName: string;
}

/** What the compiler asks of the catalog. */
export interface TableReader {
  /** The table or view of a path of one to three names. @throws {SqlError} when there is none. */
  readonly table: (path: readonly string[], at: number) => TableResource;
  /** Rows of an INFORMATION_SCHEMA view, or `undefined` when the path names none. */
  readonly informationSchema: (path: readonly string[], at: number) => Relation | undefined;
}

export interface CompileContext {
  readonly tables: TableReader;
  /** Named parameters by lower-case name, positional ones by index. */
  readonly parameters: ReadonlyMap<string | number, DeclaredParameter>;
  /** One instant for all of CURRENT_TIMESTAMP, CURRENT_DATE … in a statement; microseconds since the epoch. */
  readonly nowMicros: bigint;
  readonly sessionUser: string;
  /** A name that no other in the statement has. */
  readonly uniqueName: (prefix: string) => string;
  /** Tables that the statement reads, by their full name. */
  readonly reads: Map<string, TableResource>;
  readonly expression: (node: Expression, scope: Scope) => Typed;
  readonly query: (query: Query, outer: Scope) => Relation;
  /** Compiles a view's definition in its own dataset; guards against views that contain themselves. */
  readonly view: (table: TableResource, at: number) => Relation;
}
