/** A query, and what must come of it. Values are as the wire has them, rows and STRUCTs as plain lists. */
export type QueryCase =
  | { readonly sql: string; readonly types: readonly string[]; readonly rows: readonly unknown[] }
  /** The query must be refused; the text is the reference implementation's reason, for the reader. */
  | { readonly sql: string; readonly fails: string };
