/** Statements as written. */
import type { Expression } from './expression.ts';
import type { FromItem, Query } from './query.ts';
import type { TypeName } from './type-name.ts';

export interface TableName {
  /** One to three parts: `table`, `dataset.table`, `project.dataset.table`. */
  readonly path: readonly string[];
  readonly at: number;
}

export interface Assignment {
  /** The column, and the fields inside it when only one field of a STRUCT is set. */
  readonly path: readonly string[];
  readonly value: Expression;
  readonly at: number;
}

export type InsertSource =
  | { readonly kind: 'values'; readonly rows: readonly (readonly Expression[])[] }
  | { readonly kind: 'query'; readonly query: Query };

export interface Insert {
  readonly kind: 'insert';
  readonly table: TableName;
  /** `undefined` when all columns are meant, in the table's order. */
  readonly columns?: readonly string[];
  readonly source: InsertSource;
  readonly at: number;
}

export interface Update {
  readonly kind: 'update';
  readonly table: TableName;
  readonly alias?: string;
  readonly assignments: readonly Assignment[];
  readonly from?: FromItem;
  readonly where: Expression;
  readonly at: number;
}

export interface Delete {
  readonly kind: 'delete';
  readonly table: TableName;
  readonly alias?: string;
  readonly where: Expression;
  readonly at: number;
}

export interface Truncate {
  readonly kind: 'truncate';
  readonly table: TableName;
  readonly at: number;
}

export type MergeAction =
  | { readonly kind: 'update'; readonly assignments: readonly Assignment[] }
  | { readonly kind: 'delete' }
  | { readonly kind: 'insertRow' }
  | { readonly kind: 'insert'; readonly columns?: readonly string[]; readonly values: readonly Expression[] };

export interface MergeClause {
  readonly when: 'MATCHED' | 'NOT MATCHED BY TARGET' | 'NOT MATCHED BY SOURCE';
  readonly condition?: Expression;
  readonly action: MergeAction;
  readonly at: number;
}

export interface Merge {
  readonly kind: 'merge';
  readonly table: TableName;
  readonly alias?: string;
  readonly source: FromItem;
  readonly on: Expression;
  readonly clauses: readonly MergeClause[];
  readonly at: number;
}

export interface ColumnDefinition {
  readonly name: string;
  readonly type: ColumnType;
  readonly notNull: boolean;
  readonly defaultValue?: Expression;
  /** Where the text of the default ends. */
  readonly defaultValueEnd?: number;
  readonly options: Options;
  readonly at: number;
}

/** A column's type, in which fields may be NOT NULL and have options of their own. */
export type ColumnType =
  | { readonly kind: 'scalar'; readonly type: TypeName }
  | { readonly kind: 'array'; readonly element: ColumnType; readonly at: number }
  | { readonly kind: 'struct'; readonly fields: readonly ColumnDefinition[]; readonly at: number };

export type Options = readonly { readonly name: string; readonly value: Expression }[];

export interface CreateTable {
  readonly kind: 'createTable';
  readonly table: TableName;
  readonly orReplace: boolean;
  readonly ifNotExists: boolean;
  readonly columns?: readonly ColumnDefinition[];
  readonly like?: TableName;
  readonly partitionBy?: Expression;
  readonly clusterBy: readonly string[];
  readonly options: Options;
  readonly query?: Query;
  readonly at: number;
}

export interface CreateView {
  readonly kind: 'createView';
  readonly table: TableName;
  readonly orReplace: boolean;
  readonly ifNotExists: boolean;
  readonly columns?: readonly string[];
  readonly options: Options;
  readonly query: Query;
  /** The text of the query, kept as the view's definition. */
  readonly text: string;
  readonly at: number;
}

export interface CreateSchema {
  readonly kind: 'createSchema';
  readonly path: readonly string[];
  readonly ifNotExists: boolean;
  readonly options: Options;
  readonly at: number;
}

export interface Drop {
  readonly kind: 'drop';
  readonly what: 'TABLE' | 'VIEW' | 'SCHEMA';
  readonly table: TableName;
  readonly ifExists: boolean;
  readonly cascade: boolean;
  readonly at: number;
}

export type AlterAction =
  | { readonly kind: 'addColumn'; readonly column: ColumnDefinition; readonly ifNotExists: boolean }
  | { readonly kind: 'dropColumn'; readonly name: string; readonly ifExists: boolean; readonly at: number }
  | {
      readonly kind: 'renameColumn';
      readonly from: string;
      readonly to: string;
      readonly ifExists: boolean;
      readonly at: number;
    }
  | { readonly kind: 'renameTable'; readonly to: string }
  | { readonly kind: 'dropNotNull'; readonly name: string; readonly at: number }
  | { readonly kind: 'setOptions'; readonly options: Options };

export interface AlterTable {
  readonly kind: 'alterTable';
  readonly table: TableName;
  readonly ifExists: boolean;
  readonly actions: readonly AlterAction[];
  readonly at: number;
}

export type DmlStatement = Insert | Update | Delete | Truncate | Merge;
export type DdlStatement = CreateTable | CreateView | CreateSchema | Drop | AlterTable;
export type Statement = Query | DmlStatement | DdlStatement;
