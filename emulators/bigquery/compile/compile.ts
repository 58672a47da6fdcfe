/** From a parsed query to DuckDB's SQL: sets up what one statement's compilation shares. */
import type { Query } from '../googlesql/ast/query.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { parseQuery } from '../googlesql/parse/statement.ts';
import type { TableResource } from '../catalog/table.ts';
import { fullName } from '../catalog/table.ts';
import type { Type } from '../types/type.ts';
import type { CompileContext, DeclaredParameter, Relation, TableReader } from './context.ts';
import { compileExpression } from './expression.ts';
import { compileQuery } from './query.ts';
import { identifier } from './sql-text.ts';

/** How deep views may be defined by views. */
const MAX_VIEW_DEPTH = 16;

export interface CompileInput {
  /** Tables as seen from the query's default project and dataset. */
  readonly tables: TableReader;
  /** The same, seen from a view's own dataset. */
  readonly tablesOf: (view: TableResource) => TableReader;
  readonly parameters: readonly { readonly name: string | number; readonly type: Type }[];
  readonly nowMicros: bigint;
  readonly sessionUser: string;
}

/** A context for one statement. */
export function createContext(input: CompileInput): CompileContext {
  let names = 0;
  const reads = new Map<string, TableResource>();
  const parameters = new Map<string | number, DeclaredParameter>(
    input.parameters.map(({ name, type }, index) => [name, { type, sqlName: `p${index}` }]),
  );
  const make = (tables: TableReader, depth: number, declared: CompileContext['parameters']): CompileContext => {
    const context: CompileContext = {
      tables,
      parameters: declared,
      nowMicros: input.nowMicros,
      sessionUser: input.sessionUser,
      // A tilde is in no column's name, so no name made here can be taken for a column.
      uniqueName: (prefix) => identifier(`~${prefix}${++names}`),
      reads,
      expression: (node, scope) => compileExpression(node, scope, context),
      query: (query, outer) => compileQuery(query, { outer, commonTables: outer.commonTables, context }),
      view: (table, at) => {
        if (depth >= MAX_VIEW_DEPTH)
          throw new SqlError(`View ${fullName(table.reference)} nests too many views, or contains itself`, at);
        return compileView(table, make(input.tablesOf(table), depth + 1, new Map()), at);
      },
    };
    return context;
  };
  return make(input.tables, 0, parameters);
}

/** A view's rows under the names and types that the view has. */
function compileView(table: TableResource, context: CompileContext, at: number): Relation {
  const relation = compileTopQuery(parseQuery(table.viewQuery ?? ''), context);
  if (relation.columns.length !== table.fields.length) {
    throw new SqlError(
      `View ${fullName(table.reference)} no longer fits its tables: it has ${table.fields.length} columns, its query ${relation.columns.length}`,
      at,
    );
  }
  return {
    ...relation,
    columns: relation.columns.map((column, index) => ({ ...column, name: table.fields[index]?.name ?? column.name })),
  };
}

/** A query that stands alone. Rows that are STRUCTs (SELECT AS STRUCT) show their fields as columns. */
export function compileTopQuery(query: Query, context: CompileContext): Relation {
  const relation = compileQuery(query, { outer: undefined, commonTables: new Map(), context });
  const [row] = relation.columns;
  if (!relation.valueTable || row?.type.kind !== 'STRUCT') return relation;
  const alias = context.uniqueName('v');
  const fields = row.type.fields.map((field, index) => ({ name: field.name, type: field.type, sql: `c${index}` }));
  const list = fields.map((_, index) => `struct_extract(${alias}.${row.sql}, 'f${index}') AS c${index}`);
  return { sql: `SELECT ${list.join(', ')} FROM (${relation.sql}) AS ${alias}`, columns: fields, valueTable: false };
}
