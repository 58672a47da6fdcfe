/** INFORMATION_SCHEMA: SCHEMATA, TABLES and COLUMNS, as rows made from the catalog when a query asks. */
import type { OutputColumn, Relation } from '../compile/context.ts';
import { datetimeLiteral, int64Literal, stringLiteral } from '../compile/sql-text.ts';
import { SqlError, unsupported } from '../googlesql/sql-error.ts';
import { INT64, STRING, TIMESTAMP, type Type, typeName } from '../types/type.ts';
import type { Catalog } from './catalog.ts';
import type { Defaults } from './table-reader.ts';
import { fieldType, type TableResource } from './table.ts';

type Cell = string | number | Date | null;
interface View {
  readonly columns: readonly (readonly [name: string, type: Type])[];
  readonly rows: readonly (readonly Cell[])[];
}

function cellSql(cell: Cell, type: Type): string {
  if (cell === null)
    return type.kind === 'INT64'
      ? 'CAST(NULL AS BIGINT)'
      : type.kind === 'TIMESTAMP'
        ? 'CAST(NULL AS TIMESTAMP)'
        : 'CAST(NULL AS VARCHAR)';
  if (typeof cell === 'number') return int64Literal(cell);
  return cell instanceof Date ? datetimeLiteral(BigInt(cell.getTime()) * 1000n) : stringLiteral(cell);
}

function relationOf({ columns, rows }: View): Relation {
  const output: OutputColumn[] = columns.map(([name, type], index) => ({ name, type, sql: `c${index}` }));
  const names = output.map((column) => column.sql).join(', ');
  const values = (row: readonly Cell[]) => columns.map(([, type], index) => cellSql(row[index] ?? null, type));
  // A first row of NULLs, filtered out, gives an empty view its types.
  const lists = [columns.map(() => null), ...rows].map(
    (row, index) => `(${[...values(row), index === 0 ? 'FALSE' : 'TRUE'].join(', ')})`,
  );
  return {
    sql: `SELECT ${names} FROM (VALUES ${lists.join(', ')}) AS i(${names}, present) WHERE present`,
    columns: output,
    valueTable: false,
  };
}

function schemata(catalog: Catalog, projectId: string): View {
  return {
    columns: [
      ['catalog_name', STRING],
      ['schema_name', STRING],
      ['location', STRING],
      ['creation_time', TIMESTAMP],
      ['last_modified_time', TIMESTAMP],
    ],
    rows: catalog
      .datasets(projectId)
      .map((dataset) => [
        projectId,
        dataset.datasetId,
        dataset.location,
        new Date(dataset.creationTime),
        new Date(dataset.lastModifiedTime),
      ]),
  };
}

function tables(list: readonly TableResource[]): View {
  return {
    columns: [
      ['table_catalog', STRING],
      ['table_schema', STRING],
      ['table_name', STRING],
      ['table_type', STRING],
      ['is_insertable_into', STRING],
      ['creation_time', TIMESTAMP],
    ],
    rows: list.map((table) => [
      table.reference.projectId,
      table.reference.datasetId,
      table.reference.tableId,
      table.kind === 'VIEW' ? 'VIEW' : 'BASE TABLE',
      table.kind === 'VIEW' ? 'NO' : 'YES',
      new Date(table.creationTime),
    ]),
  };
}

function columns(list: readonly TableResource[]): View {
  return {
    columns: [
      ['table_catalog', STRING],
      ['table_schema', STRING],
      ['table_name', STRING],
      ['column_name', STRING],
      ['ordinal_position', INT64],
      ['is_nullable', STRING],
      ['data_type', STRING],
      ['is_partitioning_column', STRING],
      ['clustering_ordinal_position', INT64],
      ['column_default', STRING],
    ],
    rows: list.flatMap((table) =>
      table.fields.map((field, index) => {
        const clustered = table.clustering?.indexOf(field.name) ?? -1;
        return [
          table.reference.projectId,
          table.reference.datasetId,
          table.reference.tableId,
          field.name,
          index + 1,
          field.mode === 'REQUIRED' ? 'NO' : 'YES',
          typeName(fieldType(field)),
          (table.timePartitioning?.field ?? table.rangePartitioning?.field) === field.name ? 'YES' : 'NO',
          clustered < 0 ? null : clustered + 1,
          field.defaultValueExpression ?? 'NULL',
        ];
      }),
    ),
  };
}

/** The view that a path names, or `undefined` when it is no INFORMATION_SCHEMA path. */
export function informationSchema(
  catalog: Catalog,
  path: readonly string[],
  defaults: Defaults,
  at: number,
): Relation | undefined {
  const position = path.findIndex((part) => part.toUpperCase() === 'INFORMATION_SCHEMA');
  if (position < 0 || position !== path.length - 2) return undefined;
  const view = (path.at(-1) ?? '').toUpperCase();
  const [first, second] = path.slice(0, position);
  if (view === 'SCHEMATA') return relationOf(schemata(catalog, first ?? defaults.projectId));
  const projectId = second === undefined ? defaults.projectId : (first ?? defaults.projectId);
  const datasetId = second ?? first ?? defaults.datasetId;
  if (datasetId === undefined)
    throw new SqlError(`INFORMATION_SCHEMA.${view} must be qualified with a dataset`, at, 'invalid');
  if (!catalog.findDataset(projectId, datasetId))
    throw new SqlError(
      `Not found: Dataset ${projectId}:${datasetId} was not found in location US`,
      undefined,
      'notFound',
    );
  const list = catalog.tables(projectId, datasetId);
  if (view === 'TABLES') return relationOf(tables(list));
  if (view === 'COLUMNS') return relationOf(columns(list));
  throw unsupported(`INFORMATION_SCHEMA.${view}`, at);
}
