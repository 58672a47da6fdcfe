/** How the compiler finds tables: paths of one to three names, seen from a default project and dataset. */
import { ApiError } from '../api-error.ts';
import type { TableReader } from '../compile/context.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import type { Catalog } from './catalog.ts';
import { informationSchema } from './information-schema.ts';
import { messageName, type TableReference, type TableResource } from './table.ts';

export interface Defaults {
  readonly projectId: string;
  readonly datasetId: string | undefined;
}

/** The full reference that a path means. @throws {SqlError} when it is too short or too long. */
export function resolvePath(path: readonly string[], defaults: Defaults, at: number): TableReference {
  const [a = '', b, c] = path;
  if (path.length === 3 && b !== undefined && c !== undefined) return { projectId: a, datasetId: b, tableId: c };
  if (path.length === 2 && b !== undefined) return { projectId: defaults.projectId, datasetId: a, tableId: b };
  if (path.length === 1) {
    if (defaults.datasetId === undefined)
      throw new SqlError(`Table "${a}" must be qualified with a dataset (e.g. dataset.table).`, at, 'invalid');
    return { projectId: defaults.projectId, datasetId: defaults.datasetId, tableId: a };
  }
  throw new SqlError(`Invalid table name: \`${path.join('.')}\``, at, 'invalid');
}

export function createTableReader(catalog: Catalog, defaults: Defaults): TableReader {
  return {
    table: (path, at): TableResource => {
      const reference = resolvePath(path, defaults, at);
      const dataset = catalog.findDataset(reference.projectId, reference.datasetId);
      if (!dataset)
        throw new SqlError(
          `Not found: Dataset ${reference.projectId}:${reference.datasetId} was not found in location US`,
          undefined,
          'notFound',
        );
      if (reference.tableId.endsWith('*'))
        throw new SqlError('Wildcard tables are not supported by this local BigQuery server', at);
      try {
        return catalog.table(reference);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        throw new SqlError(
          `Not found: Table ${messageName(reference)} was not found in location ${dataset.location}`,
          undefined,
          'notFound',
        );
      }
    },
    informationSchema: (path, at) => informationSchema(catalog, path, defaults, at),
  };
}
