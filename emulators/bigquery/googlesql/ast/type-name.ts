/** A type as written, in CAST, in typed constructors and in column definitions. */
export type TypeName =
  | {
      readonly kind: 'scalar';
      /** Upper case, aliases (`INT`, `DECIMAL`, `BOOLEAN` …) already replaced. */
      readonly name: string;
      /** `STRING(10)` has [10], `NUMERIC(10, 2)` has [10, 2]. */
      readonly parameters: readonly number[];
      readonly at: number;
    }
  | { readonly kind: 'array'; readonly element: TypeName; readonly at: number }
  | {
      readonly kind: 'struct';
      readonly fields: readonly { readonly name?: string; readonly type: TypeName }[];
      readonly at: number;
    };
