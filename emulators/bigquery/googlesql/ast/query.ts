/** Queries as written. */
import type { Call, Expression, OrderItem, WindowSpecification } from './expression.ts';

export interface CommonTable {
  readonly name: string;
  readonly query: Query;
  readonly at: number;
}

export interface Query {
  readonly kind: 'query';
  readonly recursive: boolean;
  readonly with: readonly CommonTable[];
  readonly body: QueryBody;
  readonly orderBy: readonly OrderItem[];
  readonly limit?: Expression;
  readonly offset?: Expression;
  readonly at: number;
}

export type SetOperator = 'UNION ALL' | 'UNION DISTINCT' | 'INTERSECT DISTINCT' | 'EXCEPT DISTINCT';

export interface SetOperation {
  readonly kind: 'set';
  readonly operator: SetOperator;
  /** Two or more for the UNIONs and INTERSECT, exactly two for EXCEPT. */
  readonly operands: readonly QueryBody[];
  readonly at: number;
}

export type QueryBody = Select | SetOperation | Query;

export type SelectItem =
  | { readonly kind: 'expression'; readonly value: Expression; readonly alias?: string; readonly at: number }
  | {
      readonly kind: 'star';
      /** `undefined` for a bare `*`. */
      readonly base?: Expression;
      readonly except: readonly string[];
      readonly replace: readonly { readonly name: string; readonly value: Expression }[];
      readonly at: number;
    };

export type GroupBy =
  | { readonly kind: 'ALL' }
  | { readonly kind: 'keys'; readonly keys: readonly Expression[] }
  | { readonly kind: 'ROLLUP' | 'CUBE'; readonly keys: readonly Expression[] }
  | { readonly kind: 'SETS'; readonly sets: readonly (readonly Expression[])[] };

export interface Select {
  readonly kind: 'select';
  readonly distinct: boolean;
  readonly as?: 'STRUCT' | 'VALUE';
  readonly items: readonly SelectItem[];
  readonly from?: FromItem;
  readonly where?: Expression;
  readonly groupBy?: GroupBy;
  readonly having?: Expression;
  readonly qualify?: Expression;
  readonly windows: ReadonlyMap<string, WindowSpecification>;
  readonly at: number;
}

export type JoinType = 'INNER' | 'LEFT' | 'RIGHT' | 'FULL' | 'CROSS';

export interface TableReference {
  readonly kind: 'table';
  readonly path: readonly string[];
  readonly alias?: string;
  /** `WITH OFFSET AS name`, where the path turns out to be an array of an earlier item. */
  readonly offset?: string;
  readonly at: number;
}

export interface Join {
  readonly kind: 'join';
  readonly type: JoinType;
  readonly left: FromItem;
  readonly right: FromItem;
  readonly on?: Expression;
  readonly using?: readonly string[];
  readonly at: number;
}

export interface Pivot {
  readonly kind: 'pivot';
  readonly input: FromItem;
  readonly aggregates: readonly { readonly call: Call; readonly alias?: string }[];
  readonly column: Expression;
  readonly values: readonly { readonly value: Expression; readonly alias?: string }[];
  readonly alias?: string;
  readonly at: number;
}

export interface Unpivot {
  readonly kind: 'unpivot';
  readonly input: FromItem;
  readonly includeNulls: boolean;
  /** One name, or several for a multi-column unpivot. */
  readonly values: readonly string[];
  readonly name: string;
  readonly columns: readonly { readonly columns: readonly string[]; readonly label?: Expression }[];
  readonly alias?: string;
  readonly at: number;
}

export type FromItem =
  | TableReference
  | { readonly kind: 'subquery'; readonly query: Query; readonly alias?: string; readonly at: number }
  | {
      readonly kind: 'unnest';
      readonly array: Expression;
      readonly alias?: string;
      readonly offset?: string;
      readonly at: number;
    }
  | { readonly kind: 'parenthesized'; readonly item: FromItem; readonly at: number }
  | Join
  | Pivot
  | Unpivot;
