/** Expressions as written. `at` is the offset in the query's text where a node begins, for messages. */
import type { Query } from './query.ts';
import type { TypeName } from './type-name.ts';

interface Node {
  readonly at: number;
}

/** A literal. INT64 and FLOAT64 keep the spelling; `DATE '…'` and its like keep the text of their string. */
export interface Literal extends Node {
  readonly kind: 'literal';
  readonly type:
    | 'NULL'
    | 'BOOL'
    | 'INT64'
    | 'FLOAT64'
    | 'STRING'
    | 'NUMERIC'
    | 'BIGNUMERIC'
    | 'DATE'
    | 'DATETIME'
    | 'TIME'
    | 'TIMESTAMP'
    | 'JSON';
  readonly text: string;
}

export interface BytesLiteral extends Node {
  readonly kind: 'bytes';
  readonly bytes: Uint8Array;
}

/** `INTERVAL value part [TO part]`. */
export interface IntervalLiteral extends Node {
  readonly kind: 'interval';
  readonly value: Expression;
  readonly from: string;
  readonly to?: string;
}

/** `@name`, or a `?` with its index from 0. */
export interface Parameter extends Node {
  readonly kind: 'parameter';
  readonly name: string | number;
}

/** A name or a chain of names: column, table alias, fields of a STRUCT, in one node until names are resolved. */
export interface Path extends Node {
  readonly kind: 'path';
  readonly names: readonly string[];
}

export interface FieldAccess extends Node {
  readonly kind: 'field';
  readonly base: Expression;
  readonly name: string;
}

export type IndexMode = 'PLAIN' | 'OFFSET' | 'ORDINAL' | 'SAFE_OFFSET' | 'SAFE_ORDINAL';

export interface IndexAccess extends Node {
  readonly kind: 'index';
  readonly base: Expression;
  readonly index: Expression;
  readonly mode: IndexMode;
}

export interface Unary extends Node {
  readonly kind: 'unary';
  readonly operator: '-' | '+' | '~' | 'NOT';
  readonly operand: Expression;
}

export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '||'
  | '<<'
  | '>>'
  | '&'
  | '|'
  | '^'
  | '='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>=';

export interface Binary extends Node {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** `AND` or `OR` over two or more operands; chains are flat, so that a thousand of them nest no deeper than two. */
export interface Logical extends Node {
  readonly kind: 'logical';
  readonly operator: 'AND' | 'OR';
  readonly operands: readonly Expression[];
}

export interface Between extends Node {
  readonly kind: 'between';
  readonly operand: Expression;
  readonly low: Expression;
  readonly high: Expression;
  readonly negated: boolean;
}

/** The right side of IN, or of LIKE ANY/ALL. */
export type Candidates =
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'unnest'; readonly array: Expression };

export interface In extends Node {
  readonly kind: 'in';
  readonly operand: Expression;
  readonly candidates: Candidates;
  readonly negated: boolean;
}

export interface Like extends Node {
  readonly kind: 'like';
  readonly operand: Expression;
  readonly pattern: Expression;
  readonly negated: boolean;
}

export interface QuantifiedLike extends Node {
  readonly kind: 'quantifiedLike';
  readonly operand: Expression;
  readonly quantifier: 'ANY' | 'ALL';
  readonly candidates: Candidates;
  readonly negated: boolean;
}

export interface Is extends Node {
  readonly kind: 'is';
  readonly operand: Expression;
  readonly what: 'NULL' | 'TRUE' | 'FALSE' | 'UNKNOWN';
  readonly negated: boolean;
}

/** `IS DISTINCT FROM`; negated for `IS NOT DISTINCT FROM`. */
export interface IsDistinct extends Node {
  readonly kind: 'isDistinct';
  readonly left: Expression;
  readonly right: Expression;
  readonly negated: boolean;
}

export interface Case extends Node {
  readonly kind: 'case';
  readonly operand?: Expression;
  readonly branches: readonly { readonly when: Expression; readonly result: Expression }[];
  readonly otherwise?: Expression;
}

export interface Cast extends Node {
  readonly kind: 'cast';
  readonly operand: Expression;
  readonly type: TypeName;
  readonly safe: boolean;
  readonly format?: Expression;
  readonly timeZone?: Expression;
}

export interface Extract extends Node {
  readonly kind: 'extract';
  /** The part, upper case; `WEEK(MONDAY)` as written there. */
  readonly part: string;
  readonly operand: Expression;
  readonly timeZone?: Expression;
}

export interface ArrayLiteral extends Node {
  readonly kind: 'array';
  readonly elementType?: TypeName;
  readonly elements: readonly Expression[];
}

export interface StructLiteral extends Node {
  readonly kind: 'struct';
  readonly types?: readonly { readonly name?: string; readonly type: TypeName }[];
  readonly fields: readonly { readonly name?: string; readonly value: Expression }[];
  /** Written `(a, b)`: such a STRUCT names no fields. */
  readonly tuple: boolean;
}

/** `(query)`, `EXISTS(query)` or `ARRAY(query)`. */
export interface Subquery extends Node {
  readonly kind: 'subquery';
  readonly form: 'SCALAR' | 'EXISTS' | 'ARRAY';
  readonly query: Query;
}

export interface Lambda extends Node {
  readonly kind: 'lambda';
  readonly parameters: readonly string[];
  readonly body: Expression;
}

export interface OrderItem {
  readonly value: Expression;
  readonly descending: boolean;
  /** `undefined` when the query does not say: first when ascending, last when descending. */
  readonly nullsFirst?: boolean;
}

export type FrameBound =
  | { readonly kind: 'UNBOUNDED PRECEDING' | 'UNBOUNDED FOLLOWING' | 'CURRENT ROW' }
  | { readonly kind: 'PRECEDING' | 'FOLLOWING'; readonly offset: Expression };

export interface WindowSpecification {
  /** A named window that this one starts from. */
  readonly base?: string;
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly OrderItem[];
  readonly frame?: { readonly unit: 'ROWS' | 'RANGE'; readonly start: FrameBound; readonly end?: FrameBound };
}

export interface Call extends Node {
  readonly kind: 'call';
  /** Upper case, without `SAFE.`; dotted for `NET.HOST` and its like. */
  readonly name: string;
  readonly safe: boolean;
  readonly args: readonly Expression[];
  /** Arguments given as `name => value`, names in lower case. */
  readonly named: readonly { readonly name: string; readonly value: Expression }[];
  /** `COUNT(*)`. */
  readonly star: boolean;
  readonly distinct: boolean;
  readonly nulls?: 'IGNORE' | 'RESPECT';
  readonly having?: { readonly which: 'MAX' | 'MIN'; readonly value: Expression };
  readonly orderBy: readonly OrderItem[];
  readonly limit?: Expression;
  readonly over?: WindowSpecification;
}

/** `DEFAULT`, which only the values of INSERT, UPDATE and MERGE may be. */
export interface DefaultValue extends Node {
  readonly kind: 'default';
}

export type Expression =
  | Literal
  | BytesLiteral
  | IntervalLiteral
  | Parameter
  | Path
  | FieldAccess
  | IndexAccess
  | Unary
  | Binary
  | Logical
  | Between
  | In
  | Like
  | QuantifiedLike
  | Is
  | IsDistinct
  | Case
  | Cast
  | Extract
  | ArrayLiteral
  | StructLiteral
  | Subquery
  | Lambda
  | Call
  | DefaultValue;
